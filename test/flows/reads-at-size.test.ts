// Reads that do not grow: with many messages, lists and statistics read what they return and little more. Measured
// by PostgreSQL's rows and pages of each statement, never by time.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { idFloor } from '../../src/kit/ids.js'
import type { Database, Queryable, Store, Transaction } from '../../src/kit/postgres/db.js'
import { type Statement, sql } from '../../src/kit/postgres/sql.js'
import { listEntries } from '../../src/ledger/entry-queries.js'
import { sumDays, sumMessageEntries } from '../../src/ledger/statement/day-queries.js'
import { listMessages } from '../../src/messages/message-queries.js'
import { EVERY_MESSAGE, searchMessages } from '../../src/messages/reads/search-queries.js'
import { countMessages } from '../../src/messages/usage/stats-queries.js'
import { sumAccount } from '../../src/messages/usage/sum-usage.js'
import { sumUsage } from '../../src/messages/usage/usage-queries.js'
import { queueRows } from '../queue-rows.js'

const OWN = 'acc_own'
const CAMPAIGN = 'cmp_own'
const BEGIN = new Date('2026-09-01T00:00:00.000Z')
const DAY_MS = 86_400_000
const DAYS = 20
const A_DAY = 1_500
const day = (n: number) => new Date(BEGIN.getTime() + n * DAY_MS)

interface Node {
  'Node Type': string
  'Relation Name'?: string
  'Actual Rows': number
  'Actual Loops': number
  'Rows Removed by Filter'?: number
  'Shared Hit Blocks': number
  'Shared Read Blocks': number
  Plans?: Node[]
}

interface Work {
  /** Rows of tables that were read, matching or not. */
  rows: number
  pages: number
  scannedWhole: string[]
}

function workOf(node: Node): Work {
  const own = node['Relation Name'] === undefined ? 0 : rowsOf(node)
  const parts = (node.Plans ?? []).map(workOf)
  const whole = node['Node Type'] === 'Seq Scan' ? [`${node['Relation Name']}`] : []
  return {
    rows: parts.reduce((sum, { rows }) => sum + rows, own),
    pages: node['Shared Hit Blocks'] + node['Shared Read Blocks'],
    scannedWhole: [...whole, ...parts.flatMap(({ scannedWhole }) => scannedWhole)],
  }
}

function rowsOf(node: Node): number {
  return (node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0)) * node['Actual Loops']
}

/** Runs each statement under `explain`, and then for its result. */
function measuring(db: Database, work: Work[]): Store {
  const over = (one: Queryable): Queryable => ({
    query: async <Row extends object>(statement: Statement): Promise<Row[]> => {
      if (!statement.text.startsWith('set local')) {
        const text = `explain (analyze, buffers, format json) ${statement.text}`
        const [row] = await one.query<{ 'QUERY PLAN': [{ Plan: Node }] }>({
          ...statement,
          name: '',
          text,
        })
        work.push(workOf(row!['QUERY PLAN'][0].Plan))
      }
      return one.query<Row>(statement)
    },
  })
  return {
    ...over(db),
    transaction: (run, how) =>
      db.transaction((tx) => run({ isTransaction: true, ...over(tx) } as Transaction), how),
  }
}

