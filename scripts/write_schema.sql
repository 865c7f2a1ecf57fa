-- Tables and views. Partitions come and go, so they are left out.
-- name: relations
select c.oid, c.relname::text as name,
       case when c.relkind = 'v' then 'view' when c.relpersistence = 'u' then 'unlogged table' else 'table' end as kind,
       concat(' partition by ' || pg_get_partkeydef(c.oid), ' with (' || array_to_string(c.reloptions, ', ') || ')') as options,
       c.relrowsecurity as secured,
       case c.relkind when 'v' then pg_get_viewdef(c.oid) end as definition
  from pg_class as c
 where c.relnamespace = 'headrace'::regnamespace and c.relkind in ('r', 'p', 'v') and not c.relispartition
 order by c.relkind = 'v', c.relname

-- name: columns
select a.attname::text as name,
       concat(format_type(a.atttypid, a.atttypmod), case when a.attnotnull then ' not null' end,
              case when a.attidentity <> '' then ' generated always as identity'
                   when a.attgenerated <> '' then format(' generated always as (%s) stored', pg_get_expr(d.adbin, d.adrelid))
                   else ' default ' || pg_get_expr(d.adbin, d.adrelid) end) as type
  from pg_attribute as a
  left join pg_attrdef as d on d.adrelid = a.attrelid and d.adnum = a.attnum
 where a.attrelid = $1 and a.attnum > 0 and not a.attisdropped
 order by a.attnum

-- Constraints NOT NULL have names only since PostgreSQL 18, and stand with their columns.
-- name: constraints
select format('constraint %I %s', conname, pg_get_constraintdef(oid))
  from pg_constraint
 where conrelid = $1 and contype in ('c', 'f', 'p', 'u', 'x') and conparentid = 0
 order by position(contype::text in 'pufcx'), conname

-- name: indexes
select pg_get_indexdef(i.indexrelid)
  from pg_index as i
 where i.indrelid = $1
   and not exists (select from pg_constraint where conindid = i.indexrelid and conrelid = $1 and contype in ('p', 'u'))
 order by i.indexrelid::regclass::text

-- name: triggers
select pg_get_triggerdef(oid) from pg_trigger where tgrelid = $1 and not tgisinternal order by tgname

-- name: policies
select format('create policy %I on %s%s%s using (%s)', polname, polrelid::regclass,
              case when not polpermissive then ' as restrictive' end,
              (select ' to ' || string_agg(rolname, ', ' order by rolname) from pg_roles where oid = any(polroles)),
              regexp_replace(pg_get_expr(polqual, polrelid), '^\((.*)\)$', '\1'))
  from pg_policy where polrelid = $1 order by polname

-- One line a role; a privilege of single columns has their names.
-- name: grants
select format('grant %s on %s to %s', string_agg(lower(held.privilege_type) || held.columns, ', ' order by held.privilege_type),
              $1::oid::regclass, held.rolname)
  from (select x.privilege_type, r.rolname, '' as columns
          from pg_class as c, aclexplode(c.relacl) as x join pg_roles as r on r.oid = x.grantee
         where c.oid = $1 and x.grantee <> c.relowner
         union all
        select x.privilege_type, r.rolname, format(' (%s)', string_agg(a.attname, ', ' order by a.attnum))
          from pg_attribute as a, aclexplode(a.attacl) as x join pg_roles as r on r.oid = x.grantee
         where a.attrelid = $1 group by 1, 2) as held
 group by held.rolname order by held.rolname

-- name: types
select format('create type %s as enum (%s)', t.oid::regtype,
              (select string_agg(quote_literal(enumlabel), ', ' order by enumsortorder) from pg_enum where enumtypid = t.oid))
  from pg_type as t where t.typnamespace = 'headrace'::regnamespace and t.typtype = 'e' order by t.typname

-- Without those of identity columns.
-- name: sequences
select format('create sequence %s', c.oid::regclass)
  from pg_class as c
 where c.relnamespace = 'headrace'::regnamespace and c.relkind = 'S'
   and not exists (select from pg_depend where objid = c.oid and deptype = 'i')
 order by c.relname

-- One line a function: its body is in one file of db/functions, and here by the beginning of its hash.
-- name: functions
select format('%s headrace.%s(%s) returns %s%s%s  -- %s', case p.prokind when 'a' then 'aggregate' else 'function' end,
              p.proname, pg_get_function_arguments(p.oid), pg_get_function_result(p.oid),
              case when p.prosecdef then ' security definer' end, ' set ' || array_to_string(p.proconfig, ' set '),
              concat_ws('; ',
                left(encode(sha256(convert_to(coalesce(pg_get_function_sqlbody(p.oid), p.prosrc), 'UTF8')), 'hex'), 12),
                (select 'execute: ' || string_agg(coalesce(r.rolname, 'public'), ', ' order by r.rolname)
                   from aclexplode(coalesce(p.proacl, acldefault('f', p.proowner))) as x
                   left join pg_roles as r on r.oid = x.grantee
                  where x.grantee <> p.proowner)))
  from pg_proc as p where p.pronamespace = 'headrace'::regnamespace order by p.proname
