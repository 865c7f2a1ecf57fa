-- Functions of the database as jobs. Beside a worker, started in this folder: headrace worker
--   headrace db psql -f jobs.sql
-- All of it may be run again.

create table if not exists public.cart (
  id          bigint generated always as identity primary key,
  customer    text not null,
  touched_at  timestamptz not null default now()
);

-- A SQL job's function takes nothing or one jsonb, and returns {"success", "message", "details"?, "commit"?} as jsonb.
-- What it raises as a notice is a line of the job's log, whatever becomes of its work. While it runs the search_path is its
-- own schema, so that here, and not in psql, "cart" is enough.
create or replace function public.remove_old_carts(payload jsonb) returns jsonb language plpgsql as $$
declare
  days constant int := coalesce((payload ->> 'days')::int, 30);
  removed int;
begin
  if days < 1 then
    return jsonb_build_object('success', false, 'message', format('days must be 1 or more, not %s', days));
  end if;
  raise notice 'removing carts that nobody touched for % days', days;
  delete from cart where touched_at < now() - days * interval '1 day';
  get diagnostics removed = row_count;
  if removed = 0 then
    raise warning 'there was nothing to remove';
  end if;
  return jsonb_build_object('success', true, 'message', format('%s carts removed', removed),
                            'details', jsonb_build_object('removed', removed, 'days', days));
end $$;

-- One that says no: what it wrote is taken back. With "commit": true beside it, it would stay.
create or replace function public.check_carts() returns jsonb language plpgsql as $$
begin
  insert into cart (customer) values ('nobody');
  raise notice 'wrote a cart that will not stay';
  return '{"success": false, "message": "a cart without a customer was found"}';
end $$;

-- SQL jobs log in as a role of their own, which may do what it is granted and nothing else. The embedded server has
-- made it: headrace_sql. On your own server, create it first.
revoke execute on function public.remove_old_carts(jsonb), public.check_carts() from public;
grant execute on function public.remove_old_carts(jsonb), public.check_carts() to headrace_sql;
grant select, insert, delete on public.cart to headrace_sql;

-- Make them known under a key; called again it changes them.
select headrace.define_sql_job('remove-old-carts', 'remove_old_carts', 'Removes carts that were left', timeout_seconds => 60);
select headrace.define_sql_job('check-carts', 'public.check_carts()', max_attempts => 1);

-- From here on they are jobs as any other: enqueued in your transaction, on a schedule, or by an event.
begin;
insert into public.cart (customer, touched_at) values
  ('Ada', now()), ('Grace', now() - interval '40 days'), ('Edsger', now() - interval '99 days');
select headrace.enqueue('remove-old-carts', '{"days": 30}');
commit;

select headrace.enqueue('remove-old-carts', '{"days": 0}', max_attempts => 1);
select headrace.enqueue('remove-old-carts', '{"days": "many"}', max_attempts => 1);
select headrace.enqueue('check-carts');

select headrace.schedule('old carts', 'remove-old-carts', '0 4 * * *', 'Europe/Berlin', payload => '{"days": 365}');
select headrace.trigger('old carts');
