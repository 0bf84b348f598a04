-- After a failover, before messages are sent again: which messages the lost site may already have handed to a carrier.
-- docs/second-site.md explains the results. Reads only messages that are in the queue.
--   queued      not known to be sent. It goes out when its link resumes, maybe for the second time
--   unknown     about to be sent when the site was lost. A receipt or the link's setting decides, as after a crash
with journaled as (
  select account_id, unnest(message_ids) as id from submits
), claimed as (
  select account_id, id, status, created_at from messages
  where due_at < now() + interval '1 minute' and settle_at is null
  union
  select m.account_id, m.id, m.status, m.created_at
  from handoffs h join messages m on m.account_id = h.account_id and m.id >= h.first_id and m.id <= h.last_id
  where m.status = 'QUEUED' and m.settle_at is null
  union
  select m.account_id, m.id, m.status, m.created_at
  from journaled j join messages m on m.account_id = j.account_id and m.id = j.id
  where m.status = 'QUEUED'
  union
  select account_id, id, status, created_at from messages where settle_at is not null
)
select case when m.settle_at is not null or j.id is not null then 'unknown' else 'queued' end as what,
  c.account_id, c.id, c.created_at
from claimed c
join messages m on m.account_id = c.account_id and m.id = c.id
left join journaled j on j.account_id = c.account_id and j.id = c.id
order by c.account_id, c.id;
