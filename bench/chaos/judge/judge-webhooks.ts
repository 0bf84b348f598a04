// Webhooks: every event of every customer arrived and was acknowledged, in the order of its message and with a valid
// signature, and no other events arrived.

import { EVENT_TYPES } from '../customers.js'
import type { Evidence } from './judge.js'

export function judgeWebhooks({ journal, facts }: Evidence): [string, string[]][] {
  const receivers = new Map(
    journal.wanted.map(({ customer }) => [customer.accountId, customer.receiver]),
  )
  const asked = facts.events.filter(({ eventType }) => EVENT_TYPES.includes(eventType))
  const missing = asked.filter(({ id, accountId }) => {
    const receiver = receivers.get(accountId)
    return receiver !== undefined && !receiver.arrivals.get(id)?.isAnswered
  })
  const known = new Set(facts.events.map(({ id }) => id))
  const arrivals = [...receivers.values()].flatMap((receiver) => [...receiver.arrivals.values()])
  const forged = [...receivers.values()].reduce((sum, receiver) => sum + receiver.forged, 0)
  return [
    ['webhooks missing', missing.map(({ id, eventType }) => `${id}: ${eventType}`)],
    [
      'webhooks out of order',
      arrivals
        .filter(({ isEarly }) => isEarly)
        .map(({ id, messageId, sequence }) => `${id}: ${sequence} of ${messageId}`),
    ],
    ['webhooks without an event', arrivals.filter(({ id }) => !known.has(id)).map(({ id }) => id)],
    ['webhooks with a wrong signature', forged > 0 ? [`${forged}`] : []],
  ]
}
