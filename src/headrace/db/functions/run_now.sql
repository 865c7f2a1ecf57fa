create or replace function headrace._trigger_or_error(wanted text, tenant text) returns headrace.trigger language plpgsql stable as $$
declare t headrace.trigger;
begin
  select * into t from headrace.trigger where tenant_id = headrace._tenant_id(tenant) and name = wanted;
  if t.id is null then
    raise exception 'unknown trigger "%" of tenant "%"', wanted, tenant using errcode = 'HR404';
  end if;
  return t;
end $$;

-- A job of a trigger that is live, if there is one. Where the trigger does not care its jobs do not carry its id: then
-- among the newest.
create or replace function headrace._live_job_of(of_trigger_id uuid) returns uuid language sql stable as $$
  (select job_id from headrace.queue where overlap_id = of_trigger_id limit 1)
  union all
  (select job_id from headrace.queue
    where job_id = any(array(select job_id from headrace.fire where trigger_id = of_trigger_id and outcome = 'fired'
                              order by due_at desc limit 100))
    limit 1)
  limit 1
$$;

-- Runs a trigger now, also one that is disabled. With overlap 'skip' not while a job of it is live. A lock first and
-- then a look: a statement that waited for the lock would still look with its old snapshot.
create or replace function headrace._run_now(of_trigger_id uuid, with_payload jsonb, with_overlap text, by_whom text)
returns headrace.fire language plpgsql as $$
declare
  t headrace.trigger;
  def headrace.definition;
  lane int;
  result headrace.fire;
begin
  select * into t from headrace.trigger where id = of_trigger_id for no key update;
  if t.id is null then
    raise exception 'unknown trigger "%"', of_trigger_id using errcode = 'HR404';
  end if;
  def := headrace._runnable((select key from headrace.definition where id = t.definition_id), t.tenant_id, known => true);
  perform headrace._refuse_secrets(def, array[with_payload]);
  result.trigger_id := t.id;
  result.due_at := clock_timestamp();
  result.occasion := gen_random_uuid();
  result.at := result.due_at;
  result.triggered_by := 'manual';
  result.outcome := 'fired';
  if with_overlap = 'skip' then
    result.job_id := headrace._live_job_of(t.id);
    if result.job_id is not null then
      result.outcome := 'skipped';
      result.reason := 'overlap';
    end if;
  end if;
  if result.outcome = 'fired' then
    result.job_id := (headrace._job_ids(1))[1];
    lane := headrace._lane(coalesce(t.queue, def.queue), def.id);
    perform headrace._insert_jobs(def, array[result.job_id], t.tenant_id, lane, array[with_payload], t.priority, t.max_attempts,
      overlap_ids => array[case when t.overlap <> 'allow' then t.id end], from_source => 'manual', source_refs => array[t.id],
      scheduled_fors => array[result.due_at], by_whom => by_whom);
    update headrace.trigger set runs = runs + 1, last_run_at = result.due_at where id = t.id;
  end if;
  insert into headrace.fire select (result).*;
  return result;
end $$;

-- {"success": true, "job_id": …, "name": …}; not, with the reason, while a job of it is live and the trigger minds that.
create or replace function headrace.trigger(name text, tenant text default 'default') returns jsonb language plpgsql as $$
declare
  t headrace.trigger;
  problem text;
  ran headrace.fire;
begin
  if headrace._by_integrator() then
    return headrace._own_trigger(name, tenant);
  end if;
  t := headrace._trigger_or_error(name, tenant);
  problem := headrace._json_problem(t.payload);
  if t.trigger_type = 'event' then
    raise exception 'trigger "%" waits for the event "%"', name, t.event using errcode = 'HR409',
      hint = 'Emit the event with headrace.emit.';
  elsif t.payload::text like '%{{%' then
    raise exception 'the payload of trigger "%" has placeholders, which SQL alone cannot render', name
      using errcode = 'HR409', hint = 'Fire the trigger from Python, from the command line or over the API.';
  elsif problem is not null then
    raise exception 'the payload of trigger "%" cannot be read back: %', name, problem using errcode = 'HR409',
      hint = 'Give the trigger another payload.';
  end if;
  ran := headrace._run_now(t.id, t.payload, case when t.overlap = 'allow' then 'allow' else 'skip' end, session_user);
  return jsonb_strip_nulls(jsonb_build_object(
    'success', ran.outcome = 'fired', 'job_id', ran.job_id, 'name', t.name, 'reason', ran.reason));
end $$;
