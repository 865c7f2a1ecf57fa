-- name: job_exists
select exists (select from headrace.job where id = $1 and ($2::int is null or tenant_id = $2))
