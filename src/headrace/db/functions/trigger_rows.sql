-- Only a trigger that is on and goes by time concerns schedulers.
create or replace function headrace._wake_schedulers(changed headrace.trigger) returns void language sql as $$
  select pg_notify('headrace', 'triggers') where changed.enabled and changed.trigger_type <> 'event'
$$;

-- Plain SQL is as safe as the API. A change of a rule, or turning it on, has the next due time computed anew, notes what the
-- old rule left undone, and wakes a scheduler.
create or replace function headrace._trigger_changed() returns trigger language plpgsql as $$
declare
  edited constant boolean :=
    (new.trigger_type, new.cron, new.every_seconds, new.timezone, new.starts_at, new.ends_at, new.max_fires,
     new.init_version) is distinct from
    (old.trigger_type, old.cron, old.every_seconds, old.timezone, old.starts_at, old.ends_at, old.max_fires,
     old.init_version);
  turned_on constant boolean := new.enabled and not old.enabled;
begin
  new.version := old.version + 1;
  if (edited or turned_on) and new.next_run_at is not distinct from old.next_run_at then
    new.next_run_at := null;
    new.fire_at := null;
    new.effective_from := clock_timestamp();
    -- One that had finished left nothing undone.
    new.uncovered_from := least(old.uncovered_from, case when isfinite(old.next_run_at) then old.next_run_at end);
    new.uncovered_why := case when edited then 'edited' else coalesce(old.uncovered_why, 'disabled') end;
  end if;
  if new.every_seconds is not null and new.starts_at is null then
    new.starts_at := new.effective_from;
  end if;
  if edited or turned_on then
    new.last_error := case when new.last_error is distinct from old.last_error then new.last_error end;
    new.pause_note := case when new.pause_note is distinct from old.pause_note or not new.enabled then new.pause_note end;
  end if;
  if old.pending_due_at is not null and (edited or not new.enabled) then
    insert into headrace.fire (trigger_id, due_at, outcome, reason, triggered_by)
    values (old.id, old.pending_due_at, 'skipped', case when new.enabled then 'edited' else 'disabled' end, 'scheduler')
    on conflict do nothing;
    new.pending_due_at := null;
  end if;
  perform headrace._wake_schedulers(new);
  return new;
end $$;

-- A person set when the trigger is due next, or asked to compute it. Schedulers set next_run_at and fire_at together.
create or replace function headrace._due_time_set() returns trigger language plpgsql as $$
begin
  new.fire_at := new.next_run_at;
  if new.next_run_at is null then
    new.effective_from := clock_timestamp();
    new.uncovered_from := least(old.uncovered_from, case when isfinite(old.next_run_at) then old.next_run_at end);
    new.uncovered_why := coalesce(new.uncovered_why, 'edited');
  end if;
  perform headrace._wake_schedulers(new);
  return new;
end $$;

create or replace function headrace._trigger_created() returns trigger language plpgsql as $$
begin
  new.version := 1;
  new.effective_from := clock_timestamp();
  if new.every_seconds is not null and new.starts_at is null then
    new.starts_at := new.effective_from;
  end if;
  new.fire_at := new.next_run_at;
  perform headrace._wake_schedulers(new);
  return new;
end $$;

create or replace function headrace._trigger_deleted() returns trigger language plpgsql as $$
begin
  insert into headrace.deleted_trigger (id, tenant_id, name, definition_id)
  values (old.id, old.tenant_id, old.name, old.definition_id) on conflict (id) do nothing;
  if old.pending_due_at is not null then
    insert into headrace.fire (trigger_id, due_at, outcome, reason, triggered_by)
    values (old.id, old.pending_due_at, 'skipped', 'deleted', 'scheduler') on conflict do nothing;
  end if;
  return old;
end $$;

create or replace function headrace._trigger_goes_on() returns trigger language plpgsql as $$
begin
  new.stopped_at := null;
  return new;
end $$;

-- An edit turns on a trigger that an error turned off: if it is still wrong, the scheduler turns it off again with the reason.
create or replace function headrace._trigger_mended() returns trigger language plpgsql as $$
begin
  new.enabled := true;
  new.stopped_at := null;
  return new;
end $$;

-- A system job is fired for the system's tenant alone, whatever session writes the trigger. Security definer, for a tenant sees
-- itself only.
create or replace function headrace._refuse_system_job() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  if new.tenant_id <> headrace._system_tenant()
     and exists (select from headrace.definition where id = new.definition_id and system) then
    raise exception 'unknown definition "%"', (select key from headrace.definition where id = new.definition_id)
      using errcode = 'HR404', hint = 'Triggers of system jobs belong to the tenant "_headrace".';
  end if;
  return new;
end $$;
-- As for _refuse_leaving: no stranger puts it on a table of its own.
revoke all on function headrace._refuse_system_job from public;
