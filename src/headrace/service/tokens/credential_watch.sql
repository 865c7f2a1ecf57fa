-- Of these hashes, those of tokens and sessions that open something now. It notes no use: an open page is none.
-- name: good_credentials
select hash from headrace.token
 where hash = any($1::bytea[]) and revoked_at is null and (expires_at is null or expires_at > now())
 union all
select session.hash from headrace.session join headrace.token as t on t.id = session.token_id
 where session.hash = any($1::bytea[]) and session.expires_at > now()
   and t.revoked_at is null and (t.expires_at is null or t.expires_at > now())
