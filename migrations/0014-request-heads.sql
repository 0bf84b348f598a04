-- The request of every attempt: what of its head cannot be worked out from the delivery and its webhook.

alter table webhook_attempts
  add column request_head text; -- time, user agent, signatures, URL: a line each (sent-request.ts)
