// The status of every message against the carrier's last word: DELIVERED only if a receipt says it, FAILED only for a
// reason that happened and at the carrier that saw it, EXPIRED only after its validity, and never SENT after a receipt was
// acknowledged.

import { type Fragment, prefixOf, type Refused, type Report, type Taken } from '../carrier.js'
import { CODE, FINAL, simulatedOf } from './contract.js'
import {
  type Asked,
  askedOf,
  describe,
  type Evidence,
  type Finding,
  groupBy,
  isAtRest,
  isPartOf,
  isStop,
} from './evidence.js'

const STILL_SENT = 'receipt arrived but still SENT'

/** Default validity of a message. */
const VALIDITY_SECONDS = 4 * 3600

/** What carriers and phones saw of one message. */
interface Seen {
  copies: readonly Taken[]
  fragments: readonly Fragment[]
  refusals: readonly Refused[]
}

export function judgeOutcomes(evidence: Evidence): Finding[] {
  const seenOf = observer(evidence)
  const asked = askedOf(evidence)
  const cases = (isWrong: (one: Asked, seen: Seen) => boolean) =>
    asked.filter((one) => isWrong(one, seenOf(one))).map(({ message }) => describe(message))
  const isBlameless = failureTest(evidence)
  return [
    ['delivered without a receipt', cases(isInvented)],
    ['failed without a reason', cases((one, seen) => isFailed(one) && !isBlameless(one, seen))],
    ['expired too early', cases((one) => isExpiredEarly(one, evidence))],
    ['canceled and not stopped', cases(isSentAfterCancel)],
    ['sent too early', cases(isSentEarly)],
    ...(isAtRest(evidence)
      ? ([
          ['messages without a final state', cases(isUnfinished)],
          [STILL_SENT, cases(isStillSent)],
        ] satisfies Finding[])
      : []),
  ]
}

function observer({ taken, fragments, refused }: Evidence): (one: Asked) => Seen {
  const takenByText = groupBy(taken, ({ text }) => text)
  const fragmentsByPhone = groupBy(fragments, ({ to }) => to)
  const refusedByPhone = groupBy(refused, ({ to }) => to)
  return ({ message }) => ({
    copies: takenByText.get(message.body) ?? [],
    fragments: (fragmentsByPhone.get(message.peer) ?? []).filter((one) => isPartOf(one, message)),
    refusals: (refusedByPhone.get(message.peer) ?? []).filter((one) => isPartOf(one, message)),
  })
}

const isFailed = ({ message }: Asked) => message.status === 'FAILED'
const isSimulated = ({ message }: Asked) => prefixOf(message.peer).link === 'simulator'

/** Its parts may have arrived in several attempts. Then each delivered part counts. */
function isInvented(one: Asked, { copies, fragments }: Seen): boolean {
  const { status, peer } = one.message
  if (status !== 'DELIVERED' && status !== 'READ') return false
  if (isSimulated(one)) {
    const expected = simulatedOf(peer).status
    return expected !== 'READ' && expected !== status
  }
  if (status === 'READ') return true
  const reports: (Report | null)[] = [...copies, ...fragments].map(({ report }) => report)
  return !reports.some((report) => report?.status === 'DELIVERED')
}

/** Who may fail a message, and with which code. */
function failureTest(evidence: Evidence) {
  // Also one that was not acknowledged: the service may have it.
  const stops = evidence.journal.inbound.filter(isStop)
  const stopped = new Set(stops.map(({ from }) => from))
  const capUse = groupBy(evidence.taken, ({ from }) => from)
  return (one: Asked, { copies, fragments, refusals }: Seen): boolean => {
    const { message, wanted } = one
    const code = message.errorCode
    if (code === CODE.canceled) return wanted.cancel !== 'none'
    if (code === CODE.optedOut) return stopped.has(message.peer)
    if (isSimulated(one)) return simulatedOf(message.peer).code === code
    if (refusals.some((refusal) => refusal.code === code)) return true
    const reports = [...copies, ...fragments].flatMap(({ report }) => report ?? [])
    if (reports.some(({ codes }) => codes.includes(code!))) return true
    return code === CODE.dailyCap && isCapReached(one, capUse)
  }
}

/** Messages with unknown outcomes count too. No more of them than this were on their way when one failed. */
const UNKNOWN_SHARE = 0.6

function isCapReached({ message, wanted }: Asked, byNumber: ReadonlyMap<string, Taken[]>): boolean {
  const { network } = prefixOf(message.peer)
  if (network !== 'tmo') return false
  const { limits, number } = wanted.customer
  const used = (byNumber.get(number) ?? [])
    .filter(({ to }) => prefixOf(to).network === 'tmo')
    .reduce((sum, { parts }) => sum + parts, 0)
  return used >= limits.dailyTmoCap * UNKNOWN_SHARE
}

function isExpiredEarly({ message, wanted }: Asked, { clockAheadMs }: Evidence): boolean {
  if (message.status !== 'EXPIRED') return false
  const validMs = (wanted.validitySeconds ?? VALIDITY_SECONDS) * 1000
  const dueMs = wanted.scheduledAtMs ?? wanted.askedAtMs
  const isOver = Date.now() + clockAheadMs >= dueMs + validMs
  return !isOver || message.errorCode !== CODE.expired
}

function isSentAfterCancel({ message, wanted }: Asked, { copies, fragments }: Seen): boolean {
  if (wanted.cancel !== 'confirmed') return false
  const hasLeft = copies.length > 0 || fragments.length > 0
  return hasLeft || message.status !== 'FAILED' || message.errorCode !== CODE.canceled
}

/** Clocks of one machine, so nothing may leave before its time. */
function isSentEarly({ wanted }: Asked, { copies }: Seen): boolean {
  const { scheduledAtMs } = wanted
  return scheduledAtMs !== null && copies.some(({ atMs }) => atMs < scheduledAtMs)
}

/** SENT is final if no more evidence can come: the message is settled, or only a part of it arrived. Decision 0066. */
function isUnfinished(one: Asked): boolean {
  const { status, timeline } = one.message
  if (FINAL.has(status)) return false
  const isSettled = timeline.includes('settled') || timeline.includes('matched')
  // The simulator forgets its receipts when its process is killed.
  return !(status === 'SENT' && (isSettled || isSimulated(one)))
}

/** A message with a refused part is FAILED, whatever the receipts of the others say. */
function isStillSent({ message }: Asked, { copies }: Seen): boolean {
  return message.status === 'SENT' && copies.some(({ receipt }) => receipt !== null)
}
