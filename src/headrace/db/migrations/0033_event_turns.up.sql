-- Tenants take turns at being dispatched, and a batch that fails comes back smaller.

-- batch_limit: with how many others, itself counted, an event is dispatched at most; null is the dispatcher's own limit.
-- begun: some of its triggers have their delivery, and the others wait for the tenant's next turn.
-- not_before: also the end of a dispatcher's hold on the event, which another may take then.
alter table headrace.event_inbox
  add column tenant_id int,
  add column batch_limit int check (batch_limit > 0),
  add column begun boolean not null default false;
update headrace.event_inbox as i set tenant_id = e.tenant_id from headrace.event as e where e.id = i.event_id;
delete from headrace.event_inbox where tenant_id is null;
alter table headrace.event_inbox alter column tenant_id set not null;
create index event_inbox_turn on headrace.event_inbox (tenant_id, seq);
-- A hold is an update of each row: with room on its page no index is written.
alter table headrace.event_inbox set (fillfactor = 50);

alter table headrace.event_inbox enable row level security;
create policy own on headrace.event_inbox using (tenant_id = (select headrace._current_tenant()));

create or replace function headrace.emit(
  name text, data jsonb default '{}', tenant text default 'default', correlation_id text default null
) returns uuid language plpgsql as $$
declare
  for_tenant_id constant int := headrace._tenant_id(tenant);
  event_id uuid;
begin
  if name is null or name !~ '^[A-Za-z0-9_-]+(\.[A-Za-z0-9_-]+)*$' or length(name) > 200 then
    raise exception 'the event name "%" is not valid', left(name, 200) using errcode = 'HR400',
      hint = 'Words of A-Z a-z 0-9 _ - with dots between them, such as provider.folder.updated; at most 200 characters.';
  elsif data is null or jsonb_typeof(data) <> 'object' then
    raise exception 'the data of event "%" must be a JSON object', name using errcode = 'HR400';
  elsif pg_column_size(data) > 1048576 then
    raise exception 'the data of event "%" is too large (at most 1 MB)', name using errcode = 'HR413',
      hint = 'Store it elsewhere and pass a reference.';
  end if;
  event_id := (headrace._job_ids(1))[1];
  insert into headrace.event (id, tenant_id, name, data, correlation_id)
  values (event_id, for_tenant_id, emit.name, emit.data, emit.correlation_id);
  insert into headrace.event_inbox (event_id, tenant_id) values (event_id, for_tenant_id);
  if (select armed from headrace.event_watch) then
    perform pg_notify('headrace', 'events');
  end if;
  return event_id;
end $$;
