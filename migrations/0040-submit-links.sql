-- By which link a submit leaves: what a process that died leaves behind is settled by the evidence of that link.
-- Rows of the version before have none.
alter table submits add column link text;
