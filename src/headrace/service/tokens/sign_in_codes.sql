-- Who makes a code clears away what is over.
-- name: make_code
with over as (delete from headrace.sign_in_code where expires_at <= now())
insert into headrace.sign_in_code (hash, token_id, expires_at)
select $2, id, now() + $3::interval from headrace.token
 where hash = $1 and revoked_at is null and (expires_at is null or expires_at > now())

-- Of two browsers at once the second finds no row any more.
-- name: redeem_code
with code as (delete from headrace.sign_in_code where hash = $1 returning token_id, expires_at)
select token.hash from code join headrace.token on token.id = code.token_id where code.expires_at > now()
