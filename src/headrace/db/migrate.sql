-- name: be_patient
set local lock_timeout = '60s'

-- A lock of our own table, which only those can take who may change it: an advisory lock is for every session to take. A
-- login that may only read finds out whether there is something to do.
-- name: take_lock
do $$
begin
  lock table headrace.migration in share update exclusive mode;
exception when insufficient_privilege then
end $$

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
