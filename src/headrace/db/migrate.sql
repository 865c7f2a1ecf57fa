-- name: take_lock
set local lock_timeout = '60s';
select pg_advisory_xact_lock(hashtextextended('headrace.migrate', 0))

-- For tables, in seconds: a step that waits for a table stops every session that comes after it.
-- name: limit_waits
select set_config('lock_timeout', 1000 * $1::float8 || 'ms', true)

-- name: prepare_history
create schema if not exists headrace;
create table if not exists headrace.migration (
  number      int primary key,
  name        text not null,
  checksum    text not null,
  applied_at  timestamptz not null default now()
);
create table if not exists headrace.function_file (
  name        text primary key,
  checksum    text not null,
  applied_at  timestamptz not null default now()
)

-- name: has_history
select to_regclass('headrace.migration') is not null

-- name: list_steps
select number, name, checksum from headrace.migration order by number

-- name: record_step
insert into headrace.migration (number, name, checksum) values ($1, $2, $3)

-- name: forget_step
delete from headrace.migration where number = $1
