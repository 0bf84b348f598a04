-- Numbers for sale and numbers in use. Both are found by the number before an account is known, so
-- they are lookup tables, not tenant data.

create table inventory_numbers (
  number text collate "C" primary key,
  area_code text collate "C" not null,
  location text not null,
  monthly_price_micros bigint not null
);
create index inventory_numbers_area on inventory_numbers (area_code, number);

create table numbers (
  phone_number text collate "C" primary key,
  account_id text collate "C" not null,
  campaign_id text collate "C" not null,
  is_default boolean not null default false,
  status text not null default 'ACTIVE',
  forward_number text,
  location text not null,
  monthly_price_micros bigint not null,
  purchased_at timestamptz not null
);
create index numbers_campaign on numbers (account_id, campaign_id, purchased_at);
create unique index numbers_default on numbers (account_id, campaign_id) where is_default;
-- The list over all campaigns.
create index numbers_account on numbers (account_id, purchased_at, phone_number);
