-- The messaging use cases that are registered for a brand.

create table campaigns (
  account_id text collate "C" not null,
  id text collate "C" not null,
  brand_id text collate "C" not null,
  status text not null check (status in ('DRAFT', 'PENDING', 'ACTIVE', 'SUSPENDED', 'ENDED')),
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
  acts_on_near_optout boolean not null default true, -- the law's default; see docs/decisions/0030
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
  limits_set_by_operator boolean not null default false, -- else they follow the brand's score
  ended_at timestamptz, -- by its owner; see docs/decisions/0010
  primary key (account_id, id),
  foreign key (account_id, brand_id) references brands (account_id, id)
);
create index campaigns_brand on campaigns (account_id, brand_id);
create index campaigns_pending on campaigns (submitted_at) where status = 'PENDING';
create index campaigns_renewal on campaigns (renews_at) where renews_at is not null;
-- Those whose renewal is unpaid: a handful, looked at every few seconds.
create index campaigns_unpaid on campaigns (account_id, id) where grace_until is not null;
-- Operators name a record by its id alone.
create index campaigns_id on campaigns (id);
