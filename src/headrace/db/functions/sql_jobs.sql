-- SQL jobs: definitions that name a function of the database.

-- Definitions are known by their key, and inside by a number; this name for one is the same in every database, for
-- callers who keep what define_sql_job gives them. Not md5, which some servers are forbidden to compute.
create or replace function headrace._definition_uuid(key text) returns uuid language sql immutable strict as $$
  select encode(substr(sha256(convert_to('headrace.definition ' || key, 'UTF8')), 1, 16), 'hex')::uuid
$$;

-- 'name', 'schema.name' or 'schema.name(jsonb)' in its parts, unquoted and cut as the server cuts names; schema and
-- signature are null where they were not said.
create or replace function headrace._parse_function(
  function text, out in_schema text, out called text, out signature text
) language plpgsql stable as $$
declare
  parts constant text[] := regexp_match(btrim(function, E' \t\n\r'), '^(.*?)[[:space:]]*([(][[:space:]]*(?:(?:pg_catalog[.])?jsonb)?[[:space:]]*[)])?$', 'i');
  words text[];
begin
  begin
    words := parse_ident(parts[1]);
  exception when invalid_parameter_value then  -- left null
  end;
  if words is null or cardinality(words) > 2 then
    raise exception '"%" does not name a function', left(function, 200) using errcode = 'HR400',
      hint = 'Write name, schema.name or schema.name(jsonb), as in SQL: a name with capitals or blanks in double quotes. '
             'A SQL job''s function takes nothing or one jsonb.';
  end if;
  words := words::name[]::text[];
  in_schema := case when cardinality(words) = 2 then words[1] end;
  called := words[cardinality(words)];
  signature := case when parts[2] ~* 'jsonb' then '(jsonb)' when parts[2] is not null then '()' end;
end $$;

-- Why a function cannot be a SQL job's, or null.
create or replace function headrace._sql_job_problem(p pg_proc) returns text language sql stable as $$
  select case
    when p.prokind <> 'f' then format('it is %s', case p.prokind
      when 'p' then 'a procedure' when 'a' then 'an aggregate' else 'a window function' end)
    when p.proretset then 'it returns a set'
    when p.proargmodes is not null then 'it has OUT arguments'
    when p.prorettype <> 'jsonb'::regtype then format('it returns %s', format_type(p.prorettype, null))
  end
$$;

-- The one function that the text names, as it is now; or a clear error.
create or replace function headrace._sql_job_function(function text) returns pg_proc language plpgsql stable as $$
declare
  wanted constant record := headrace._parse_function(function);
  allowed constant text[] := (select allowed_schemas from headrace.sql_setting);
  within text := wanted.in_schema;
  found pg_proc[];
  problem text;
begin
  if within is null then
    -- The first allowed schema that has it: the caller's search_path must not decide what workers run.
    select s.name into within from unnest(allowed) with ordinality as s (name, ordinal)
     where exists (select from pg_proc as p join pg_namespace as n on n.oid = p.pronamespace
                    where n.nspname = s.name and p.proname = wanted.called)
     order by ordinal limit 1;
  elsif not within = any(allowed) then
    raise exception 'functions of schema "%" may not be run as jobs', within using errcode = 'HR400',
      hint = format('Allowed: %s. An operator may change headrace.sql_setting.', array_to_string(allowed, ', '));
  end if;
  found := array(select p from pg_proc as p join pg_namespace as n on n.oid = p.pronamespace
                  where n.nspname = within and p.proname = wanted.called
                    and case wanted.signature when '()' then p.pronargs = 0
                                              when '(jsonb)' then p.proargtypes::text = 'jsonb'::regtype::oid::text
                                              else p.pronargs = 0 or p.proargtypes::text = 'jsonb'::regtype::oid::text end);
  if cardinality(found) = 0 then
    raise exception 'unknown function "%" that takes %', wanted.called, coalesce(wanted.signature, '() or (jsonb)')
      using errcode = 'HR404', hint = coalesce(
        (select 'Known: ' || string_agg(p.oid::regprocedure::text, ', ') || '.'
           from pg_proc as p join pg_namespace as n on n.oid = p.pronamespace
          where n.nspname = within and p.proname = wanted.called),
        format('Create the function first, in one of the allowed schemas: %s.', array_to_string(allowed, ', ')));
  elsif cardinality(found) > 1 then
    raise exception 'there are two functions "%": one takes nothing, one takes jsonb', wanted.called
      using errcode = 'HR409', hint = format('Name the arguments: %I.%I() or %1$I.%2$I(jsonb).', within, wanted.called);
  end if;
  problem := headrace._sql_job_problem(found[1]);
  if problem is not null then
    raise exception '% cannot be a SQL job: %', found[1].oid::regprocedure, problem using errcode = 'HR400',
      hint = 'A SQL job needs a plain function that takes () or (jsonb) and returns jsonb.';
  end if;
  return found[1];
