-- Evidence for messages whose outcome is unknown: receipts with ids that no response gave us are matched by their fields.

alter table messages
  -- Since when its outcome is settled without proof of all of it: a receipt with an unknown id may still be about it. Null otherwise.
  add column unproven_at timestamptz;
-- Few rows, found by what a receipt names: our number and the phone.
create index messages_unproven on messages (account_id, number, peer)
  where settle_at is not null or unproven_at is not null;

-- What a receipt says besides the carrier's id.
alter table stray_receipts
  add column number text collate "C", -- ours, as the receipt has it
  add column peer text collate "C",
  add column submitted_at timestamptz,
  add column done_at timestamptz,
  add column body_start text,
  add column reference integer, -- our user_message_reference, where the carrier returns it
  add column is_unconfirmed boolean not null default false,
  add column is_opted_out boolean not null default false;
create index stray_receipts_numbers on stray_receipts (number, peer) where look_at is not null;

-- Ids in upper or lower case are found by their key. Only ids in mixed case need another index to be found in any case.
create index carrier_messages_folded on carrier_messages (link, lower(carrier_id))
  where carrier_id <> lower(carrier_id) and carrier_id <> upper(carrier_id);

-- What each link does with messages of unknown outcome, and for how many messages its receipts arrive, by the hour.
create table link_evidence (
  link text collate "C" not null,
  hour timestamptz not null,
  sent bigint not null default 0,      -- accepted by the carrier, with an id
  receipted bigint not null default 0, -- ended by a receipt
  unknown bigint not null default 0,   -- handed off, and no response came
  matched bigint not null default 0,   -- receipts with unknown ids that found their message
  resent bigint not null default 0,
  refunded bigint not null default 0,  -- settled without evidence
  recharged bigint not null default 0, -- refunded, and delivered after all
  forgiven bigint not null default 0,  -- the same, where the balance was too low
  primary key (link, hour)
);
