// The cost of the text index (LONGCODE_TEXT_SEARCH=on): bytes and microseconds per message, and what a search for a rare
// text costs with and without it. `npm run bench -- search 200000` sets the number of messages. The result is the ratio of
// the time per message with the index to the time without it.

import { sql } from '../src/kit/postgres/sql.js'
import { EVERY_MESSAGE, searchMessages } from '../src/messages/reads/search-queries.js'
import {
  createTextIndex,
  createTrigrams,
  searchByIndex,
} from '../src/messages/reads/text-index-queries.js'
import { openStage, type Stage } from './stage.js'

const COUNT = Number(process.argv[3] ?? 200_000)
const PORTION = 1_000
const PARTITION = 'messages_first'
const RARE = 'zanzibar'

export async function run() {
  const plain = await openStage()
  const indexed = await openStage()
  await createTrigrams(indexed.db)
  await createTextIndex(indexed.db.patient, PARTITION)
  // In turns, so that a slow moment of the machine affects both.
  const spent = { plain: 0, indexed: 0 }
  for (let at = 0; at < COUNT; at += PORTION) {
    spent.plain += await writePortion(plain, at)
    spent.indexed += await writePortion(indexed, at)
  }
  const perMessage = (ms: number) => (ms * 1_000) / COUNT
  const bytes = await sizeOf(indexed, `${PARTITION}_text`)
  const table = await sizeOf(plain, PARTITION)
  const lines = [
    `${COUNT} messages, each inserted and then updated twice (sent, delivered), ${PORTION} in a statement`,
    `without the index ${perMessage(spent.plain).toFixed(1)} µs per message, with it ${perMessage(spent.indexed).toFixed(1)} µs`,
    `the index has ${(bytes / COUNT).toFixed(0)} bytes per message, the table and its other indexes ${(table / COUNT).toFixed(0)}`,
    ...(await searchLines(indexed)),
  ]
  await plain.close()
  await indexed.close()
  return { lines, ratio: spent.indexed / spent.plain }
}

/** Texts of about 100 characters, whose words differ from message to message. Returns milliseconds. */
async function writePortion({ db, accountId, campaignId }: Stage, at: number): Promise<number> {
  const start = new Date('2026-01-01T00:00:00Z')
  const due = new Date('2026-01-01T00:01:00Z')
  const begin = performance.now()
  await db.query(sql`
    insert into messages (account_id, id, campaign_id, type, direction, number, peer, route, body,
      num_segments, price_micros, status, created_at, due_at)
    select ${accountId}, 'msg_' || lpad(to_hex(${at}::bigint + i), 10, '0') || repeat('0', 16),
      ${campaignId}, 'SMS', 'OUTBOUND', '+14152000000', '+1415555' || lpad((i % 1000)::text, 4, '0'), 'open',
      'Hi ' || left(md5((${at}::bigint + i)::text), 8) || ', your order ' || md5(i::text) || ' is on its way.'
        || case when ${at}::bigint + i = 7 then ${` ${RARE}`}::text else '' end || ' Track it at acme.example/t',
      1, 7900, 'QUEUED', ${start}, ${due}
    from generate_series(1, ${PORTION}::int) as i`)
  for (const status of ['SENT', 'DELIVERED']) {
    await db.query(sql`
      update messages set status = ${status}, due_at = null, updated_at = ${due}
      where account_id = ${accountId}
        and id > 'msg_' || lpad(to_hex(${at}::bigint), 10, '0') || repeat('0', 16)
        and id <= 'msg_' || lpad(to_hex(${at + PORTION}::bigint), 10, '0') || repeat('0', 16)`)
  }
  return performance.now() - begin
}

/** With its indexes, if it has some. */
async function sizeOf({ db }: Stage, name: string): Promise<number> {
  const [row] = await db.query<{ bytes: bigint }>(sql`
    select pg_total_relation_size(${name}::text::regclass) as bytes`)
  return Number(row!.bytes)
}

async function searchLines({ db, accountId }: Stage): Promise<string[]> {
  await db.patient.query({ name: '', text: 'vacuum analyze messages', values: [] })
  const filter = { ...EVERY_MESSAGE, text: RARE }
  let begin = performance.now()
  const found = await searchByIndex(db, accountId, filter, { limit: 10, after: null })
  const indexMs = performance.now() - begin
  begin = performance.now()
  let requests = 0
  for (let after: string | null = null, isOver = false; !isOver; requests += 1) {
    const page = await searchMessages(db, accountId, filter, { limit: 10, skip: 0, after })
    after = page.next
    isOver = after === null
  }
  const walkMs = performance.now() - begin
  return [
    `a text in ${found.length} message: ${indexMs.toFixed(1)} ms by the index, ${walkMs.toFixed(1)} ms by ${requests} requests without it`,
  ]
}
