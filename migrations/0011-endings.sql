-- What an end still has to do and what it has done. Its numbers and messages are gone through in portions,
-- by the request and by whoever has the role schedule: the row is the work, and look_at says when.

create table campaign_endings (
  account_id text collate "C" not null,
  campaign_id text collate "C" not null,
  move_numbers_to text collate "C", -- null: its numbers are released
  ended_at timestamptz not null,
  phase text not null, -- optouts, numbers, late_optouts, messages, settling
  optouts_after text collate "C" not null default '', -- carried over up to this recipient
  numbers_released integer not null default 0,
  numbers_moved integer not null default 0,
  messages_cancelled integer not null default 0,
  refunded_micros bigint not null default 0,
  look_at timestamptz, -- null: finished
  primary key (account_id, campaign_id)
);
create index campaign_endings_open on campaign_endings (look_at) where look_at is not null;
