// Inbound messages: each that was acknowledged to its carrier is there once, with its text, and none that nobody wrote.

import { type Evidence, type Finding, groupBy } from './evidence.js'

export function judgeInbound({ journal, facts, cutoffMs }: Evidence): Finding[] {
  const keyOf = (from: string, text: string) => `${from} ${text}`
  const stored = groupBy(
    facts.messages.filter(({ direction }) => direction === 'INBOUND'),
    ({ peer, body }) => keyOf(peer, body),
  )
  const written = groupBy(journal.inbound, ({ from, text }) => keyOf(from, text))
  const lost: string[] = []
  const doubled: string[] = []
  for (const [key, all] of written) {
    const kept = all.filter(({ keptAtMs }) => keptAtMs !== null && keptAtMs < cutoffMs).length
    const count = stored.get(key)?.length ?? 0
    if (count < kept) lost.push(`${key}: acknowledged ${kept} times, stored ${count} times`)
    if (count > all.length)
      doubled.push(`${key}: written ${all.length} times, stored ${count} times`)
  }
  const invented = [...stored].filter(([key]) => !written.has(key)).map(([key]) => key)
  return [
    ['inbound messages lost', lost],
    ['inbound messages doubled', doubled],
    ['inbound messages that nobody wrote', invented],
  ]
}
