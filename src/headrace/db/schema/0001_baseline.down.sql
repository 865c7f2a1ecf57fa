-- Everything but the history of migrations, functions included, WITH THE DATA.
do $$
declare it record;
begin
  for it in select c.relname, c.relkind from pg_class as c
             where c.relnamespace = 'headrace'::regnamespace and c.relkind in ('r', 'p', 'v') and not c.relispartition
               and c.relname not in ('migration', 'function_file')
             order by c.relkind = 'v' desc loop
    execute format('drop %s if exists headrace.%I cascade', case it.relkind when 'v' then 'view' else 'table' end, it.relname);
  end loop;
  for it in select p.oid::regprocedure as name, p.prokind from pg_proc as p where p.pronamespace = 'headrace'::regnamespace
             order by p.prokind loop
    execute format('drop %s if exists %s cascade', case it.prokind when 'a' then 'aggregate' else 'function' end, it.name);
  end loop;
  for it in select t.typname from pg_type as t where t.typnamespace = 'headrace'::regnamespace and t.typtype = 'e' loop
    execute format('drop type headrace.%I', it.typname);
  end loop;
  drop sequence if exists headrace.queue_seq;
  delete from headrace.function_file;
end $$;
