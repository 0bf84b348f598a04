-- Legal entities and the messaging use cases that are registered for them.

create table brands (
  account_id text collate "C" not null,
  id text collate "C" not null,
  status text not null check (status in ('DRAFT', 'PENDING', 'VERIFIED', 'UNVERIFIED', 'VETTED')),
  entity_type text not null,
  entity_name text,
  display_name text,
  ein text,
  website_url text,
  privacy_link text,
  street text,
  city text,
  state text,
  postal_code text,
  country text,
  first_name text,
  last_name text,
  email text,
  phone text,
  trust_score smallint check (trust_score between 0 and 100),
  review_notes jsonb not null default '[]',
  submitted_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (account_id, id)
);
create index brands_pending on brands (submitted_at) where status = 'PENDING';

create table campaigns (
  account_id text collate "C" not null,
  id text collate "C" not null,
  brand_id text collate "C" not null,
  status text not null check (status in ('DRAFT', 'PENDING', 'ACTIVE', 'SUSPENDED')),
  display_name text not null,
  usecase text,
  sub_usecases text[] not null default '{}',
  description text,
  consent_flow text,
  screenshot_url text,
  samples text[] not null default '{null,null,null,null,null}', -- five places
  optin_keywords text[] not null,
  optout_keywords text[] not null,
  help_keywords text[] not null,
  optin_message text not null,
  optout_message text not null,
  help_message text not null,
  is_low_volume boolean not null default false,
  hold_at_daily_cap boolean not null default false,
  acts_on_near_optout boolean not null default false,
  fee_paid boolean not null default false,
  sms_tpm_att integer,
  mms_tpm_att integer,
  daily_tmo_cap integer,
  monthly_fee_micros bigint,
  review_notes jsonb not null default '[]',
  suspended_for text check (suspended_for in ('operator', 'renewal')),
  submitted_at timestamptz,
  approved_at timestamptz,
  -- The paid period is [period_start, renews_at). renewal_day is the day of approval, kept because a
  -- short month clamps the date and the next long one gets it back.
  renewal_day smallint,
  period_start timestamptz,
  renews_at timestamptz,
  grace_until timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (account_id, id),
  foreign key (account_id, brand_id) references brands (account_id, id)
);
create index campaigns_brand on campaigns (account_id, brand_id);
create index campaigns_pending on campaigns (submitted_at) where status = 'PENDING';
create index campaigns_renewal on campaigns (renews_at) where renews_at is not null;
