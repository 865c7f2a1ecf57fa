-- For this transaction only, and for a worker that is dead or hangs: a live one ends a call by itself. The function may
-- set them anew; a statement_timeout that runs is not disarmed by that. Temporary tables come last, so that none stands
-- in for one of the function's own.
-- name: arm
select pid, backend_start,
       set_config('statement_timeout', $1, true),
       set_config('lock_timeout', $2, true),
       set_config('idle_in_transaction_session_timeout', $3, true),
       set_config('client_connection_check_interval', '1s', true),
       set_config('search_path', format('%I, pg_temp', $4::text), true),
       set_config('headrace.trace_context', $6, true),
       set_config('application_name', left(format('headrace sql %s.%s', $4::text, $5::text), 60), true)
  from pg_stat_get_activity(pg_backend_pid())

-- Since PostgreSQL 17: it ends the session, which a function cannot swallow.
-- name: arm_transaction
select set_config('transaction_timeout', $1, true)
