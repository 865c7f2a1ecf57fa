-- Newest first, by the index that fits: a branch whose condition does not hold is not run at all. Who and action have no
-- index, for each costs a write with every change: so many rows are looked at, and the answer says where that ended.
-- name: list_audit
with looked as materialized (
  select id, at, who, role, action, tenant_id, target, detail from (
    (select * from headrace.audit
      where $1::text is not null and target = $1 and id < $3
      order by id desc limit $8)
    union all
    (select * from headrace.audit
      where $1::text is null and $2::int is not null and tenant_id = $2 and id < $3
      order by id desc limit $8)
    union all
    (select * from headrace.audit
      where $1::text is null and $2::int is null and id < $3
      order by id desc limit $8)) as found
)
select looked.id, at, who, role, action, tenant.name as tenant, target, detail,
       (select case when count(*) = $8 then min(id) end from looked) as looked_to
  from (select 1) as always
  left join (select * from looked
              where ($2::int is null or tenant_id = $2) and ($4::text is null or who = $4) and ($5::text is null or action = $5)
                and ($6::timestamptz is null or at >= $6) and ($7::timestamptz is null or at < $7)
              order by id desc limit $9) as looked on true
  left join headrace.tenant on tenant.id = looked.tenant_id
 order by looked.id desc
