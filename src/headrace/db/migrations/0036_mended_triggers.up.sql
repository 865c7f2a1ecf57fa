-- What an error turned off goes on when somebody edits it: if it is still wrong, the scheduler turns it off again and says why.

create function headrace._trigger_mended() returns trigger language plpgsql as $$
begin
  new.enabled := true;
  new.stopped_at := null;
  return new;
end $$;
-- Not what a person turned off, or failing jobs, which leave a note.
-- Before note_change, which then sees a trigger that was turned on: triggers run in the order of their names.
create trigger mend_stopped before update of
    definition_id, trigger_type, cron_expr, interval_seconds, timezone, starts_at, ends_at, max_fires, init_version,
    event_name, payload, condition, queue, priority, max_attempts, catch_up, catch_up_cap, misfire_grace_seconds, overlap,
    jitter_seconds, dedupe_window_seconds, pause_on_failures
  on headrace.trigger for each row
  when (not new.enabled and not old.enabled and new.stopped_at is not null and old.stopped_at is not null and
        old.last_error is not null and old.pause_note is null and new.pause_note is null and new.deleted_from_code_at is null and
        (new.definition_id, new.trigger_type, new.cron_expr, new.interval_seconds, new.timezone, new.starts_at,
          new.ends_at, new.max_fires, new.init_version, new.event_name, new.payload, new.condition, new.queue, new.priority,
          new.max_attempts, new.catch_up, new.catch_up_cap, new.misfire_grace_seconds, new.overlap, new.jitter_seconds,
          new.dedupe_window_seconds, new.pause_on_failures) is distinct from
        (old.definition_id, old.trigger_type, old.cron_expr, old.interval_seconds, old.timezone, old.starts_at,
          old.ends_at, old.max_fires, old.init_version, old.event_name, old.payload, old.condition, old.queue, old.priority,
          old.max_attempts, old.catch_up, old.catch_up_cap, old.misfire_grace_seconds, old.overlap, old.jitter_seconds,
          old.dedupe_window_seconds, old.pause_on_failures))
  execute function headrace._trigger_mended();
