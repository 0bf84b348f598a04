-- A token is found before its account is known, so it is kept where it is found; a reference into the accounts, which
-- may lie on any machine of a cluster, cannot be checked there. Deleting an account deletes its tokens.
alter table access_tokens drop constraint if exists access_tokens_account_id_fkey;
