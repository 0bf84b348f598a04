-- Tokens that are restricted to campaigns, and who created a token: revoking it revokes what it created. See
-- docs/decisions/0019. Tokens that were created before have no creator.
alter table access_tokens add column campaigns text[];
alter table access_tokens add column created_by text collate "C";
create index access_tokens_creator on access_tokens (account_id, created_by) where created_by is not null;
