-- What tables do by themselves. Apart from the functions, because the replacement of a trigger locks its table against writers.

create or replace trigger tell_workers after insert or delete or update of paused on headrace.lane
  for each statement execute function headrace._tell_lanes_changed();
create or replace trigger tell_workers
  after update of enabled, timeout_seconds, retry_base_seconds, retry_cap_seconds, retry_jitter_seconds on headrace.definition
  for each statement execute function headrace._tell_lanes_changed();
-- Columns that a scheduler's advance does not set, so that it pays nothing here.
create or replace trigger note_change before update of
    name, definition_id, enabled, {trigger}
  on headrace.trigger for each row
  when ((new.name, new.definition_id, new.enabled, new.{trigger}) is distinct from
        (old.name, old.definition_id, old.enabled, old.{trigger}))
  execute function headrace._trigger_changed();
create or replace trigger note_due_time before update of next_run_at on headrace.trigger for each row
  when (new.next_run_at is distinct from old.next_run_at and new.fire_at is not distinct from old.fire_at)
  execute function headrace._due_time_set();
create or replace trigger note_creation before insert on headrace.trigger for each row execute function headrace._trigger_created();
create or replace trigger note_deletion before delete on headrace.trigger for each row execute function headrace._trigger_deleted();
create or replace trigger count_enqueued after insert on headrace.queue
  referencing new table as new_rows for each statement execute function headrace._count_enqueued();
create or replace trigger tell_workers after insert or update or delete on headrace.queue_pause
  for each statement execute function headrace._tell_lanes_changed();
create or replace trigger tell_workers after insert or update or delete on headrace.definition_pause
  for each statement execute function headrace._tell_lanes_changed();
create or replace trigger limits_changed after update of max_concurrency, concurrency_key, max_concurrency_per_key, rate_limit,
  rate_period_seconds, rate_burst, rate_per_key, tenants on headrace.definition
  for each row when ((new.max_concurrency, new.concurrency_key, new.max_concurrency_per_key, new.rate_limit, new.rate_period_seconds,
                      new.rate_burst, new.rate_per_key, new.tenants)
    is distinct from (old.max_concurrency, old.concurrency_key, old.max_concurrency_per_key, old.rate_limit, old.rate_period_seconds,
                      old.rate_burst, old.rate_per_key, old.tenants))
  execute function headrace._limits_changed();
create or replace trigger limits_changed after insert or update on headrace.queue_setting
  for each row execute function headrace._limits_changed();
create or replace trigger limits_changed after update of max_running, weight on headrace.tenant
  for each row when ((new.max_running, new.weight) is distinct from (old.max_running, old.weight))
  execute function headrace._limits_changed();
create or replace trigger limits_changed after insert on headrace.tenant_pause
  for each row execute function headrace._limits_changed();
create or replace trigger tell_workers after update or delete on headrace.tenant_pause
  for each statement execute function headrace._tell_lanes_changed();
create or replace trigger refuse_system_job before insert or update of definition_id, tenant_id on headrace.trigger
  for each row execute function headrace._refuse_system_job();
create or replace trigger check_place before insert or update of queue, priority, definition_id on headrace.trigger
  for each row execute function headrace._check_place_of_trigger();
create or replace trigger refuse_leaving before update of final on headrace.attempt
  for each row when (old.final is not null and new.final is null) execute function headrace._refuse_leaving();
create or replace trigger note_going_on before update of enabled on headrace.trigger for each row
  when (new.enabled and new.stopped_at is not null) execute function headrace._trigger_goes_on();
-- Not what a person turned off, or failing jobs, which leave a note.
-- Before note_change, which then sees a trigger that was turned on: triggers run in the order of their names.
create or replace trigger mend_stopped before update of
    definition_id, {trigger}
  on headrace.trigger for each row
  when (not new.enabled and not old.enabled and new.stopped_at is not null and old.stopped_at is not null and
        old.last_error is not null and old.pause_note is null and new.pause_note is null and new.deleted_from_code_at is null and
        (new.definition_id, new.{trigger}) is distinct from (old.definition_id, old.{trigger}))
  execute function headrace._trigger_mended();
