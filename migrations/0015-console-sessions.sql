-- People who are signed in to the console, and the links that sign them in once. Each stands for a token,
-- an account's or an operator's: a session ends with its token. Found by hash: a lookup table, not tenant data.
create table console_sessions (
  secret_hash bytea primary key,
  kind text not null check (kind in ('session', 'link')),
  token_hash bytea not null,
  created_at timestamptz not null,
  expires_at timestamptz not null
);
create index console_sessions_age on console_sessions (expires_at);
