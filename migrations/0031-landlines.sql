-- What is learnt of a phone says whether it is a landline, too: nothing is sent to one that is known.

alter table learned_networks add column is_landline boolean not null default false;
