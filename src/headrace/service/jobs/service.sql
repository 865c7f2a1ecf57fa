-- The newest first, for a person may retry a job as often as they like: a page begins with the newest.
-- name: list_attempts
select a.run, a.outcome::text, a.final::text, w.name as worker, a.queued_at, a.started_at, a.finished_at, a.error,
       a.traceback, a.result, a.detail
  from headrace.attempt as a left join headrace.worker as w on w.id = a.worker_id
 where a.job_id = $1 and ($2::int is null or a.run < $2)
 order by a.run desc
 limit $3

-- name: read_payload
select job.payload, definition.payload_schema
  from headrace.job join headrace.definition on definition.id = definition_id
 where job.id = $1

-- An edited retry goes where its job was. Where the tenant may not choose that queue or priority, which the application chose, the
-- new job has its definition's own.
-- name: place_again
select allowed_queue, allowed_priority
  from headrace.definition as d, headrace._allowed_place(d, $2, $3) where d.key = $1
