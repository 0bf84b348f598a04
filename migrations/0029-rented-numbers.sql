-- Numbers that are a provider's: ordered, bound and released there (docs/decisions/0076).

-- From the order to the return, one row each: what is to be done at the provider, and how far it is. The row is the work.
create table rented_numbers (
  account_id text collate "C" not null,
  id text collate "C" not null, -- the reference that the provider is given with the order
  phone_number text collate "C" not null,
  campaign_id text collate "C" not null, -- that it was bought for
  link text collate "C" not null,
  phase text not null, -- order, bind, held, release
  since timestamptz not null, -- when the phase began
  charged_micros bigint not null,
  purchased_at timestamptz not null,
  ordered_at timestamptz, -- when an order was last about to leave: from then on there may be one
  number_id text, -- the provider's own, once it is ours
  is_forwarding_due boolean not null default false, -- what is set here is not set there yet
  attempts integer not null default 0, -- in vain, since the last success
  last_error text,
  due_at timestamptz, -- when somebody should look, or a lease ends; null: nothing is to be done
  primary key (account_id, id)
);
create index rented_numbers_due on rented_numbers (due_at) where due_at is not null;
create index rented_numbers_number on rented_numbers (account_id, phone_number);

-- What holds a campaign's numbers at a provider: a messaging profile, a messaging service, an application.
create table campaign_profiles (
  account_id text collate "C" not null,
  campaign_id text collate "C" not null,
  link text collate "C" not null,
  profile_id text, -- null: somebody has begun to make it
  begun_at timestamptz not null,
  primary key (account_id, campaign_id, link)
);

alter table numbers
  add column link text, -- null: of our own stock
  add column status_reason text; -- why it is not ACTIVE, in words
