// Evidence: no customer pays for a message that no carrier received, and every acknowledged receipt takes effect.
// Decision 0066.

import type { Taken } from '../carrier.js'
import type { EntryFact, MessageFact } from '../facts.js'
import { type Evidence, groupBy, isAsked } from './judge.js'

export const STILL_SENT = 'receipt arrived but still SENT'

export function judgeEvidence(evidence: Evidence): [string, string[]][] {
  const takenByText = groupBy(evidence.taken, ({ text }) => text)
  const asked = evidence.facts.messages.filter(isAsked)
  return [
    ['never arrived but charged', judgeCharged(asked, evidence, takenByText)],
    [STILL_SENT, judgeReceipts(asked, takenByText)],
  ]
}

const WAITING = new Set(['QUEUED', 'SCHEDULED'])

function judgeCharged(
  asked: readonly MessageFact[],
  { facts, fragments }: Evidence,
  taken: ReadonlyMap<string, readonly Taken[]>,
): string[] {
  const paid = paidByMessage(facts.entries)
  return asked
    .filter(({ status, body, peer, id }) => {
      const hasArrived =
        taken.has(body) || fragments.some(({ to, text }) => to === peer && body.includes(text))
      return !WAITING.has(status) && !hasArrived && (paid.get(id) ?? 0n) > 0n
    })
    .map(describe)
}

/** The final cost of each message: its charge, minus its refund, plus its second charge. */
function paidByMessage(entries: readonly EntryFact[]): Map<string, bigint> {
  const paid = new Map<string, bigint>()
  for (const { reference, amountMicros } of entries) {
    const id = reference.slice(reference.indexOf(':') + 1)
    paid.set(id, (paid.get(id) ?? 0n) - amountMicros)
  }
  return paid
}

function judgeReceipts(
  asked: readonly MessageFact[],
  taken: ReadonlyMap<string, readonly Taken[]>,
): string[] {
  const isReceipted = ({ body }: MessageFact) =>
    taken.get(body)?.some(({ receipt }) => receipt !== null) ?? false
  return asked.filter((message) => message.status === 'SENT' && isReceipted(message)).map(describe)
}

function describe({ id, peer, status, errorCode, entries }: MessageFact): string {
  const error = errorCode === null ? '' : ` ${errorCode}`
  return `${id} to ${peer}: ${status}${error} (${entries.join(', ')})`
}
