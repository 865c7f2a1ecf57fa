-- The names are compared as values and quoted by the server. The call reads the answer where it is: a large one never
-- comes here, and numbers keep their digits. In FROM the function is called once, however often its answer is looked at.
-- name: find_function
select case
         when p.prokind <> 'f' then 'it is not a plain function'
         when p.proretset then 'it returns a set'
         when p.proargmodes is not null then 'it has OUT arguments'
         when p.prorettype <> 'jsonb'::regtype then format('it returns %s and not jsonb', format_type(p.prorettype, null))
         when not has_schema_privilege(n.oid, 'usage') then format('role %s has no USAGE on its schema', current_user)
         when not has_function_privilege(p.oid, 'execute') then format('role %s may not EXECUTE it', current_user)
       end as problem,
       format($call$
         select case
                  when answer is null then 'it returned null'
                  when jsonb_typeof(answer) <> 'object' then 'it returned a JSON ' || jsonb_typeof(answer)
                  when jsonb_typeof(answer -> 'success') is distinct from 'boolean' then '"success" is not true or false'
                  when jsonb_typeof(answer -> 'message') is distinct from 'string' then '"message" is not a text'
                  when jsonb_typeof(answer -> 'details') not in ('object', 'null') then '"details" is not an object'
                  when jsonb_typeof(answer -> 'commit') not in ('boolean', 'null') then '"commit" is not true or false'
                end as problem,
                coalesce(answer -> 'success' = 'true', false) as success,
                coalesce(answer -> 'commit' = 'true', false) as commit,
                left(answer ->> 'message', 10000) as message,
                octet_length(result::text) as size,
                case when octet_length(result::text) <= $1 then result::text end as result
           from %I.%I(%s) as returned (answer),
                lateral (select case when jsonb_typeof(answer -> 'details') = 'object'
                                     then jsonb_build_object('message', answer -> 'message', 'details', answer -> 'details')
                                     else jsonb_build_object('message', answer -> 'message') end) as kept (result)
       $call$, n.nspname, p.proname, case $3 when '()' then '' else '$2::jsonb' end) as call
  from pg_catalog.pg_proc as p
  join pg_catalog.pg_namespace as n on n.oid = p.pronamespace
 where n.nspname = $1 and p.proname = $2
   and p.proargtypes = (case $3 when '()' then '' else 'jsonb'::regtype::oid::text end)::oidvector
