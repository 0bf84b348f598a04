-- Brands and campaigns that are registered through a provider (docs/decisions/0081).

-- One row for each, from its submission to its end: what is to be done at the provider, and how far it is. The row is the work.
create table registrations (
  account_id text collate "C" not null,
  record_id text collate "C" not null, -- of the brand or the campaign
  kind text not null, -- brand, campaign
  link text collate "C" not null,
  state text not null, -- submit, review, registered, suspended, returned, end
  since timestamptz not null, -- when the state began
  reference text collate "C" not null, -- what the provider is given to find it by
  provider_id text, -- the provider's own, once it has it
  posted_at timestamptz, -- when it was last about to leave: from then on it may be there
  said text, -- the digest of the last refusal, so that an old one is not taken for a new one
  attempts integer not null default 0, -- since the last success
  failing_since timestamptz, -- the first attempt in vain since then, where the host or the provider is to blame
  last_error text,
  due_at timestamptz, -- when somebody should look, or a lease ends; null: nothing is to be done
  primary key (account_id, record_id)
);
create index registrations_due on registrations (due_at) where due_at is not null;
create index registrations_failing on registrations (failing_since) where failing_since is not null;

alter table brands
  add column vertical text, -- asked for only where a provider registers brands
  add column terms_link text;
