-- Which carrier links host a number of the operator's own stock, as its import said. Null: not stated, see docs/decisions/0064.
alter table inventory_numbers add column hosts text[];
alter table numbers add column hosts text[];

-- Proof of life of the worker that holds the lease (docs/decisions/0076). Null: the lease alone counts.
alter table rented_numbers add column alive_until timestamptz;
create index rented_numbers_alive on rented_numbers (alive_until) where alive_until is not null;
alter table registrations add column alive_until timestamptz;
create index registrations_alive on registrations (alive_until) where alive_until is not null;