end $$;

-- A SQL job by its key, made or changed. As with what code declares, a setting that an operator changed stays, and one that
-- is left out has its default. Whether the role of SQL jobs may execute the function is seen when it runs: that role is the
-- worker's affair. The database does not read the configuration: where `jobs.max_retries_default` has another value, the
-- caller gives max_attempts. `settings` are those of a definition, by their columns, and win over the two arguments.
create or replace function headrace.define_sql_job(
  key text, function text, description text default '', timeout_seconds float8 default null, max_attempts int default null,
  settings jsonb default '{}'
) returns uuid language plpgsql as $$
declare
  p pg_proc;
  in_schema text;
  signature text;
  whose constant text := headrace._sql_app();
  defaults constant jsonb := '{definition defaults}';
  says constant jsonb := defaults || jsonb_build_object('timeout_seconds', timeout_seconds)
    || jsonb_strip_nulls(jsonb_build_object('max_attempts', max_attempts)) || settings;
  unknown constant text := (select min(name) from jsonb_object_keys(settings) as name where not defaults ? name);
  def headrace.definition;
begin
  if headrace._by_integrator() then
    return headrace._own_define_sql_job(key, function, description, timeout_seconds, max_attempts, settings);
  end if;
  p := headrace._sql_job_function(function);
  in_schema := (select nspname from pg_namespace where oid = p.pronamespace);
  signature := case p.pronargs when 0 then '()' else '(jsonb)' end;
  if key is null or key !~ '^[A-Za-z0-9][A-Za-z0-9_.:-]{0,199}$' then
    raise exception 'the key "%" is not valid', left(key, 200) using errcode = 'HR400',
      hint = 'A key has 1 to 200 of A-Z a-z 0-9 _ . : - and starts with a letter or digit.';
  elsif starts_with(key, 'headrace.') then
    raise exception 'the key "%" is reserved: keys that begin with "headrace." are for built-in jobs', left(key, 200)
      using errcode = 'HR400', hint = 'Choose another key.';
  elsif unknown is not null then
    raise exception 'unknown setting %', left(unknown, 200) using errcode = 'HR400',
      hint = 'Known settings: {definition}.';
  end if;

  insert into headrace.definition as d
    (key, kind, app, description, hash, declared, function_schema, function_name, function_signature, {definition})
  select define_sql_job.key, 'sql', whose, coalesce(define_sql_job.description, ''),
    left(encode(sha256(convert_to(jsonb_build_array(define_sql_job.key, in_schema, p.proname, signature,
                                                    coalesce(define_sql_job.description, ''), says)::text, 'UTF8')), 'hex'), 16),
    says, in_schema, p.proname, signature, new.{definition}
    from jsonb_populate_record(null::headrace.definition, says) as new
  on conflict on constraint definition_key_key do update
     set kind = 'sql', app = excluded.app, description = excluded.description, hash = excluded.hash, declared = excluded.declared,
         tags = '{}', payload_schema = '{}', triggers = '[]', deleted_from_code_at = null, synced_at = now(),
         function_schema = excluded.function_schema, function_name = excluded.function_name,
         function_signature = excluded.function_signature,
         ({definition}) = (select holds.{definition} from headrace._follow_code(d, says) as holds)
   where case whose when 'sql' then d.kind = 'sql' or d.deleted_from_code_at is not null else d.kind = 'sql' and d.app = whose end
  returning * into def;
  if def.id is null then
    select * into def from headrace.definition as d where d.key = define_sql_job.key;
    raise exception 'definition "%" is a % job of app "%"', key, def.kind, def.app using errcode = 'HR409',
      hint = 'Choose another key.';
  end if;
  perform headrace._lane(def.queue, def.id);
  return headrace._definition_uuid(key);
exception when check_violation or not_null_violation or invalid_text_representation or numeric_value_out_of_range then
  raise exception 'a setting of "%" is not valid: %', key, sqlerrm using errcode = 'HR400';
end $$;

-- True when the definition was there: no job of it is accepted any more. Those that wait are still run.
create or replace function headrace.undefine_sql_job(key text) returns boolean language plpgsql as $$
declare
  other headrace.definition;
  whose constant text := headrace._sql_app();
begin
  if headrace._by_integrator() then
    return headrace._own_undefine_sql_job(key);
  end if;
  update headrace.definition as d set deleted_from_code_at = now()
   where d.key = undefine_sql_job.key and d.kind = 'sql' and whose in ('sql', d.app) and d.deleted_from_code_at is null;
  if found then
    return true;
  end if;
  select * into other from headrace.definition as d where d.key = undefine_sql_job.key;
  if other.kind <> 'sql' or whose not in ('sql', other.app) then
    raise exception 'definition "%" is a % job of app "%"', key, other.kind, other.app using errcode = 'HR409',
      hint = 'Remove the definition where it is declared.';
  end if;
  return false;
end $$;
