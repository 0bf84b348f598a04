-- Indexes for two statements that read a whole table: a new invitation replaces the open one of the same email, and a deleted
-- user takes their sign-in steps along. The purges of expired rows have theirs since 0074.

create index invitations_email on invitations (email);
create index sign_in_steps_user on sign_in_steps (user_id);
