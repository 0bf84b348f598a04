// Compares the responses that clients and phones got with the database, the carriers, and the webhook receivers. It has
// no side effects, so a test can plant every kind of loss and check that it is found.

import { canMove } from '../../../src/messages/message-state.js'
import type { Fragment, Taken } from '../carrier.js'
import type { Facts, MessageFact } from '../facts.js'
import type { Journal, Wanted } from '../journal.js'
import { judgeEvidence } from './judge-evidence.js'
import { judgeLimits } from './judge-limits.js'
import { judgeMoney } from './judge-money.js'
import { judgeWebhooks } from './judge-webhooks.js'

export interface Evidence {
  journal: Pick<Journal, 'wanted' | 'stopped' | 'inbound' | 'contradictions' | 'faults'>
  facts: Facts
  /** Of all carriers. */
  taken: readonly Taken[]
  fragments: readonly Fragment[]
}

/** A kind of loss, with a line for each case. Empty if nothing was lost. */
export type Losses = Map<string, string[]>

export function judge(evidence: Evidence): Losses {
  const byText = groupBy(evidence.facts.messages.filter(isAsked), ({ body }) => body)
  const takenByText = groupBy(evidence.taken, ({ text }) => text)
  return new Map<string, string[]>([
    ['accepted messages lost', judgeAccepted(evidence, byText)],
    ['duplicate messages', judgeDoubled(evidence, byText)],
    ['contradictory responses', evidence.journal.contradictions],
    ['requests never finished', judgeOpen(evidence)],
    ['responses with status 500', evidence.journal.faults],
    ['messages without a final state', judgeEnds(evidence)],
    ['invalid moves', judgeMoves(evidence)],
    ['too many submits', judgeSubmits(byText, takenByText)],
    ['delivered and never submitted', judgeInvented(byText, takenByText)],
    ['inbound messages lost', judgeInbound(evidence)],
    ...judgeMoney(evidence),
    ...judgeEvidence(evidence),
    ...judgeLimits(evidence),
    ...judgeWebhooks(evidence),
    ['left behind', judgeLeftovers(evidence)],
  ])
}

export function isAsked({ direction, automatic }: MessageFact): boolean {
  return direction === 'OUTBOUND' && automatic === null
}

export function groupBy<T>(items: readonly T[], keyOf: (item: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>()
  for (const item of items) {
    const key = keyOf(item)
    const group = groups.get(key)
    if (group) group.push(item)
    else groups.set(key, [item])
  }
  return groups
}

/** Every accepted message exists, with its id, text, and recipient. */
function judgeAccepted(
  { journal, facts }: Evidence,
  byText: ReadonlyMap<string, MessageFact[]>,
): string[] {
  const byId = new Map(facts.messages.map((message) => [message.id, message]))
  return journal.wanted.flatMap(({ answer, id, text, to, customer }) => {
    if (answer !== 'accepted') return []
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

const FINAL = new Set(['DELIVERED', 'READ', 'FAILED', 'EXPIRED'])

/** SENT is final if no more evidence can come: the message is settled, or only a part of it arrived. Decision 0066. */
function judgeEnds({ facts }: Evidence): string[] {
  return facts.messages
    .filter(({ status, timeline }) => !FINAL.has(status) && !isSettled(status, timeline))
    .map(
      ({ id, status, body, peer, entries }) =>
        `${id} to ${peer}: ${status}, ${body} (${entries.join(', ')})`,
    )
}

function isSettled(status: string, timeline: readonly string[]): boolean {
  return status === 'SENT' && (timeline.includes('settled') || timeline.includes('matched'))
}

/** Events of a message: numbered without gaps, each starting from the previous status, all valid status changes. */
function judgeMoves({ facts }: Evidence): string[] {
  const moves = facts.events.filter(({ eventType }) => eventType === 'message.status')
  const byMessage = groupBy(moves, ({ messageId }) => messageId!)
  return facts.messages
    .filter(({ direction }) => direction === 'OUTBOUND')
    .flatMap(({ id, status }) => {
      const chain = [...(byMessage.get(id) ?? [])].sort((a, b) => a.sequence! - b.sequence!)
      const isLegal = chain.every(
        (move, i) =>
          move.sequence === i + 1 &&
          move.previousStatus === (i === 0 ? 'QUEUED' : chain[i - 1]!.status) &&
          canMove(move.previousStatus!, move.status!),
      )
      const isWhole = (chain.at(-1)?.status ?? 'QUEUED') === status
      if (isLegal && isWhole) return []
      const words = chain.map((move) => `${move.sequence} ${move.previousStatus}>${move.status}`)
      return [`${id}: ${status}, events ${words.join(', ')}`]
    })
}

/** One submit, plus one for each resend that the link allows and the timeline shows. */
function judgeSubmits(
  byText: ReadonlyMap<string, MessageFact[]>,
  taken: ReadonlyMap<string, readonly Taken[]>,
): string[] {
  return [...byText].flatMap(([text, [message]]) => {
    const count = taken.get(text)?.length ?? 0
    const repeats = message!.timeline.filter((kind) => kind === 'repeated').length
    if (count <= 1 + repeats) return []
    return [`${message!.id}: accepted ${count} times (${message!.timeline.join(', ')})`]
  })
}

function judgeInvented(
  byText: ReadonlyMap<string, MessageFact[]>,
  taken: ReadonlyMap<string, readonly Taken[]>,
): string[] {
  return [...byText]
    .filter(([text, [message]]) => message!.status === 'DELIVERED' && !taken.has(text))
    .map(([, [message]]) => message!.id)
}

function judgeInbound({ journal, facts }: Evidence): string[] {
  const inbound = facts.messages.filter(({ direction }) => direction === 'INBOUND')
  const byText = groupBy(inbound, ({ body }) => body)
  return journal.inbound
    .filter(({ text, from }) => !byText.get(text)?.some(({ peer }) => peer === from))
    .map(({ text }) => text)
}

function judgeLeftovers({ facts }: Evidence): string[] {
  return [...facts.leftovers]
    .filter(([, count]) => count > 0)
    .map(([name, count]) => `${count} ${name}`)
}
