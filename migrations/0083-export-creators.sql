-- Who requested an export. Others may delete it only if they manage the account (docs/decisions/0128). Also describes
-- the content of emails, which is erased from now on (docs/decisions/0132).

alter table message_exports add column created_by text collate "C";

comment on column message_exports.created_by is 'The token or the person. Null: from before this was recorded';
comment on column emails.content is 'Erased when the email is sent or given up: an invitation has a link that signs in';
