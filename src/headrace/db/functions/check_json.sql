-- Why Python could not read a JSON value, or null. Python takes no whole number of more than 4,300 digits; jsonb writes 1e5000
-- out. To be asked only of what may be so: a value of at most 8 bytes for each level (nothing nests in less), whose text is no
-- longer than a number may be, is fine.
create or replace function headrace._json_problem(value jsonb, deepest int default 200, longest int default 4300) returns text
language plpgsql immutable as $$
declare
  written constant bytea := convert_to(value::text, 'UTF8');
begin
  if jsonb_path_exists(value, format('strict $.**{%s} ? (@.type() == "object" || @.type() == "array")', deepest)::jsonpath) then
    return format('it is nested more than %s deep', deepest);
  -- Looking at every number takes five times as long as looking for digits here and there, which so long a number cannot evade.
  elsif exists (select from generate_series(0, octet_length(written) - 64, longest / 2) as place
                 where get_byte(written, place) between 48 and 57
                   and encode(substring(written from place + 1 for 64), 'escape') ~ '^[0-9]{64}$')
        and jsonb_path_exists(value, format('strict $.** ? (@ >= 1e%s || @ <= -1e%1$s)', longest)::jsonpath) then
    return format('it has a number of more than %s digits', longest);
  end if;
  return null;
end $$;

-- The sentence for payloads of which one will not do; or it returns, for what only seemed to be too deep.
create or replace function headrace._refuse_payloads(payloads jsonb[]) returns void language plpgsql immutable as $$
declare problem text;
begin
  if exists (select from unnest(payloads) as payload where payload is null or jsonb_typeof(payload) <> 'object') then
    raise exception 'a payload must be a JSON object of arguments, not %',
      (select coalesce(jsonb_typeof(payload), 'null') from unnest(payloads) as payload
        where payload is null or jsonb_typeof(payload) <> 'object' limit 1)
      using errcode = 'HR400', hint = 'Pass the arguments by name, such as {"n": 1}.';
  elsif exists (select from unnest(payloads) as payload where pg_column_size(payload) > 1048576) then
    raise exception 'a payload is too large (at most 1 MB)' using errcode = 'HR413', hint = 'Store the data elsewhere and pass a reference.';
  end if;
  select said into problem from unnest(payloads) as payload, headrace._json_problem(payload) as said where said is not null limit 1;
  if problem is not null then
    raise exception 'a payload cannot be read back: %', problem using errcode = 'HR400',
      hint = 'Use fewer levels, and pass large numbers as text.';
  end if;
end $$;
