// The cost of a list and a get with ten thousand and with a million messages in the table. The result is the ratio of
// the larger to the smaller, for the worst kind of list.

import { sql } from '../src/kit/postgres/sql.js'
import { findMessage, listMessages, type MessageFilter } from '../src/messages/message-queries.js'
import { median } from './accept.js'
import { openStage, type Stage } from './stage.js'

const SMALL = 10_000
const LARGE = 1_000_000
const ROUNDS = 500

export async function run() {
  const small = await openStage()
  const large = await openStage()
  await fill(small, SMALL)
  await fill(large, LARGE)
  const lines: string[] = []
  const ratios: number[] = []
  for (const [name, work] of Object.entries(KINDS)) {
    const [smallMs, largeMs] = await timeBoth(
      () => work(small),
      () => work(large),
    )
    const ratio = largeMs / smallMs
    ratios.push(ratio)
    lines.push(
      `${name.padEnd(22)} ${smallMs.toFixed(3)} ms at ${SMALL}, ${largeMs.toFixed(3)} ms at ${LARGE} rows: ${ratio.toFixed(2)}`,
    )
  }
  await small.close()
  await large.close()
  return { lines, ratio: Math.max(...ratios) }
}

// A thousand recipients, one message a second, all DELIVERED.
async function fill({ db, accountId, campaignId }: Stage, rows: number): Promise<void> {
  const start = new Date('2026-01-01T00:00:00Z')
  for (let at = 0; at < rows; at += 50_000) {
    const count = Math.min(50_000, rows - at)
    await db.query(sql`
      insert into messages (account_id, id, campaign_id, type, direction, number, peer, route, body,
        num_segments, price_micros, status, created_at, updated_at)
      select ${accountId}, 'msg_' || lpad(to_hex(${at}::bigint + i), 10, '0') || repeat('0', 16),
        ${campaignId}, 'SMS', 'OUTBOUND', '+14152000000', '+1415555' || lpad((i % 1000)::text, 4, '0'),
        'open', 'Your table is ready', 1, 7900, 'DELIVERED', ${start}, ${start}
      from generate_series(1, ${count}::int) as i`)
  }
  await db.query({ name: '', text: 'vacuum analyze messages', values: [] })
}

const MIDDLE = `msg_${'0'.repeat(7)}100${'0'.repeat(16)}`

const list =
  (filter: Partial<MessageFilter> = {}, after: string | null = null) =>
  ({ db, accountId, campaignId }: Stage) => {
    const all = { campaignId, direction: null, phone: null, status: null, since: null, until: null }
    return listMessages(db, accountId, { ...all, ...filter }, { limit: 10, skip: 0, after })
  }

const KINDS: Record<string, (stage: Stage) => Promise<unknown>> = {
  'newest ten': list(),
  'ten after an id': list({}, MIDDLE),
  'ten of one recipient': list({ phone: '+14155550123' }),
  'ten of our number': list({ phone: '+14152000000' }),
  'ten of a silent number': list({ phone: '+14152000001' }),
  'ten OUTBOUND': list({ direction: 'OUTBOUND' }),
  'one message': ({ db, accountId }) => findMessage(db, accountId, MIDDLE),
}

/**
 * Medians in milliseconds, because a mean would reflect the machine's worst moment. In alternating rounds, since its
 * speed drifts within seconds.
 */
async function timeBoth(
  first: () => Promise<unknown>,
  second: () => Promise<unknown>,
): Promise<[number, number]> {
  const times: [number[], number[]] = [[], []]
  for (let i = 0; i < ROUNDS; i += 1) {
    for (const [k, work] of [first, second].entries()) {
      const started = performance.now()
      await work()
      times[k]!.push(performance.now() - started)
    }
  }
  return [median(times[0]), median(times[1])]
}
