-- Legal entities, for which campaigns are registered.

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
-- Operators name a record by its id alone.
create index brands_id on brands (id);
