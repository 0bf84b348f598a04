-- What the networks say of a registered campaign, beside the registry: those that do not carry it, in words; null: all do.
alter table registrations add column networks text;
create index registrations_networks on registrations (since) where networks is not null;

-- A campaign may be suspended by the registry, too. The program knows the words.
alter table campaigns drop constraint campaigns_suspended_for_check;
