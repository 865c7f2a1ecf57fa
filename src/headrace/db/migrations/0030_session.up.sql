-- A browser that signed in. It holds a random secret in a cookie; known here by its hash, as tokens are. It stands for a token
-- and falls with it.
create table headrace.session (
  hash        bytea not null primary key check (length(hash) = 32),
  token_id    uuid not null references headrace.token (id) on delete cascade,
  created_at  timestamptz not null default now(),
  expires_at  timestamptz not null
);
create index session_token on headrace.session (token_id);
create index session_expires on headrace.session (expires_at);