/** Twenty days of one busy account, all sent. Its last day is not summed. */
async function busyAccount(db: Database): Promise<void> {
  await db.query(sql`
    insert into accounts (account_id, name, created_at) values (${OWN}, 'Own', ${BEGIN})
    on conflict do nothing`)
  for (let n = 0; n < DAYS; n += 1) {
    const [head, at] = [idFloor('msg', day(n)).slice(4, 14), day(n)]
    await db.query(sql`
      insert into messages (account_id, id, campaign_id, type, direction, number, peer, route, body,
        num_segments, price_micros, status, created_at, updated_at, sent_at)
      select ${OWN}, 'msg_' || ${head}::text || lpad(i::text, 16, '0'), ${CAMPAIGN}, 'SMS', 'OUTBOUND',
        '+14152000001', '+1415555' || lpad((i % 1000)::text, 4, '0'), 'open', 'Hello', 1, 7900,
        'DELIVERED', ${at}::timestamptz, ${new Date(at.getTime() + 900)}::timestamptz, ${at}::timestamptz
      from generate_series(1, ${A_DAY}::int) i`)
    await db.query(sql`
      insert into ledger_transfers (account_id, id, reason, reference, from_ledger, to_ledger,
        amount_micros, campaign_id, created_at)
      select ${OWN}, 'trf_' || ${head}::text || lpad(i::text, 16, '0'), 'message',
        'msg_' || ${head}::text || lpad(i::text, 16, '0'), 'wallet', 'messages', 7900, ${CAMPAIGN},
        ${at}::timestamptz
      from generate_series(1, ${A_DAY}::int) i`)
  }
  await sumAccount(db, OWN, day(0), day(0))
  await sumAccount(db, OWN, day(DAYS), day(DAYS + 1))
  await sumDays(db, OWN, day(DAYS - 1))
  for (const table of ['messages', 'ledger_transfers', 'usage_counts', 'usage_sums']) {
    await db.query({ name: '', text: `analyze ${table}`, values: [] })
  }
}

test('lists and statistics of a busy account read little more than they return', async (t) => {
  const { db } = await queueRows(t)
  await busyAccount(db)
  const work: Work[] = []
  const store = measuring(db, work)
  const none = { campaignId: CAMPAIGN, direction: null, phone: null, since: null, until: null }
  const page = { limit: 10, skip: 0, after: null }
  const anyEntry = { reason: null, campaignId: null, since: null, until: null }
  const [from, to] = [day(0), day(DAYS)]
  const span = { from, to, campaignId: null }

  /** Reads at most this many rows in all statements of one read. */
  const within = async (name: string, rowsMax: number, read: () => Promise<unknown>) => {
    work.length = 0
    const answer = await read()
    assert.ok(work.length > 0, name)
    const rows = work.reduce((sum, one) => sum + one.rows, 0)
    assert.ok(rows <= rowsMax, `${name} read ${rows} rows, more than ${rowsMax}`)
    assert.deepEqual(
      work.flatMap((one) => one.scannedWhole),
      [],
      `${name} scanned a table`,
    )
    return answer
  }
  const messages = (direction: 'INBOUND' | 'OUTBOUND' | null, phone: string | null = null) =>
    listMessages(store, OWN, { ...none, direction, phone }, page)
  await within('the list of a campaign', 50, () => messages(null))
  await within('what was sent', 50, () => messages('OUTBOUND'))
  assert.deepEqual(await within('what came in', 20, () => messages('INBOUND')), [])
  await within('what came in to a number', 20, () => messages('INBOUND', '+14152000001'))
  await within('a page of a phone', 100, () => messages(null, '+14155550107'))
  const searched = { ...EVERY_MESSAGE, ...none, status: 'FAILED' } as const
  await within('a search with no hit', 2_100, () =>
    searchMessages(store, OWN, searched, page, 2_000),
  )
  const usage = (await within('usage', 200, () => sumUsage(store, OWN, from, to))) as {
    messages: number
  }[]
  assert.deepEqual(
    usage.map((row) => row.messages),
    Array(DAYS).fill(A_DAY),
  )
  for (const by of ['status', 'carrier', 'campaign'] as const) {
    for (const bucket of ['hour', 'day'] as const) {
      await within(`statistics by ${bucket} and ${by}`, 700, () =>
        countMessages(store, OWN, { ...span, bucket, by }),
      )
    }
  }
  const [sum] = (await within('the messages of a statement', A_DAY + 200, () =>
    sumMessageEntries(store, OWN, from, to),
  )) as { count: number }[]
  assert.equal(sum!.count, DAYS * A_DAY)
  const refunds = { ...anyEntry, reason: 'message_refund' } as const
  const credits = { ...anyEntry, reason: 'credit' } as const
  await within('refunds', 20, () => listEntries(store, OWN, refunds, page))
  await within('credits', 20, () => listEntries(store, OWN, credits, page))
})
