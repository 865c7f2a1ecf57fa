-- What jobs print and log: the lines in daily partitions, and their search.

-- ANSI escapes are kept for display and are nothing to search for.
create function headrace._log_text(message text) returns text language sql immutable parallel safe as $$
  select case when strpos(message, e'\x1b') = 0 then message
              else regexp_replace(message, e'\x1b(\\[[0-?]*[ -/]*[@-~]|\\][^\x07\x1b]*(\x07|\x1b\\\\)?|[@-Z\\\\^_])', '', 'g') end
$$;

-- The parser would take a dotted name for a host, a path for one word, -42 for a number and <module> for markup, and
-- nobody would find their parts. Blanked on both sides; nested calls of replace are eight times as fast as translate.
create function headrace._log_words(message text) returns tsvector language sql immutable parallel safe as $$
  select to_tsvector('pg_catalog.simple'::regconfig,
    replace(replace(replace(replace(replace(replace(headrace._log_text(message),
      '.', ' '), '/', ' '), '-', ' '), '<', ' '), '&', ' '), '+', ' '))
$$;

-- Filters within the GIN index, as integers that never meet: tenants are positive, tens of levels from -1 to -11,
-- definitions below -1000, minutes from minus one and hours from minus two billion down. With minutes and hours a
-- search reads as much of the index as the stretch of time that it looks at, and not a whole day.
create function headrace._log_minute(at timestamptz) returns int language sql immutable parallel safe as $$
  select -1000000000 - floor(date_part('epoch', at - timestamptz '2000-01-01 00:00:00+00') / 60)::int
$$;
create function headrace._log_hour(at timestamptz) returns int language sql immutable parallel safe as $$
  select -2000000000 - floor(date_part('epoch', at - timestamptz '2000-01-01 00:00:00+00') / 3600)::int
$$;
create function headrace._log_tags(tenant_id int, definition_id int, level smallint, at timestamptz) returns int[]
language sql immutable parallel safe as $$
  select array[tenant_id, -1000 - definition_id, -1 - level / 10, headrace._log_minute(at), headrace._log_hour(at)]
$$;

-- "at" is the database's time as the run's writer reckons it, never now(): a batch would share it. It is in the key
-- because partitions ask for it, so only a repeat of the very same line is refused.
create table headrace.log (
  tenant_id      int not null,
  definition_id  int not null,
  job_id         uuid not null,
  run            int not null,
  seq            int not null,
  at             timestamptz not null,
  level          smallint not null check (level between 0 and 100),
  stream         smallint not null,
  message        text not null,
  fields         jsonb,
  primary key (job_id, run, seq, at)
) partition by range (at);
create index log_at on headrace.log (at);
-- Tags first: GIN steps through what the first condition allows, and a word is in more lines than a minute has.
create index log_search on headrace.log using gin (
  headrace._log_tags(tenant_id, definition_id, level, at), headrace._log_words(message));

-- "leaving": old, and no longer written to or searched, but perhaps not yet gone.
create table headrace.log_partition (
  lower_bound  timestamptz primary key,
  upper_bound  timestamptz not null unique,
  suffix       text not null unique,
  leaving      boolean not null default false,
  check (lower_bound < upper_bound)
);

-- A table of its own and then attached, as for jobs, so that nobody waits.
create function headrace._create_log_partition(lower_bound timestamptz, upper_bound timestamptz) returns void
language plpgsql as $$
declare
  suffix text := to_char(lower_bound at time zone 'UTC', 'YYYYMMDD');
begin
  execute format('create table headrace.%I (like headrace.log including all)', 'log_' || suffix);
  execute format('alter table headrace.log attach partition headrace.%I for values from (%L) to (%L)',
                 'log_' || suffix, lower_bound, upper_bound);
  insert into headrace.log_partition values (lower_bound, upper_bound, suffix);
end $$;

-- Makes what is missing up to so many whole days beyond this one; gives back how many it made.
create function headrace._create_log_partitions(days_ahead int default 3) returns int language plpgsql as $$
declare
  today timestamptz := date_trunc('day', now() at time zone 'UTC') at time zone 'UTC';
  next_bound timestamptz;
  made int := 0;
begin
  perform pg_advisory_xact_lock(hashtextextended('headrace.log_partitions', 0));
  select coalesce(max(upper_bound), today) into next_bound from headrace.log_partition;
  if next_bound < today then
    perform headrace._create_log_partition(next_bound, today);
    next_bound := today;
    made := made + 1;
  end if;
  while next_bound < today + (days_ahead + 1) * interval '24 hours' loop
    perform headrace._create_log_partition(next_bound, next_bound + interval '24 hours');
    next_bound := next_bound + interval '24 hours';
    made := made + 1;
  end loop;
  return made;
end $$;

select headrace._create_log_partitions();

-- Words, "a phrase", prefix* and -excluded, all of which must hold. Null where there is nothing to look for.
create function headrace._log_query(query text) returns tsquery language plpgsql immutable
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
        raise exception 'the prefix "%" is too short', word using errcode = 'HR400', hint = 'At least two characters, please.';
      end if;
      term := (term::text || ':*')::tsquery;
    end if;
    term := case sign when '-' then !! term else term end;
    whole := case when whole is null then term else whole && term end;
  end loop;
  if whole is null and query ~ '\S' then
    raise exception 'there is no word in "%"', query using errcode = 'HR400',
      hint = 'Signs alone are not indexed; look for them with a tilde before the text, such as ~=>.';
  end if;
  return whole;
end $$;

-- The newest lines that match, looked for backwards in time until there are enough or 200 ms are over. Order and cursor
-- are (at, job_id, run, seq); what comes back in "before" is where the next page begins, and so how far this one got.
-- First the newest lines one by one, among which common words are found; then window by window through the GIN index.
-- A query that begins with ~ is a substring, for which the newest 100,000 lines are read. The setting headrace.tenant
-- confines whoever calls. Planner switches stand in SET clauses, so that they end with the function.
create function headrace.search_log(
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
  deadline constant timestamptz := clock_timestamp() + interval '200 milliseconds';
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
  minutes int;
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
    select id into one_id from headrace.definition where key = search_log.definition;
    if one_id is null then
      raise exception 'unknown definition "%"', definition using errcode = 'HR404';
    end if;
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
        -- A small partition is one window. Large ones, and phrases, for which the index only knows candidates, begin
        -- with a minute; windows grow while they are quick.
        minutes := case when pg_relation_size(leaf::regclass) < 32e6 then 1440
                        when pg_relation_size(leaf::regclass) > 512e6 or words::text ~ '<' then 1 else 64 end;
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
          exit partitions when clock_timestamp() > deadline;
          minutes := case when clock_timestamp() - began < interval '20 milliseconds' then least(minutes * 4, 1024)
                          when clock_timestamp() - began > interval '60 milliseconds' then greatest(minutes / 4, 1)
                          else minutes end;
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
