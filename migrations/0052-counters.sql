-- Every message is counted in the statement that writes or moves it (docs/decisions/0097). usage_changes gets a row for each
-- batch: what was accepted (from_status is null), what came in, and what moved. The schedule role adds them to
-- usage_counts, usage_sums and open_counts. Rows of the previous version have no route and are of OUTBOUND messages.
alter table usage_changes alter column from_status drop not null;
alter table usage_changes add column direction text not null default 'OUTBOUND';
alter table usage_changes add column route text;
alter table usage_changes add column segments bigint not null default 0;

-- Messages that were not sent yet, by lane: what a queue of a million would take too long to count.
create table open_counts (
  account_id text collate "C" not null,
  campaign_id text collate "C" not null,
  route text not null,
  status text not null,
  count bigint not null,
  primary key (account_id, campaign_id, route, status)
);

-- Whether open_counts has the messages of before.
alter table usage_progress add column is_open_counted boolean not null default false;

-- Messages created from this time on are counted when they are written. Processes of the previous version do not do that, so
-- it is some time after the migration. Without messages there is nothing to wait for.
create table usage_mark (
  only_row boolean primary key default true check (only_row),
  counted_from timestamptz not null
);
insert into usage_mark (counted_from)
select case when exists (select 1 from messages)
  then date_trunc('hour', now() + interval '2 hours') else timestamptz 'epoch' end;
