-- What came in to a campaign, newest first: found without passing over all that was sent. Nothing that is sent is in
-- these, and a direction never changes.
create index messages_inbound on messages (campaign_id, id) where direction = 'INBOUND';
create index messages_inbound_number on messages (campaign_id, number, id) where direction = 'INBOUND';
