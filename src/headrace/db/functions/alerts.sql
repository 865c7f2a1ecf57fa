-- Seconds until the next look is due; null: there is nothing to look for, or no job to send notices with. Looks take no more
-- than a fiftieth of the time.
create or replace function headrace._alerts_due() returns float8 language sql stable as $$
  select date_part('epoch', looked_at + greatest(interval '5 seconds', 50 * took) - clock_timestamp())
    from headrace.alert_turn
   where exists (select from headrace.alert_rule where enabled)
     and exists (select from headrace.definition
                  where key = 'headrace.deliver_alert' and enabled and deleted_from_code_at is null)
$$;

-- The job that sends a notice belongs to the system's tenant, whatever tenant the notice has. A notice may name jobs of any
-- tenant, so the job carries nothing but the notice's id. Security definer, for a tenant sees no system jobs; a tenant may
-- only send its own notices.
create or replace function headrace._send_notice(notice_id uuid) returns uuid
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  own constant text := current_setting('headrace.tenant_id', true);
  sent uuid;
begin
  if not exists (select from headrace.alert_notice as n
                  where n.id = notice_id and (headrace._current_tenant() is null or n.tenant_id = headrace._current_tenant())) then
    raise exception 'unknown notice "%"', notice_id using errcode = 'HR404';
  elsif not exists (select from headrace.definition where key = 'headrace.deliver_alert') then
    raise exception 'no worker has registered the job that sends notices' using errcode = 'HR409',
      hint = 'Start a worker that runs built-in jobs (builtin.enabled).';
  end if;
  perform set_config('headrace.tenant_id', '', true);
  sent := headrace.enqueue('headrace.deliver_alert', tenant => '_headrace', source => 'alert', payload => jsonb_build_object(
    'notice_id', notice_id,
    'tenant', (select t.name from headrace.alert_notice as n join headrace.tenant as t on t.id = n.tenant_id where n.id = notice_id)));
  perform set_config('headrace.tenant_id', own, true);
  update headrace.alert_notice as n set job_id = sent where n.id = notice_id;
  perform pg_notify('headrace', 'lanes');
  return sent;
end $$;
revoke all on function headrace._send_notice from public;
