-- A place is a queue and a priority. A tenant chooses places for its jobs within what an operator gave it; the application itself,
-- SQL by the owner and a super-admin, also one who acts for a tenant, choose any.

-- Whose choice this transaction carries out; null: of one who may choose any place. The service sets both settings. A session that
-- says nothing of headrace.any_place is bound.
create or replace function headrace._choosing_tenant() returns int language sql stable as $$
  select case when current_setting('headrace.any_place', true) = 'on' then null else headrace._current_tenant() end
$$;

-- The queues in which a tenant's jobs can be: those of definitions that it may run, those that it may choose, and those in which
-- jobs of it waited lately. Of other queues, and of who serves them, it learns nothing.
create or replace function headrace._queues_of(own int) returns text[] language sql stable as $$
  select array(
    select d.queue from headrace.definition as d join headrace.tenant as t on t.id = own
     where (t.system or not d.system) and coalesce(t.name = any(d.tenants), true)
     union select unnest(queues) from headrace.tenant where id = own
     union select lane.queue from headrace.queue_sample as s join headrace.lane on lane.id = s.lane_id where s.tenant_id = own)
$$;

-- The rule: what the tenant may choose of a place for jobs of a definition. What it may not choose comes back as null.
create or replace function headrace._allowed_place(
  def headrace.definition, queue text, priority int, out allowed_queue text, out allowed_priority int
) language plpgsql stable as $$
declare
  any_place constant boolean := headrace._choosing_tenant() is null;
  bound headrace.tenant;
begin
  select * into bound from headrace.tenant where id = headrace._choosing_tenant();
  if any_place or queue = def.queue or queue = any(bound.queues) then
    allowed_queue := queue;
  end if;
  if any_place or priority >= least(def.priority, bound.most_urgent_priority) then
    allowed_priority := priority;
  end if;
end $$;

-- Refuses a place that the tenant may not choose, and says which it may. Null is the definition's own.
create or replace function headrace._check_place(def headrace.definition, queue text, priority int) returns void
language plpgsql stable as $$
declare
  bound headrace.tenant;
  allowed record;
begin
  if headrace._choosing_tenant() is null then
    return;
  end if;
  allowed := headrace._allowed_place(def, queue, priority);
  select * into bound from headrace.tenant where id = headrace._choosing_tenant();
  if allowed.allowed_queue is distinct from queue then
    raise exception 'tenant "%" may not choose the queue "%" for jobs of "%"; allowed: %', bound.name, left(queue, 100), def.key,
      (select string_agg(distinct name, ', ') from unnest(def.queue || bound.queues) as name)
      using errcode = 'HR403', column = 'queue',
      hint = format('Omit the queue for the definition''s own, or have a super-admin allow it: headrace tenants update %s --queues %s',
                    bound.name, array_to_string(bound.queues || left(queue, 100), ','));
  end if;
  if allowed.allowed_priority is distinct from priority then
    raise exception 'tenant "%" may not choose the priority % for jobs of "%"; allowed: % to 1000 (lower runs first)', bound.name,
      priority, def.key, least(def.priority, bound.most_urgent_priority)
      using errcode = 'HR403', column = 'priority',
      hint = format('Omit the priority for the definition''s own, or have a super-admin allow it: headrace tenants update %s '
                    '--most-urgent-priority %s', bound.name, priority);
  end if;
end $$;

-- A trigger chooses a place for all its jobs, so the choice is checked where it is made: in its row. What the row had before,
-- another may have chosen, and it stays.
create or replace function headrace._check_place_of_trigger() returns trigger language plpgsql as $$
declare def headrace.definition;
begin
  if headrace._choosing_tenant() is not null and num_nonnulls(new.queue, new.priority) > 0 then
    select * into def from headrace.definition where id = new.definition_id;
    if tg_op = 'UPDATE' and new.definition_id = old.definition_id then
      perform headrace._check_place(def, nullif(new.queue, old.queue), nullif(new.priority, old.priority));
    else
      perform headrace._check_place(def, new.queue, new.priority);
    end if;
  end if;
  return new;
end $$;
