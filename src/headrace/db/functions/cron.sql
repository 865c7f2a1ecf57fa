-- SQL refuses what Python refuses, and what Python could not read. No pattern here has a backslash outside of E'…', so that
-- standard_conforming_strings does not matter.

-- What a word says in a field of a cron rule (1 minute, 2 hour, 3 day of month, 4 month, 5 day of week), or null.
create or replace function headrace._cron_value(field int, word text) returns int language sql immutable as $$
  select value from (select case
      when word ~ '^[0-9]+$' then case when length(ltrim(word, '0')) < 6 then word::numeric::int end
      when field = 4 then array_position(array['JAN', 'FEB', 'MAR', 'APR', 'MAY', 'JUN', 'JUL', 'AUG', 'SEP', 'OCT', 'NOV', 'DEC'], word)
      when field = 5 then array_position(array['SUN', 'MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT'], word) - 1 end as value) as said
   where value between (array[0, 0, 1, 1, 0])[field] and (array[59, 23, 31, 12, 7])[field]
$$;

-- What is wrong with one term of a field, or null.
create or replace function headrace._cron_term_problem(field int, term text) returns text language plpgsql immutable as $$
declare
  high constant int := (array[59, 23, 31, 12, 7])[field];
  takes constant text := format('it takes %s to %s%s, * for any, ranges, lists and steps', (array[0, 0, 1, 1, 0])[field], high,
    (array['', '', ', L (the last day), LW (the last weekday)', ' or JAN to DEC',
           ' or SUN to SAT (0 and 7 are Sunday), 5L (the last Friday), MON#2 (the second Monday)'])[field]);
  parts constant text[] := regexp_match(term, '^(?:[*]|([A-Z0-9]+)(?:-([A-Z0-9]+))?)(?:/([0-9]+))?$');
  first constant int := headrace._cron_value(field, parts[1]);
  last constant int := headrace._cron_value(field, parts[2]);
begin
  if field = 3 and term in ('L', 'LW') or field = 5 and (
       term ~ '^[0-7]L$' or (term ~ '^[A-Z0-9]+#[1-5]$' and headrace._cron_value(5, split_part(term, '#', 1)) is not null)) then
    return null;
  elsif term = '?' then
    return 'write * for any';
  elsif parts is null then
    return takes;
  elsif length(ltrim(parts[3], '0')) > 5 or parts[3]::numeric not between 1 and high then
    return format('a step is 1 to %s', high);
  elsif (first is null and parts[1] is not null) or (last is null and parts[2] is not null) then
    return takes;
  elsif last < first then
    return 'the range runs backwards; write it as a list or as two ranges';
  elsif last = first and parts[3] is not null then
    return 'a range of one value has no steps';
  end if;
  return null;
end $$;

-- The values of a field that was found right. Of days: -1 the last, -2 the last weekday. Of weekdays: 0 to 6, those from 10
-- on the nth (21 the second Monday), those from 60 on the last.
create or replace function headrace._cron_values(field int, text text) returns int[] language sql immutable as $$
  select array_agg(value) from string_to_table(text, ',') as term,
    lateral (select regexp_match(term, '^(?:[*]|([A-Z0-9]+)(?:-([A-Z0-9]+))?)(?:/([0-9]+))?$') as parts) as plain,
    lateral (
      select case term when 'L' then -1 when 'LW' then -2 end as value where field = 3 and term in ('L', 'LW')
      union all
      select 60 + left(term, 1)::int % 7 where field = 5 and term ~ '^[0-7]L$'
      union all
      select 10 * right(term, 1)::int + headrace._cron_value(5, split_part(term, '#', 1)) % 7 where field = 5 and term like '%#%'
      union all
      select case when field = 5 then value % 7 else value end
        from generate_series(
          coalesce(headrace._cron_value(field, parts[1]), (array[0, 0, 1, 1, 0])[field]),
          case when parts[1] is not null and parts[3] is null then headrace._cron_value(field, coalesce(parts[2], parts[1]))
               else coalesce(headrace._cron_value(field, parts[2]), (array[59, 23, 31, 12, 7])[field]) end,
          coalesce(parts[3]::numeric::int, 1)) as value
       where parts is not null and term not in ('L', 'LW') and not (field = 5 and term ~ '^[0-7]L$')) as said
