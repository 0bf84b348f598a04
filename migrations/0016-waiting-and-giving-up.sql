-- How long a message is worth sending, what its waiting costs it, and who has lost the carrier.
-- See docs/decisions/0052.

-- Null: four hours. expires_at, from when it was due, stands in the row only where it is not just that, or
-- where the message has been tried: most rows need no entry in the index.
alter table messages add column validity_seconds smallint;
create index messages_expiring on messages (campaign_id, route, expires_at)
  where due_at is not null and expires_at is not null;

-- The Pacific day on which it was last counted toward T-Mobile's cap: a retry of that day is not.
alter table messages add column counted_day text;

-- Whether the price was refunded. The same code costs something or nothing, by who stopped the message.
alter table messages add column is_refunded boolean not null default false;
update messages set is_refunded = true
where error_code in (1330, 1340, 1350, 1360, 1390, 1391, 1392, 1400, 1410);

-- While a campaign holds its messages at the daily cap, their time stands still: from and until, in
-- milliseconds, for as long as something waits that waited then.
alter table lanes add column holds jsonb not null default '[]';

-- Dispatchers that have lost the carrier, while they have: only they know, and everybody is asked.
create table lost_links (
  dispatcher text collate "C" primary key,
  carrier text not null,
  down_since timestamptz not null,
  seen_at timestamptz not null -- a row that nobody renews is that of a process that has ended
);
