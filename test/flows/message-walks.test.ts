// Reads of message pages use an index with their order and stop when the page is full, whatever PostgreSQL assumes
// about the account.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Queryable, Store, Transaction } from '../../src/kit/postgres/db.js'
import { type Statement, sql } from '../../src/kit/postgres/sql.js'
import { listMessages } from '../../src/messages/message-queries.js'
import { listLastMessages } from '../../src/messages/reads/conversation-queries.js'
import { EVERY_MESSAGE, searchMessages } from '../../src/messages/reads/search-queries.js'
import { NOW, queueRows } from '../queue-rows.js'

const OWN = 'acc_own'
const PHONE = '+14155550107'

/** Returns the plan of each statement and finds nothing. */
function explaining(db: Store, plans: string[]): Store {
  const over = (one: Queryable): Queryable => ({
    query: async <Row extends object>(statement: Statement): Promise<Row[]> => {
      const text = `explain (costs off) ${statement.text}`
      const lines = await one.query<{ 'QUERY PLAN': string }>({ ...statement, name: '', text })
      plans.push(lines.map((line) => line['QUERY PLAN']).join('\n'))
      return []
    },
  })
  return {
    ...over(db),
    transaction: (work, how) =>
      db.transaction((tx) => work({ isTransaction: true, ...over(tx) } as Transaction), how),
  }
}

test('a busy account among many quiet ones is read by the page', async (t) => {
  const { db } = await queueRows(t)
  const plant = (accounts: number, rows: number) =>
    db.query(sql`
      insert into messages (account_id, id, campaign_id, type, direction, number, peer, route, body,
        num_segments, price_micros, status, created_at)
      select case when ${accounts}::int = 1 then ${OWN} else 'acc_' || i % ${accounts}::int end,
        'msg_' || ${accounts}::text || '_' || lpad(i::text, 6, '0'),
        case when ${accounts}::int = 1 then 'cmp_own' else 'cmp_' || i % ${accounts * 2}::int end,
        'SMS', 'OUTBOUND', '+14152000001', '+1415555' || i % 1000, 'open', 'Hello', 1, 7900,
        'DELIVERED', ${NOW}
      from generate_series(1, ${rows}::int) i`)
  await plant(1500, 9000)
  await db.query(sql`analyze messages`)
  await plant(1, 6000)

  const plans: string[] = []
  const store = explaining(db, plans)
  const none = { direction: null, phone: null, since: null, until: null }
  const page = { limit: 10, skip: 0, after: null }
  await listMessages(store, OWN, { ...none, campaignId: 'cmp_own' }, page)
  for (const campaignId of [null, 'cmp_own']) {
    for (const phone of [null, PHONE]) {
      const filter = { ...EVERY_MESSAGE, campaignId, phone }
      await searchMessages(store, OWN, filter, page)
      await searchMessages(store, OWN, { ...filter, text: 'Hello', metadata: { a: 'b' } }, page)
      for (const skip of [0, 5]) {
        await searchMessages(store, OWN, { ...filter, status: 'FAILED' }, { ...page, skip })
      }
      await listLastMessages(store, OWN, { campaignId, phone }, page)
    }
  }
  assert.equal(plans.length, 21)
  for (const plan of plans) {
    assert.doesNotMatch(plan, /Bitmap|Seq Scan on messages|Hash|Merge Join/)
    // The reads end before anything is looked up for them.
    const below = plan.match(/WindowAgg[\s\S]*?-> {2}(Limit|Index)/)?.[1]
    assert.equal(below, plan === plans[0] ? undefined : 'Limit', plan)
    // With a phone number, the few messages of each campaign are sorted together.
    const sorts = plan.match(/Sort Key/g) ?? []
    assert.ok(sorts.length <= (plan.includes(PHONE) ? 1 : 0), plan)
  }
})