$$;

-- Whether a day of these years is one that the rule names. Both fields of days must say so where one begins with *, as in
-- Debian's cron; else either does.
create or replace function headrace._cron_has_a_day(days int[], months int[], weekdays int[], both_say boolean, since int, until int)
returns boolean language sql immutable as $$
  select exists (
    select from (
      select date_part('day', day)::int as n, date_part('month', day)::int as month, date_part('dow', day)::int as weekday,
             date_part('day', date_trunc('month', day) + interval '1 month - 1 day')::int as last,
             date_part('dow', date_trunc('month', day) + interval '1 month - 1 day')::int as last_weekday
        from generate_series(make_timestamp(since, 1, 1, 0, 0, 0), make_timestamp(until, 12, 31, 0, 0, 0), interval '1 day') as day
       where date_part('month', day)::int = any(months)) as d,
      lateral (select
        n = any(days) or (n = last and -1 = any(days))
          or (-2 = any(days) and n = last - case last_weekday when 0 then 2 when 6 then 1 else 0 end) as by_day,
        weekday = any(weekdays) or 10 * ((n + 6) / 7) + weekday = any(weekdays)
          or (n + 7 > last and 60 + weekday = any(weekdays)) as by_weekday) as named
    where case when both_say then by_day and by_weekday else by_day or by_weekday end)
$$;

-- What is wrong with a cron rule, or null. A date that never comes only the scheduler finds out.
-- What is wrong with a cron rule, or null: Python's verdict, rule by rule.
create or replace function headrace._cron_problem(rule text) returns text language plpgsql immutable strict as $$
declare
  fields constant text[] := array['minute', 'hour', 'day of month', 'month', 'day of week'];
  -- What Python takes for blanks; and "C", in which a capital i has no dot whatever the language.
  said constant text := btrim(translate(upper(rule collate "C"), E'\t\n\x0B\f\r\x1C\x1D\x1E\x1F', repeat(' ', 9)));
  words constant text[] := array_remove(regexp_split_to_array(said, ' +'), '');
  days int[];
  months int[];
  weekdays int[];
  both_say constant boolean := '*' in (left(words[3], 1), left(words[5], 1));
  term text;
  problem text;
begin
  if length(rule) > 200 then
    return format('it has %s characters; at most 200 are allowed', length(rule));
  elsif octet_length(convert_to(rule, 'UTF8')) <> length(rule) then
    return 'it has five fields of ASCII characters';
  elsif cardinality(words) = 1 and said like '@%' then
    return case when said not in ('@YEARLY', '@ANNUALLY', '@MONTHLY', '@WEEKLY', '@DAILY', '@MIDNIGHT', '@HOURLY') then
      format('the shorthand "%s" is not known; there are @yearly, @annually, @monthly, @weekly, @daily, @midnight, @hourly',
             lower(said collate "C")) end;
  elsif cardinality(words) <> 5 then
    return format('it has %s fields and not five: minute, hour, day of month, month, day of week', cardinality(words));
  end if;
  for i in 1..5 loop
    foreach term in array string_to_array(words[i], ',') loop
      problem := headrace._cron_term_problem(i, term);
      if problem is not null then
        return format('the %s "%s" is not valid: %s', fields[i], term, problem);
      end if;
    end loop;
  end loop;
  days := headrace._cron_values(3, words[3]);
  months := headrace._cron_values(4, words[4]);
  weekdays := headrace._cron_values(5, words[5]);
  -- Most rules have a day in every month, and nearly all one in the first year. The calendar repeats itself after 28.
  if not (weekdays @> array[0, 1, 2, 3, 4, 5, 6] and 29 > any(days))
     and not headrace._cron_has_a_day(days, months, weekdays, both_say, 2000, 2000)
     and not headrace._cron_has_a_day(days, months, weekdays, both_say, 2001, 2027) then
    return format('no date ever matches day of month "%s", month "%s" and day of week "%s" together', words[3], words[4], words[5]);
  end if;
  return null;
end $$;
