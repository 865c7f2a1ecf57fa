-- A job defined by SQL has as many attempts as one defined in code: three retries, so four attempts, as
-- `jobs.max_retries_default` is unless somebody sets it. The database does not read anybody's file: whoever sets that
-- and defines jobs by SQL gives max_attempts. What is defined already keeps what it has until it is defined again.
alter table headrace.definition alter max_attempts set default 4;

create or replace function headrace.define_sql_job(
  key text, function text, description text default '', timeout_seconds float8 default null, max_attempts int default null
) returns uuid language plpgsql as $$
declare
  p constant pg_proc := headrace._sql_job_function(function);
  in_schema constant text := (select nspname from pg_namespace where oid = p.pronamespace);
  signature constant text := case p.pronargs when 0 then '()' else '(jsonb)' end;
  says constant jsonb := jsonb_build_object('max_attempts', coalesce(max_attempts, 4), 'timeout_seconds', timeout_seconds);
  def headrace.definition;
begin
  if key is null or key !~ '^[A-Za-z0-9][A-Za-z0-9_.:-]{0,199}$' then
    raise exception 'the key "%" is not valid', left(key, 200) using errcode = 'HR400',
      hint = 'A key has 1 to 200 of A-Z a-z 0-9 _ . : - and starts with a letter or digit.';
  elsif max_attempts not between 1 and 1000 then
    raise exception 'max_attempts % is out of range (1 to 1000)', max_attempts using errcode = 'HR400';
  elsif not (timeout_seconds > 0 and timeout_seconds < 'infinity') then
    raise exception 'timeout_seconds % is out of range: it must be more than zero', timeout_seconds using errcode = 'HR400',
      hint = 'Leave it out for a job without a timeout.';
  end if;

  insert into headrace.definition as d
    (key, kind, app, description, hash, declared, max_attempts, timeout_seconds, function_schema, function_name, function_signature)
  values (define_sql_job.key, 'sql', 'sql', coalesce(define_sql_job.description, ''),
    left(encode(sha256(convert_to(jsonb_build_array(define_sql_job.key, in_schema, p.proname, signature,
                                                    coalesce(define_sql_job.description, ''), says)::text, 'UTF8')), 'hex'), 16),
    says, coalesce(define_sql_job.max_attempts, 4), define_sql_job.timeout_seconds, in_schema, p.proname, signature)
  on conflict on constraint definition_key_key do update
     set kind = 'sql', app = 'sql', description = excluded.description, hash = excluded.hash, declared = excluded.declared,
         tags = '{}', payload_schema = '{}', triggers = '[]', deleted_from_code_at = null, synced_at = now(),
         function_schema = excluded.function_schema, function_name = excluded.function_name,
         function_signature = excluded.function_signature,
         max_attempts = case when d.declared -> 'max_attempts' = to_jsonb(d.max_attempts) then excluded.max_attempts
                             else d.max_attempts end,
         timeout_seconds = case when (d.declared ->> 'timeout_seconds')::float8 is not distinct from d.timeout_seconds
                                then excluded.timeout_seconds else d.timeout_seconds end
   where d.kind = 'sql' or d.deleted_from_code_at is not null
  returning * into def;
  if def.id is null then
    select * into def from headrace.definition as d where d.key = define_sql_job.key;
    raise exception 'definition "%" is a % job of app "%"', key, def.kind, def.app using errcode = 'HR409',
      hint = 'Choose another key.';
  end if;
  perform headrace._lane(def.queue, def.id);
  return headrace._definition_uuid(key);
end $$;
