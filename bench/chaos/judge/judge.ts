// Keeps the account of what must be true, from what clients, phones, carriers, and receivers saw, and compares every
// outcome with it. It has no side effects and imports nothing from the service. While the service works, it judges only
// what no delay can explain. At rest, it judges everything.

import type { Taken } from '../carrier.js'
import type { MessageFact } from '../facts.js'
import type { Wanted } from '../journal.js'
import { mayMove } from './contract.js'
import { type Evidence, type Finding, groupBy, isAsked, isAtRest } from './evidence.js'
import { judgeCounters } from './judge-counters.js'
import { judgeInbound } from './judge-inbound.js'
import { judgeLimits } from './judge-limits.js'
import { judgeMoney } from './judge-money.js'
import { judgeOptouts } from './judge-optouts.js'
import { judgeOutcomes } from './judge-outcomes.js'
import { judgeWebhooks } from './judge-webhooks.js'

/** A kind of loss, with a line for each case. Empty if nothing was lost. */
export type Losses = Map<string, string[]>

/** Every kind of finding. */
export const KINDS: ReadonlySet<string> = new Set([
  'accepted messages lost',
  'duplicate messages',
  'contradictory responses',
  'responses with status 500',
  'invalid moves',
  'too many submits',
  'delivered without a receipt',
  'failed without a reason',
  'expired too early',
  'canceled and not stopped',
  'sent too early',
  'messages without a final state',
  'receipt arrived but still SENT',
  'inbound messages lost',
  'inbound messages doubled',
  'inbound messages that nobody wrote',
  'wrong segments or price',
  'charged twice or not at all',
  'too many or too few refunds',
  'wrong wallets',
  'ledgers that do not add up',
  'never arrived but charged',
  'AT&T limits exceeded',
  'T-Mobile caps exceeded',
  'accepted after a STOP',
  'sent after a STOP',
  'opt-outs lost or doubled',
  'webhooks out of order',
  'webhooks without an event',
  'webhooks with a wrong signature',
  'webhooks with wrong contents',
  'webhooks missing',
  'requests never finished',
  'wrong counters',
  'left behind',
])

export function judge(evidence: Evidence): Losses {
  const byText = groupBy(evidence.facts.messages.filter(isAsked), ({ body }) => body)
  const losses = new Map<string, string[]>([
    ['accepted messages lost', judgeAccepted(evidence, byText)],
    ['duplicate messages', judgeDoubled(evidence, byText)],
    ['contradictory responses', evidence.journal.contradictions],
    ['responses with status 500', evidence.journal.faults],
    ['invalid moves', judgeMoves(evidence)],
    ['too many submits', judgeSubmits(evidence, byText)],
    ...judgeOutcomes(evidence),
    ...judgeInbound(evidence),
    ...judgeMoney(evidence),
    ...judgeLimits(evidence),
    ...judgeOptouts(evidence),
    ...judgeWebhooks(evidence),
  ])
  return isAtRest(evidence) ? new Map([...losses, ...judgeRest(evidence)]) : losses
}

/** What holds only after all work has finished. */
function judgeRest(evidence: Evidence): Finding[] {
  return [
    ['requests never finished', judgeOpen(evidence)],
    ['wrong counters', judgeCounters(evidence)],
    ['left behind', judgeLeftovers(evidence)],
  ]
}

/** Every accepted message exists, with its id, text, and recipient. */
function judgeAccepted(
  { journal, facts, cutoffMs }: Evidence,
  byText: ReadonlyMap<string, MessageFact[]>,
): string[] {
  const byId = new Map(facts.messages.map((message) => [message.id, message]))
  return journal.wanted.flatMap(({ answer, id, text, to, customer, acceptedAtMs }) => {
    if (answer !== 'accepted' || (acceptedAtMs ?? 0) >= cutoffMs) return []
    const message = byId.get(id!)
    const isThere =
      message?.body === text && message.peer === to && message.accountId === customer.accountId
    if (isThere) return []
    return [`${id} (${text}): ${message ? 'another message' : `gone, ${byText.has(text)}`}`]
  })
}

/**
 * No text twice, no message that nobody requested, and none that was refused, unless an attempt of that request was
 * still in progress in a frozen node when another attempt was refused.
 */
function judgeDoubled({ journal }: Evidence, byText: ReadonlyMap<string, MessageFact[]>): string[] {
  const wantedByText = new Map(journal.wanted.map((wanted) => [wanted.text, wanted]))
  return [...byText].flatMap(([text, messages]) => {
    const wanted = wantedByText.get(text)
    if (!wanted) return [`${messages[0]!.id}: nobody requested it`]
    if (messages.length > 1) return [`${text}: ${messages.map(({ id }) => id).join(', ')}`]
    return wanted.answer === 'refused' && wanted.request.unanswered === 0
      ? [`${text}: refused (${wanted.code}), and there as ${messages[0]!.id}`]
      : []
  })
}

/** A client that retries with a key learns the result. Without a key, it may never know. */
function judgeOpen({ journal }: Evidence): string[] {
  const isOpen = ({ answer, request }: Wanted) => answer === 'open' && request.key !== null
  return journal.wanted.filter(isOpen).map(({ text }) => text)
}

/** Events of a message: numbered without gaps, each starting from the previous status, all valid status changes. */
function judgeMoves({ facts, journal }: Evidence): string[] {
  const moves = facts.events.filter(({ eventType }) => eventType === 'message.status')
  const byMessage = groupBy(moves, ({ messageId }) => messageId!)
  const scheduled = new Set(
    journal.wanted.flatMap(({ text, scheduledAtMs }) => (scheduledAtMs === null ? [] : [text])),
  )
  return facts.messages
    .filter(({ direction }) => direction === 'OUTBOUND')
    .flatMap(({ id, status, body }) => {
      const start = scheduled.has(body) ? 'SCHEDULED' : 'QUEUED'
      const chain = [...(byMessage.get(id) ?? [])].sort((a, b) => a.sequence! - b.sequence!)
      const isLegal = chain.every(
        (move, i) =>
          move.sequence === i + 1 &&
          move.previousStatus === (i === 0 ? start : chain[i - 1]!.status) &&
          mayMove(move.previousStatus!, move.status!),
      )
      const isWhole = (chain.at(-1)?.status ?? start) === status
      if (isLegal && isWhole) return []
      const words = chain.map((move) => `${move.sequence} ${move.previousStatus}>${move.status}`)
      return [`${id}: ${status}, events ${words.join(', ')}`]
    })
}

/** One submit, plus one for each resend that the link allows and the timeline shows. */
function judgeSubmits(
  { taken, cutoffMs }: Evidence,
  byText: ReadonlyMap<string, MessageFact[]>,
): string[] {
  const seen = taken.filter(({ atMs }) => atMs < cutoffMs)
  const takenByText = groupBy<Taken>(seen, ({ text }) => text)
  return [...byText].flatMap(([text, [message]]) => {
    const count = takenByText.get(text)?.length ?? 0
    const repeats = message!.timeline.filter((kind) => kind === 'repeated').length
    if (count <= 1 + repeats) return []
    return [`${message!.id}: accepted ${count} times (${message!.timeline.join(', ')})`]
  })
}

function judgeLeftovers({ facts }: Evidence): string[] {
  return [...facts.leftovers]
    .filter(([, count]) => count > 0)
    .map(([name, count]) => `${count} ${name}`)
}
