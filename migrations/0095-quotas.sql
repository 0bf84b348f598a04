-- Quotas of accounts (docs/decisions/0141): an account's own limits, and counters that tell what it uses without reading its rows.

-- 0: no limit. Null: the setting of the installation.
alter table accounts add column queued_messages_max bigint;
alter table accounts add column stored_messages_max bigint;
alter table accounts add column media_bytes_max bigint;
alter table accounts add column webhooks_max bigint;

-- Files and bytes in media_files. The sum of an account's slots counts. Additions are spread over several slots, so uploads and received
-- files of an account do not wait for each other. Slot 0 has the removals and the corrections.
create table media_totals (
  account_id text collate "C" not null,
  slot smallint not null,
  files bigint not null,
  bytes bigint not null,
  counted_at timestamptz,
  primary key (account_id, slot)
);

comment on column media_totals.counted_at is 'Of slot 0: when the totals were last compared with the files';

-- Messages by the UTC day on which they were created. An account stores those that were added and not removed.
create table stored_counts (
  account_id text collate "C" not null,
  day date not null,
  added bigint not null,
  removed bigint not null,
  primary key (account_id, day)
);

-- Whether stored_counts has all messages of the account. Until then their number is unknown.
alter table usage_progress add column has_stored boolean not null default false;

-- Processes of the previous version do not add to stored_counts, so it is filled some time after the migration. Without counters there is
-- nothing to wait for.
alter table usage_mark add column stored_from timestamptz not null default 'epoch';
update usage_mark set stored_from = date_trunc('hour', now() + interval '2 hours')
  where exists (select 1 from usage_progress);
