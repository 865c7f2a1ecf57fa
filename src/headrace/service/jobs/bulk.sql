-- name: moment
select clock_timestamp() + interval '1 millisecond'

-- name: count_running
select count(*) from headrace.operation where tenant_id is not distinct from $1 and state = 'running'

-- name: create_operation
insert into headrace.operation (tenant_id, action, filter, expected, created_by, per_second)
values ($1, $2, $3, $4, $5, $6) returning id

-- name: read_operations
select o.id, tenant.name as tenant, o.action, o.filter, o.state, o.expected, o.done, o.left_alone, o.per_second, o.error, o.created_at,
       o.created_by, o.updated_at, o.finished_at
  from headrace.operation as o left join headrace.tenant on tenant.id = o.tenant_id
 where ($1::uuid is null or o.id = $1) and ($2::int is null or o.tenant_id = $2)
 order by o.created_at desc
 limit $3

-- One that has a pace makes a batch of it each second.
-- name: take_operation
select id, tenant_id, action, filter, position, per_second from headrace.operation
 where state = 'running' and (per_second is null or position is null or updated_at <= clock_timestamp() - interval '1 second')
 order by updated_at limit 1 for no key update skip locked

-- name: any_paced
select exists (select from headrace.operation where state = 'running' and per_second is not null)

-- name: for_tenant
select set_config('headrace.tenant_id', $1, true)

-- name: change
select count(*) filter (where headrace._change_one($1, id))::int from unnest($2::uuid[]) as id

-- name: advance_operation
update headrace.operation
   set done = done + $2, left_alone = left_alone + $3, position = coalesce($4, position), updated_at = clock_timestamp(),
       state = case when $4 is null then 'done' else state end, finished_at = case when $4 is null then clock_timestamp() end
 where id = $1

-- name: fail_operation
update headrace.operation set state = 'failed', error = $2, finished_at = clock_timestamp(), updated_at = clock_timestamp()
 where id = $1

-- name: cancel_operation
update headrace.operation set state = 'canceled', finished_at = clock_timestamp(), updated_at = clock_timestamp()
 where id = $1 and state = 'running' and ($2::int is null or tenant_id = $2)
returning true
