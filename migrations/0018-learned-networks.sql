-- Which network a phone was last seen on, as answers and inbound messages of carriers say it. A lookup by
-- number, the same for all accounts. Rows are written at most once a day each, and go when they are too old.
create table learned_networks (
  number text primary key,
  network text,
  link text not null,
  seen_at timestamptz not null
);

create index learned_networks_age on learned_networks (seen_at);
