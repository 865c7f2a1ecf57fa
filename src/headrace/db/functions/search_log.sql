-- Words, "a phrase", prefix* and -excluded, all of which must hold. Null where there is nothing to look for.
create or replace function headrace._log_query(query text) returns tsquery language plpgsql immutable
set search_path = pg_catalog, pg_temp as $$
declare
  sign text;
  phrase text;
  word text;
  term tsquery;
  whole tsquery;
begin
  for sign, phrase, word in
    select m[1], m[2], m[3] from regexp_matches(query, '(-?)(?:"([^"]*)"?|([^\s"]+))', 'g') as m
  loop
    -- More than one word, as in c.py, means one after the other.
    term := phraseto_tsquery('simple', translate(coalesce(phrase, word), './-<&+', '      '));
    continue when numnode(term) = 0;
    if word like '%*' then
      if term::text ~ '''.''$' then
        raise exception 'the prefix "%" is too short', word using errcode = 'HR400', hint = 'Use at least two characters.';
      end if;
      term := (term::text || ':*')::tsquery;
    end if;
    term := case sign when '-' then !! term else term end;
    whole := case when whole is null then term else whole && term end;
  end loop;
  if whole is null and query ~ '\S' then
    raise exception 'the query "%" has no word', query using errcode = 'HR400',
      hint = 'Punctuation is not indexed; write a tilde before the text, for example ~=>.';
  end if;
  return whole;
end $$;

-- The definition by which lines and charts are asked for. To a tenant there are those that it may run and those of which it had jobs.
create or replace function headrace._asked_definition(wanted text) returns int language plpgsql stable
set search_path = pg_catalog, pg_temp as $$
declare
  own constant int := headrace._current_tenant();
  found_id constant int := (
    select id from headrace.definition as d
     where key = wanted
       and (own is null
            or exists (select from headrace.tenant as t
                        where t.id = own and (t.system or not d.system) and coalesce(t.name = any(d.tenants), true))
            or exists (select from headrace.rollup_total as had where had.tenant_id = own and had.definition_id = d.id)));
begin
  if found_id is null then
    raise exception 'unknown definition "%"', wanted using errcode = 'HR404';
  end if;
  return found_id;
end $$;

-- The newest lines that match, looked for backwards in time until there are enough or the time is over: that is the setting
-- headrace.search_seconds, or 200 ms where it is not set. Windows are sized by the time that is left. Order and cursor
-- are (at, job_id, run, seq); what comes back in "before" is where the next page begins, and so how far this one got.
-- First the newest lines one by one, among which common words are found; then window by window through the GIN index.
-- A query that begins with ~ is a substring, for which the newest 100,000 lines are read. The setting headrace.tenant
-- confines the caller. Planner switches stand in SET clauses, so that they end with the function.
create or replace function headrace.search_log(
  query text, tenant text, definition text, job_id uuid, level int, since timestamptz, until timestamptz, max_hits int,
  inout before_at timestamptz, inout before_job_id uuid, inout before_run int, inout before_seq int,
  out hits jsonb, out complete boolean
) language plpgsql security definer
set search_path = pg_catalog, pg_temp
set enable_seqscan = off
set enable_indexscan = on
set enable_bitmapscan = on
set max_parallel_workers_per_gather = 0
set work_mem = '64MB'
set client_min_messages = error
as $$
declare
  deadline constant timestamptz := clock_timestamp() + make_interval(secs => least(greatest(
    coalesce(nullif(current_setting('headrace.search_seconds', true), ''), '0.2')::float8, 0.01), 10));
  nobody constant uuid := '00000000-0000-0000-0000-000000000000';
  confined constant text := nullif(current_setting('headrace.tenant', true), '');
  part constant text := case when query like '~%' then lower(substr(query, 2)) end;
  words tsquery;
  asked int[] := '{}';
  levels int[];
  filter text := '';
  indexed boolean;
  to_walk int;
  step int;
  walk text;
  look text;
  leaf text;
  bottom timestamptz;  -- of what of a partition is searched
  newest timestamptz;  -- line in it that is not searched yet
  top timestamptz;     -- of a window
  low timestamptz;
  minutes int;         -- of the next window
  few_minutes int;     -- that have about a megabyte of lines
  pace float8;         -- seconds for a minute of lines
  buckets int[];
  began timestamptz;
  line record;
  nth bigint;
  matching jsonb[] := '{}';
  one_id int;
begin
  if octet_length(query) > 1000 then
    raise exception 'the query is too long (% bytes, at most 1000)', octet_length(query) using errcode = 'HR400';
  elsif max_hits is null or max_hits not between 1 and 1000 then
    raise exception 'a page has 1 to 1000 lines, not %', max_hits using errcode = 'HR400';
  elsif part = '' then
    raise exception 'there is no text after the tilde' using errcode = 'HR400';
  elsif tenant <> confined then
    raise exception 'unknown tenant "%"', tenant using errcode = 'HR404';
  end if;
  if part is null then
    words := headrace._log_query(query);
  end if;
  tenant := coalesce(confined, tenant);
  if tenant is not null then
    one_id := headrace._tenant_id(tenant);
    filter := filter || format(' and tenant_id = %s', one_id);
    asked := asked || one_id;
  end if;
  if definition is not null then
    one_id := headrace._asked_definition(definition);
    filter := filter || format(' and definition_id = %s', one_id);
    asked := asked || (-1000 - one_id);
  end if;
  if level is not null then
    filter := filter || format(' and level >= %s', level);
    levels := array(select -1 - ten from generate_series(greatest(level, 0) / 10, 10) as ten);
  end if;

  -- What can only be excluded is in no index, and the lines of one job are few.
  indexed := job_id is null and part is null
    and (coalesce(querytree(words) not in ('', 'T'), false) or asked <> '{}' or level is not null);
  to_walk := case when indexed then 1000 when part is not null and job_id is null then 100000 else 2147483647 end;
  step := case when indexed then 1000 else 5000 end;
  -- Each five-hundredth line comes too, matching or not, and says how far this is.
  walk := 'select at, job_id, run, seq, nth, case when matches then to_jsonb(walked) end as hit from ('
    || 'select line.*, row_number() over () as nth, (true' || filter
    || case when words is not null then ' and headrace._log_words(message) @@ $6'
            when part is not null then ' and strpos(lower(headrace._log_text(message)), $7) > 0' else '' end || ') as matches'
    || ' from (select * from ' || case when job_id is null then '%1$s' else '(select * from %1$s where job_id = $8 offset 0)' end
    || ' as leaf where (at, job_id, run, seq) < ($1, $2, $3, $4) and at >= $5'
    || ' order by at desc, job_id desc, run desc, seq desc limit %2$s) as line) as walked'
    || ' where matches or nth %% 500 = 0';
  -- Times are no condition for an index here: with old statistics the planner would prefer one on time to the GIN.
  look := 'select at, job_id, run, seq, to_jsonb(line) as hit from (select * from %1$s as leaf where %2$s'
    || case when asked <> '{}' then ' and headrace._log_tags(tenant_id, definition_id, level, at) @> $9' else '' end
    || case when level is not null then ' and headrace._log_tags(tenant_id, definition_id, level, at) && $10' else '' end
    || case when words is not null then ' and headrace._log_words(message) @@ $6' else '' end || filter
    || ' and (at + interval ''0'', job_id, run, seq) < ($1, $2, $3, $4) and at + interval ''0'' >= $5'
    || ' order by at desc, job_id desc, run desc, seq desc limit %3$s) as line';

  if before_at is null or until < before_at then
    before_at := coalesce(until, 'infinity'); before_job_id := nobody; before_run := 0; before_seq := 0;
  end if;
  complete := true;
  <<partitions>>
  for leaf, bottom in
    select format('headrace.%I', 'log_' || suffix), greatest(lower_bound, since) from headrace.log_partition
     where not leaving and lower_bound < before_at and (since is null or upper_bound > since) order by lower_bound desc
  loop
    complete := false;  -- and stays so when the loop is left
    begin
      nth := step;
      while to_walk > 0 and nth = step loop
        nth := 0;
        for line in execute format(walk, leaf, step)
          using before_at, before_job_id, before_run, before_seq, bottom, words, part, job_id
        loop
          nth := line.nth;
          before_at := line.at; before_job_id := line.job_id; before_run := line.run; before_seq := line.seq;
          if line.hit is not null then
            matching := array_append(matching, line.hit);
          end if;
          exit partitions when cardinality(matching) = max_hits or clock_timestamp() > deadline;
        end loop;
        to_walk := to_walk - nth;
      end loop;

      -- The walk ended before the partition did.
      if nth = step then
        exit partitions when not indexed;
        execute format('select max(at) from %s where at <= $1', leaf) into newest using before_at;
        perform set_config('enable_indexscan', 'off', true);
        -- The first window has about a megabyte of lines, or of a phrase, for which the index only knows candidates, a
        -- quarter. None has more than 32 times that: where a word was absent so far it may be in every line.
        few_minutes := least(1440, greatest(1, 1440 * case when words::text ~ '<' then 0.25e6 else 1e6 end
                                               / greatest(pg_relation_size(leaf::regclass), 1)));
        minutes := least(coalesce(minutes, few_minutes), 32 * few_minutes);
        loop
          top := least(newest, before_at - case when before_job_id = nobody then interval '1 microsecond' else '0' end);
          exit when top < bottom;
          if minutes >= 1440 then
            low := bottom;
          elsif minutes >= 60 then
            low := date_bin('1 hour', top, '2000-01-01 00:00:00+00') - (minutes / 60 - 1) * interval '1 hour';
            buckets := array(select headrace._log_hour(low + n * interval '1 hour')
                               from generate_series(0, minutes / 60 - 1) as n);
          else
            low := date_bin('1 minute', top, '2000-01-01 00:00:00+00') - (minutes - 1) * interval '1 minute';
            buckets := array(select headrace._log_minute(low + n * interval '1 minute')
                               from generate_series(0, minutes - 1) as n);
          end if;
          began := clock_timestamp();
          for line in execute format(look, leaf, case when minutes < 1440 then
              'headrace._log_tags(tenant_id, definition_id, level, at) && $11' else 'true' end, max_hits - cardinality(matching))
            using before_at, before_job_id, before_run, before_seq, greatest(low, bottom), words, part, job_id, asked,
                  levels, buckets
          loop
            matching := array_append(matching, line.hit);
            before_at := line.at; before_job_id := line.job_id; before_run := line.run; before_seq := line.seq;
          end loop;
          exit partitions when cardinality(matching) = max_hits;
          before_at := greatest(low, bottom); before_job_id := nobody; before_run := 0; before_seq := 0;
          -- Windows grow fourfold, but never beyond what takes half of the time left at this pace; a millisecond is what
          -- a window costs anyway. So a search ends near its deadline and not a whole window after it.
          pace := greatest(date_part('epoch', clock_timestamp() - began) - 0.001, 1e-7)
                  / greatest(date_part('epoch', top - before_at) / 60, 1);
          minutes := least(4 * minutes, 32 * few_minutes, 1440, 0.5 * date_part('epoch', deadline - clock_timestamp()) / pace - 0.5);
          exit partitions when minutes < 1;
        end loop;
        perform set_config('enable_indexscan', 'on', true);
      end if;
    exception when undefined_table then
      null;  -- too old, and dropped at this moment
    end;
    before_at := bottom; before_job_id := nobody; before_run := 0; before_seq := 0;
    complete := true;
  end loop;

  select coalesce(jsonb_agg(hit || jsonb_build_object('tenant', t.name, 'definition', d.key,
                                                      'fields', nullif((hit -> 'fields')::text, 'null')) order by ordinal), '[]')
    into hits
    from unnest(matching) with ordinality as given (hit, ordinal)
    left join headrace.tenant as t on t.id = (hit ->> 'tenant_id')::int
    left join headrace.definition as d on d.id = (hit ->> 'definition_id')::int;
end $$;
revoke all on function headrace.search_log from public;

-- Searches are made by the owner, for partitions are read by name; for one tenant only through this door.
create or replace function headrace.search_own_log(
  query text, definition text, job_id uuid, level int, since timestamptz, until timestamptz, max_hits int,
  inout before_at timestamptz, inout before_job_id uuid, inout before_run int, inout before_seq int,
  out hits jsonb, out complete boolean
) language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  own constant text := (select name from headrace.tenant where id = headrace._current_tenant());
  found record;
begin
  if own is null then
    raise exception 'no tenant is set' using errcode = 'HR404';
  end if;
  found := headrace.search_log(query, own, definition, job_id, level, since, until, max_hits,
                               before_at, before_job_id, before_run, before_seq);
  hits := found.hits; complete := found.complete; before_at := found.before_at; before_job_id := found.before_job_id;
  before_run := found.before_run; before_seq := found.before_seq;
end $$;
revoke all on function headrace.search_own_log from public;
