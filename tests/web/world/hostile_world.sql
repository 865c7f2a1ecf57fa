-- Hostile text in every stored field that the dashboard shows, also where the API and the database would refuse it.
-- `hostile (n, s)` has the strings, `$tenant` stands for the tenant that looks.

alter table headrace.definition drop constraint definition_key_check, drop constraint definition_queue_check;
alter table headrace.lane drop constraint lane_queue_check;
alter table headrace.queue_pause drop constraint queue_pause_queue_check;
alter table headrace.queue_setting drop constraint queue_setting_queue_check;
alter table headrace.tenant drop constraint tenant_name_check;
alter table headrace.token drop constraint token_name_check;
alter table headrace.trigger drop constraint trigger_name_check, drop constraint trigger_event_check,
  drop constraint trigger_queue_check;
alter table headrace.alert_rule drop constraint alert_rule_name_check;
alter table headrace.alert_target drop constraint alert_target_name_check, drop constraint alert_target_address_check;

insert into headrace.definition (key, kind, app, description, tags, payload_schema, hash, queue, deleted_from_code_at,
                                 retention_days)
select s, 'python', s, s, array[s],
       jsonb_build_object('type', 'object', 'title', s, 'description', s, 'required', jsonb_build_array(s), 'properties',
         jsonb_build_object(s, jsonb_build_object('type', 'string', 'title', s, 'description', s, 'default', s,
                                                  'examples', jsonb_build_array(s)))),
       md5(s), s, case when s like '%/%' and n % 2 = 1 and n < 200 then now() end, case when n % 2 = 0 then 3 end
  from hostile;
insert into headrace.definition_pause (definition_id, note, paused_by)
select d.id, s, s from hostile join headrace.definition as d on d.key = s;
insert into headrace.lane (queue, definition_id) select s, d.id from hostile join headrace.definition as d on d.key = s
on conflict do nothing;
insert into headrace.queue_pause (queue, note, paused_by) select s, s, s from hostile;
insert into headrace.queue_setting (queue, max_running) select s, 3 from hostile;

insert into headrace.tenant (name, title) select s, s from hostile;
insert into headrace.tenant_pause (tenant_id, note, paused_by)
select t.id, s, s from hostile join headrace.tenant as t on t.name = s;
insert into headrace.token (name, hash, role, queues, created_by)
select s, sha256(s::bytea), 'worker', array[s], s from hostile;
insert into headrace.audit (who, role, action, tenant_id, target, detail)
select s, s, s, t.id, s, jsonb_build_object(s, s, 'name', jsonb_build_array(s, jsonb_build_object(s, s)))
  from hostile join headrace.tenant as t on t.name = s;
insert into headrace.worker (name, hostname, pid, version, queues, definitions, concurrency, lease, lease_expires_at,
                             principal)
select s, s, n, s, array[s], array[s], 4, interval '1 day', now() + interval '1 day', s from hostile;

insert into headrace.trigger (tenant_id, name, definition_id, trigger_type, event, cron, payload, condition,
                              enabled, pause_note, last_error, created_by, queue)
select t.id, case when event then s else 'at ' || s end, d.id, case when event then 'event' else 'schedule' end,
       case when event then s end, case when event then null else '30 2 * * *' end,
       case when event then jsonb_build_object(s, s) else jsonb_build_object('text', s) end,
       case when event then s end, not event, s, s, s, s
  from hostile, headrace.tenant as t, headrace.definition as d, unnest('{true,false}'::boolean[]) as event
 where t.name = '$tenant' and d.key = 'fail' and (event or n % 2 = 0);
insert into headrace.fire (trigger_id, due_at, outcome, reason, detail, n, triggered_by)
select tr.id, now() - n * interval '1 minute', 'skipped', s, s, 1, s
  from hostile join headrace.trigger as tr on tr.name = 'at ' || s;
insert into headrace.event (id, tenant_id, name, data, correlation_id, error)
select gen_random_uuid(), t.id, s, jsonb_build_object(s, s), s, s from hostile, headrace.tenant as t where t.name = '$tenant';
insert into headrace.delivery (event_id, trigger_id, outcome, reason, detail)
select e.id, tr.id, 'skipped', s, s
  from hostile join headrace.trigger as tr on tr.name = s join headrace.event as e on e.name = s;

insert into headrace.alert_target (tenant_id, name, kind, address, created_by)
select t.id, s, 'command', s, s from hostile, headrace.tenant as t where t.name = '$tenant';
insert into headrace.alert_rule (tenant_id, name, kind, parameters, targets, enabled, created_by)
select t.id, s, 'job_died', jsonb_build_object('definition', s), array[target.id], false, s
  from hostile, headrace.tenant as t, headrace.alert_target as target where t.name = '$tenant' and target.name = s;
insert into headrace.alert (rule_id, tenant_id, subject, since, last_seen, count, error, acknowledged_at, acknowledged_by,
                            closed_at, closed_by)
select rule.id, rule.tenant_id, s, now(), now(), 1, s, now(), s, case when n % 2 = 0 then now() end,
       case when n % 2 = 0 then s end
  from hostile join headrace.alert_rule as rule on rule.name = s;

-- What jobs have by themselves was enqueued, run and logged in earnest; what only the engine writes is written here.
update headrace.job set created_by = correlation_id, trace_context = correlation_id where correlation_id is not null;
update headrace.attempt as a
   set traceback = j.correlation_id, result = jsonb_build_object(j.correlation_id, j.correlation_id),
       detail = jsonb_build_object(j.correlation_id, j.correlation_id, 'stderr_tail', j.correlation_id || E'\n')
  from headrace.job as j where j.id = a.job_id and j.correlation_id is not null;
update headrace.progress set message = (select string_agg(s, ' ') from hostile);
