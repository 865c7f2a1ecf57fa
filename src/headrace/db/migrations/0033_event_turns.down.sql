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
  insert into headrace.event_inbox (event_id) values (event_id);
  if (select armed from headrace.event_watch) then
    perform pg_notify('headrace', 'events');
  end if;
  return event_id;
end $$;

drop policy own on headrace.event_inbox;
alter table headrace.event_inbox disable row level security;
drop index headrace.event_inbox_turn;
alter table headrace.event_inbox reset (fillfactor), drop column begun, drop column batch_limit, drop column tenant_id;
