// Webhooks: every event of every customer arrived and was acknowledged, in the order of its message, with valid
// signatures and the right contents. No other events arrived, and no number in a message's sequence is used twice.

import type { Wanted } from '../journal.js'
import type { Arrival, ChaosReceiver } from '../receivers.js'
import { EVENT_TYPES, mayMove } from './contract.js'
import { askedOf, type Evidence, type Finding, groupBy, isAtRest } from './evidence.js'
import { segmentsOf } from './text-model.js'

export function judgeWebhooks(evidence: Evidence): Finding[] {
  const { journal, facts, cutoffMs } = evidence
  const receivers = new Map(
    journal.wanted.map(({ customer }) => [customer.accountId, customer.receiver]),
  )
  const known = new Set(facts.events.map(({ id }) => id))
  const all = [...receivers.values()].flatMap((receiver) => [...receiver.arrivals.values()])
  const arrivals = all.filter(({ atMs }) => atMs < cutoffMs)
  const forged = [...receivers.values()].reduce((sum, receiver) => sum + receiver.forged, 0)
  return [
    ['webhooks out of order', judgeOrder(arrivals)],
    ['webhooks without an event', arrivals.filter(({ id }) => !known.has(id)).map(({ id }) => id)],
    ['webhooks with a wrong signature', forged > 0 ? [`${forged}`] : []],
    ['webhooks with wrong contents', judgeContents(evidence, arrivals)],
    ...(isAtRest(evidence)
      ? ([['webhooks missing', judgeMissing(evidence, receivers)]] satisfies Finding[])
      : []),
  ]
}

function judgeMissing(
  { facts }: Evidence,
  receivers: ReadonlyMap<string, ChaosReceiver>,
): string[] {
  return facts.events
    .filter(({ eventType }) => EVENT_TYPES.includes(eventType))
    .filter(({ id, accountId }) => {
      const receiver = receivers.get(accountId)
      return receiver !== undefined && !receiver.arrivals.get(id)?.isAnswered
    })
    .map(({ id, eventType }) => `${id}: ${eventType}`)
}

/** Each event once it is due, each number once, and one event for each inbound message. */
function judgeOrder(arrivals: readonly Arrival[]): string[] {
  const early = arrivals
    .filter(({ isEarly }) => isEarly)
    .map(({ id, messageId, sequence }) => `${id}: ${sequence} of ${messageId} is too early`)
  const about = arrivals.filter(({ messageId }) => messageId !== null)
  const byNumber = groupBy(about, ({ messageId, sequence }) => `${sequence} of ${messageId}`)
  const doubled = [...byNumber]
    .filter(([, events]) => events.length > 1)
    .map(([number, events]) => `${number}: ${events.map(({ id }) => id).join(', ')}`)
  return [...early, ...doubled]
}

function judgeContents(evidence: Evidence, arrivals: readonly Arrival[]): string[] {
  const wantedById = new Map(askedOf(evidence).map(({ message, wanted }) => [message.id, wanted]))
  const events = new Map(evidence.facts.events.map((event) => [event.id, event]))
  return arrivals.flatMap((arrival) => {
    const { id, message, messageId } = arrival
    if (message === null) return []
    const event = events.get(id)
    const wanted = wantedById.get(messageId!)
    const wrong = [
      ...(arrival.isChanged ? ['it changed when it was repeated'] : []),
      ...(event ? differences(arrival, event) : []),
      ...(wanted ? differences(message, expectedOf(wanted)) : []),
      ...statusProblems(arrival),
    ]
    return wrong.length === 0 ? [] : [`${id} of ${messageId}: ${wrong.join(', ')}`]
  })
}

function expectedOf({ customer, to, text, metadata }: Wanted): Record<string, unknown> {
  return {
    ...{ from: customer.number, to, body: text, metadata, numSegments: segmentsOf(text) },
    ...{ campaignId: customer.campaignId, direction: 'OUTBOUND', type: 'SMS' },
  }
}

/** The fields that both have. */
function differences(seen: object, expected: object): string[] {
  const values = seen as Record<string, unknown>
  return Object.entries(expected)
    .filter(([name, value]) => name in values && !isSame(values[name], value))
    .map(
      ([name, value]) => `${name} is ${JSON.stringify(values[name])}, not ${JSON.stringify(value)}`,
    )
}

function isSame(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b)
}

/** A message in an event is as it was when the event happened. */
function statusProblems({ eventType, message, status, previousStatus }: Arrival): string[] {
  if (eventType !== 'message.status') return []
  const { errorCode = null, sentAt = null } = message!
  const hasFailed = status === 'FAILED' || status === 'EXPIRED'
  return [
    ...(mayMove(previousStatus ?? '', status ?? '') ? [] : [`from ${previousStatus} to ${status}`]),
    ...(hasFailed === (errorCode !== null) ? [] : [`${status} with the error ${errorCode}`]),
    ...(status === 'SENT' && sentAt === null ? ['SENT without sentAt'] : []),
  ]
}
