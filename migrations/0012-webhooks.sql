-- Where events go, and how each try went.

create table webhooks (
  account_id text collate "C" not null,
  id text collate "C" not null,
  campaign_id text collate "C" not null,
  name text,
  url text not null,
  signature text not null, -- sent with every event, verbatim
  secret text not null,    -- signs, is never sent
  former_secret text,
  former_secret_until timestamptz,
  disabled_reason text, -- null while enabled
  failing_since timestamptz, -- the first failure after the last success
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (account_id, id)
);
create index webhooks_campaign on webhooks (account_id, campaign_id, id desc);
-- Operators name a record by its id alone.
create index webhooks_id on webhooks (id);

create table webhook_attempts (
  account_id text collate "C" not null,
  delivery_id text collate "C" not null,
  attempt integer not null, -- 1, 2, 3 …
  at timestamptz not null,
  request_body text, -- of the first try; every later one sends the same
  response_status smallint, -- null where no answer came
  duration_ms integer not null,
  response_body text,
  error text,
  primary key (account_id, delivery_id, attempt)
);
