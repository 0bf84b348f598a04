-- Counters of messages without the steps of delivery times (docs/decisions/0097). Steps are most of the rows of
-- usage_counts, so a month by hour is read from here: a few rows per hour, whatever the volume.
create table usage_totals (
  account_id text collate "C" not null,
  unit text not null check (unit in ('hour', 'day')),
  start timestamptz not null,
  campaign_id text collate "C" not null,
  carrier text not null,
  direction text not null,
  status text not null,
  error_code integer not null,
  count bigint not null,
  primary key (account_id, unit, start, campaign_id, carrier, direction, status, error_code)
);

-- Whether usage_totals has all messages of the account. Until then reports read usage_counts.
alter table usage_progress add column has_totals boolean not null default false;

-- Processes of the previous version add to usage_counts only, so totals are filled some time after the migration. Without
-- counters there is nothing to wait for.
alter table usage_mark add column totals_from timestamptz not null default 'epoch';
insert into usage_mark (only_row, counted_from, totals_from)
select true, timestamptz 'epoch', case when exists (select 1 from usage_progress)
  then date_trunc('hour', now() + interval '2 hours') else timestamptz 'epoch' end
on conflict (only_row) do update set totals_from = excluded.totals_from;
