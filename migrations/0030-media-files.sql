-- Files of messages: each kept once by its content, what was made smaller of it beside it, and what is still to be
-- fetched from carriers. See docs/decisions/0026.

create table media_files (
  account_id text collate "C" not null,
  -- SHA-256 of the file as it came, in base64url.
  hash text collate "C" not null,
  -- 0: as it came. Else what was made of it to fit into so many octets.
  bytes_max integer not null default 0,
  content_type text not null,
  content bytea not null,
  -- When it was needed last, and when to look whether anybody still needs it.
  used_at timestamptz not null,
  look_at timestamptz not null,
  primary key (account_id, hash, bytes_max)
);
create index media_files_look on media_files (look_at);
-- Pictures do not get smaller by compressing them again.
alter table media_files alter column content set storage external;

-- Of files that are kept by their content; the octets of others are in the row itself.
alter table media add column hash text collate "C";
create index media_hash on media (account_id, hash) where hash is not null;

-- Media that came in and are still with the carrier, found by their id, which is a public address.
create table media_fetches (
  id text collate "C" primary key,
  account_id text collate "C" not null,
  message_id text collate "C" not null,
  link text not null,
  url text not null,
  attempts smallint not null default 0,
  due_at timestamptz not null
);
create index media_fetches_due on media_fetches (due_at);
create index media_fetches_message on media_fetches (account_id, message_id);

-- What addresses of files are signed with, the same for every process. One row.
create table media_key (
  only_row boolean primary key default true check (only_row),
  octets bytea not null
);

-- The files that go out with a message, where its link fetches them from us.
alter table messages add column media_files text[];
