-- Definitions and triggers of these names whose jobs go to other queues.
-- name: list_elsewhere
select 'definition', d.key from headrace.definition as d where d.key = any($1::text[]) and not d.queue = any($3::text[])
union all
select 'trigger', t.name
  from headrace.trigger as t join headrace.definition as d on d.id = t.definition_id
 where t.tenant_id = headrace._tenant_id('default') and t.name = any($2::text[])
   and not coalesce(t.queue, d.queue) = any($3::text[])
