-- Exports of messages as CSV files, written in the background (docs/decisions/0128).

create table message_exports (
  account_id text collate "C" not null,
  id text collate "C" not null,
  name text not null,
  filter jsonb not null,
  status text not null,
  row_count integer not null,
  byte_count bigint not null,
  part_count integer not null,
  position text collate "C",
  is_truncated boolean not null,
  due_at timestamptz not null,
  created_at timestamptz not null,
  finished_at timestamptz,
  expires_at timestamptz not null,
  primary key (account_id, id),
  constraint message_exports_status_check check (status in ('RUNNING', 'DONE', 'FAILED'))
);

create unique index message_exports_running on message_exports (account_id) where status = 'RUNNING';
create index message_exports_due on message_exports (due_at) where status = 'RUNNING';
create index message_exports_expiry on message_exports (expires_at);

create table message_export_parts (
  account_id text collate "C" not null,
  export_id text collate "C" not null,
  part integer not null,
  content bytea not null,
  primary key (account_id, export_id, part)
);

comment on table message_exports is 'CSV files of messages, written in the background by the schedule role. One per account is written at a time';
comment on column message_exports.filter is 'As in the request, with the time of the request as the end';
comment on column message_exports.byte_count is 'Of the CSV file, uncompressed';
comment on column message_exports.position is 'The last message ID read. The next part continues below it. Null: nothing is read yet';
comment on column message_exports.is_truncated is 'The file has the maximum number of rows, and more messages match';
comment on column message_exports.due_at is 'When the next part is to be written; a claim moves it to the end of its lease';
comment on table message_export_parts is 'The content of an export, in order of part';
comment on column message_export_parts.content is 'Complete CSV lines, compressed with gzip. The first part begins with the header line';
