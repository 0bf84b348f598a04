-- The cheapest number for sale: what a number costs from, before anybody has searched for one.
create index inventory_numbers_price on inventory_numbers (monthly_price_micros);
