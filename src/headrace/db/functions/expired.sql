-- Deletes what has opened nothing for a while, a batch at a time; gives back how many rows went. Workers do this, and may not read
-- these tables: what goes is named here, and only what has expired does.
create or replace function headrace._delete_expired(what text, keep interval, at_most int) returns int
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  before constant timestamptz := now() - greatest(keep, interval '0');
  gone int;
begin
  case what
    when 'session' then
      delete from headrace.session
       where hash = any(array(select hash from headrace.session where expires_at < before limit at_most for update skip locked))
         and expires_at < before;
    when 'token' then
      delete from headrace.token
       where id = any(array(select id from headrace.token where least(expires_at, revoked_at) < before limit at_most for update skip locked))
         and least(expires_at, revoked_at) < before;
    when 'operation' then
      delete from headrace.operation
       where id = any(array(select id from headrace.operation where finished_at < before limit at_most for update skip locked))
         and finished_at < before;
    when 'audit' then
      -- Whatever a worker says, the newest day stays: a stolen login wipes no trace of itself.
      delete from headrace.audit
       where id = any(array(select id from headrace.audit where at < least(before, now() - interval '1 day')
                             limit at_most for update skip locked));
  end case;
  get diagnostics gone = row_count;
  return gone;
end $$;
revoke all on function headrace._delete_expired from public;
