// Inbound messages: each that was acknowledged to its carrier is there once, with its text, and none that nobody wrote.
// A long text whose parts arrived a minute apart, or not all of them, may be there in pieces.

import type { InboundText } from '../journal.js'
import { type Evidence, type Finding, groupBy, isAtRest } from './evidence.js'
import { piecesOf } from './text-model.js'

/** The service waits that long for missing parts. */
const PARTS_WAIT_MS = 60_000

export function judgeInbound(evidence: Evidence): Finding[] {
  const { journal, facts, cutoffMs } = evidence
  const keyOf = (from: string, text: string) => `${from} ${text}`
  const stored = groupBy(
    facts.messages.filter(({ direction }) => direction === 'INBOUND'),
    ({ peer, body }) => keyOf(peer, body),
  )
  const written = groupBy(journal.inbound, ({ from, text }) => keyOf(from, text))
  const pieceKeysOf = ({ from, text }: InboundText) =>
    piecesOf(text).map((piece) => keyOf(from, piece))
  const pieces = groupBy(journal.inbound.filter(mayBeInPieces).flatMap(pieceKeysOf), (key) => key)
  const isInPieces = (one: InboundText) =>
    mayBeInPieces(one) && pieceKeysOf(one).every((key) => stored.has(key))
  // The last piece may still wait for the others.
  const isDue = (one: InboundText) =>
    (one.keptAtMs ?? Infinity) < cutoffMs && (isAtRest(evidence) || !mayBeInPieces(one))
  const lost: string[] = []
  const doubled: string[] = []
  for (const [key, all] of written) {
    const kept = all.filter(isDue).length
    const count = (stored.get(key)?.length ?? 0) + all.filter(isInPieces).length
    if (count < kept) lost.push(`${key}: acknowledged ${kept} times, stored ${count} times`)
    if (count > all.length)
      doubled.push(`${key}: written ${all.length} times, stored ${count} times`)
  }
  const invented = [...stored]
    .filter(([key, all]) => !written.has(key) && all.length > (pieces.get(key)?.length ?? 0))
    .map(([key]) => key)
  return [
    ['inbound messages lost', lost],
    ['inbound messages doubled', doubled],
    ['inbound messages that nobody wrote', invented],
  ]
}

function mayBeInPieces({ text, writtenAtMs, keptAtMs }: InboundText): boolean {
  return piecesOf(text).length > 1 && (keptAtMs ?? Infinity) - writtenAtMs >= PARTS_WAIT_MS
}
