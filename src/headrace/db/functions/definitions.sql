-- Definitions: what code declares of them, and what operators change.

-- The definition as it is when code says this of its settings: a setting that still has the value declared last follows, and
-- one that an operator changed stays, unless forced.
create or replace function headrace._follow_code(d headrace.definition, says jsonb, forced boolean default false)
returns headrace.definition language sql stable as $$
  select jsonb_populate_record(d, (
    select jsonb_object_agg(name, said.value) from jsonb_each(says) as said (name, value)
     where forced or not d.declared ? name or d.declared -> name = to_jsonb(d) -> name))
$$;
