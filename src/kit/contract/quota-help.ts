// The cause of each refusal about quotas, and what to do about it.

const SEE = '`GET /v1/account/quotas` shows the use of every quota.'

export const QUOTA_HELP = {
  queue_full: {
    cause: `The account has as many QUEUED and SCHEDULED messages as its quota allows. Of a batch, as many messages as fit are accepted, in order. ${SEE}`,
    remedy:
      'Retry after the number of seconds in the `Retry-After` header, with the same `Idempotency-Key`. Cancel scheduled messages that you do not need, or ask the operator for a higher limit.',
  },
  messages_full: {
    cause: `The account stores as many sent and received messages as its quota allows. Received messages are always stored. ${SEE}`,
    remedy: 'Ask the operator for a higher limit, or to delete old messages sooner.',
  },
  media_full: {
    cause: `The account’s files and this one are larger than its quota. Files of messages count, too. ${SEE}`,
    remedy:
      'Wait until uploads expire, use your own URL in `mediaUrls`, or ask the operator for a higher limit.',
  },
  webhooks_full: {
    cause: `The account has as many webhooks as its quota allows, over all campaigns. ${SEE}`,
    remedy: 'Delete the ones you no longer use, or ask the operator for a higher limit.',
  },
}
