-- Files that customers uploaded for later messages. An upload is a row of media_files; this column tells until when its
-- address works. See docs/decisions/0026.
alter table media_files add column uploaded_until timestamptz;
create index media_files_uploads on media_files (account_id, uploaded_until) where uploaded_until is not null;
