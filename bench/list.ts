// What a list and a get cost with ten thousand and with a million messages in the table: the ratio of
// the larger to the smaller, the worst of the kinds of list.

import { sql } from '../src/kit/sql.js'
import { findMessage, listMessages, type MessageFilter } from '../src/messages/message-queries.js'
import { openStage, type Stage } from './stage.js'

const SMALL = 10_000
const LARGE = 1_000_000
const ROUNDS = 400

export async function run() {
  const stage = await openStage()
  await fill(stage, 0, SMALL)
  const small = await measure(stage)
  await fill(stage, SMALL, LARGE)
  const large = await measure(stage)
  await stage.close()
  const names = Object.keys(small)
  const ratios = names.map((name) => large[name]! / small[name]!)
  return {
    lines: names.map(
      (name, i) =>
        `${name.padEnd(22)} ${small[name]!.toFixed(3)} ms at ${SMALL}, ${large[name]!.toFixed(3)} ms at ${LARGE} rows: ${ratios[i]!.toFixed(2)}`,
    ),
    ratio: Math.max(...ratios),
  }
}

// A thousand recipients, one message a second, all DELIVERED.
async function fill({ db, accountId, campaignId }: Stage, from: number, to: number): Promise<void> {
  const start = new Date('2026-01-01T00:00:00Z')
  for (let at = from; at < to; at += 50_000) {
    const count = Math.min(50_000, to - at)
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

async function measure({ db, accountId, campaignId }: Stage): Promise<Record<string, number>> {
  const all: MessageFilter = {
    campaignId,
    direction: null,
    phone: null,
    status: null,
    since: null,
    until: null,
  }
  const newest = { limit: 10, skip: 0, after: null }
  const list =
    (filter: MessageFilter, after: string | null = null) =>
    () =>
      listMessages(db, accountId, filter, { ...newest, after })
  const middle = `msg_${'0'.repeat(7)}100${'0'.repeat(16)}`
  return {
    'newest ten': await timed(list(all)),
    'ten after an id': await timed(list(all, middle)),
    'ten of one recipient': await timed(list({ ...all, phone: '+14155550123' })),
    'ten OUTBOUND': await timed(list({ ...all, direction: 'OUTBOUND' })),
    'one message': await timed(() => findMessage(db, accountId, middle)),
  }
}

/** The median, in milliseconds: a mean would be the machine's worst moment. */
async function timed(work: () => Promise<unknown>): Promise<number> {
  const times: number[] = []
  for (let i = 0; i < ROUNDS; i += 1) {
    const started = performance.now()
    await work()
    times.push(performance.now() - started)
  }
  return times.sort((a, b) => a - b)[ROUNDS / 2]!
}
