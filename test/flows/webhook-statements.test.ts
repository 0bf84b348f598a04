// Reads and writes of webhooks and their attempts: whose they are, and what they leave alone, next to a second
// account whose records have the same IDs.

import assert from 'node:assert/strict'
import { newId } from '../../src/kit/ids.js'
import type { Queryable } from '../../src/kit/postgres/db.js'
import { sql } from '../../src/kit/postgres/sql.js'
import {
  deleteAttemptsBefore,
  findRequestBodies,
  listAttempts,
} from '../../src/webhooks/attempt-queries.js'
import { redactRequests } from '../../src/webhooks/redact-queries.js'
import {
  countCampaignWebhooks,
  findWebhook,
  listCampaignWebhooks,
  listWebhooksById,
  recordFailing,
  recordWorking,
} from '../../src/webhooks/webhook-queries.js'
import { askAll, at, NOW, OTHER, OWN, put, subscribe } from './delivery-rows.js'

async function attempts(db: Queryable, list: readonly [string, number][]): Promise<void> {
  for (const account of [OTHER, OWN]) {
    for (const [delivery, attempt] of list) {
      await db.query(sql`
        insert into webhook_attempts (account_id, delivery_id, attempt, at, duration_ms, request_body,
          request_head)
        values (${account}, ${delivery}, ${attempt}, ${NOW}, 1,
          ${attempt === 1 ? `${account} ${delivery}` : null}, ${`head ${attempt}`})`)
    }
  }
}

/** Those with some of the request left. */
async function unredacted(db: Queryable, account: string): Promise<string[]> {
  const rows = await db.query<{ key: string }>(sql`
    select delivery_id || ' ' || attempt as key from webhook_attempts
    where account_id = ${account} and (request_body is not null or request_head is not null)
    order by 1`)
  return rows.map(({ key }) => key)
}

async function webhook(db: Queryable, account: string, id: string, campaign: string) {
  await subscribe(db, account, [id])
  await db.query(sql`
    insert into webhooks (account_id, id, campaign_id, url, signature, secret, created_at, updated_at)
    values (${account}, ${id}, ${campaign}, ${`https://${account.replace('_', '-')}.test/`}, 's',
      'whsec_AAAA', ${NOW}, ${NOW})`)
}

const KEY_OF = { a: newId('whk', NOW), b: newId('whk', NOW), c: newId('whk', NOW) }

askAll('statements for webhooks and their attempts', {
  'requests before a time are redacted if no attempt is left': async (db) => {
    await put(db, [{ id: 'dlv_2' }, { id: 'dlv_3', state: 'delivered' }, { id: 'dlv_4' }])
    await put(db, [{ id: 'dlv_1', state: 'failed' }], [OWN])
    await put(db, [{ id: 'dlv_1' }], [OTHER])
    await attempts(db, [
      ['dlv_0', 1], // its delivery is gone
      ['dlv_1', 1],
      ['dlv_1', 2],
      ['dlv_2', 1],
      ['dlv_3', 1],
    ])
    assert.equal(await redactRequests(db, OWN, 'dlv_3'), 3)
    assert.deepEqual(await unredacted(db, OWN), ['dlv_2 1', 'dlv_3 1'])
    assert.equal((await unredacted(db, OTHER)).length, 5)
    assert.equal(await redactRequests(db, OWN, 'dlv_3'), 0, 'once')
  },

  'attempts of one account are read and removed in order': async (db) => {
    await db.query(sql`truncate webhook_attempts`)
    await attempts(db, [
      ['dlv_1', 2],
      ['dlv_1', 1],
      ['dlv_2', 1],
      ['dlv_3', 1],
    ])
    const seen = async (account: string) => {
      const rows = await listAttempts(db, account, ['dlv_2', 'dlv_1', 'dlv_4'])
      return rows.map(({ deliveryId, attempt }) => `${deliveryId} ${attempt}`)
    }
    assert.deepEqual(await seen(OWN), ['dlv_1 1', 'dlv_1 2', 'dlv_2 1'])
    assert.deepEqual([...(await findRequestBodies(db, OWN, ['dlv_1', 'dlv_2']))].toSorted(), [
      ['dlv_1', `${OWN} dlv_1`],
      ['dlv_2', `${OWN} dlv_2`],
    ])
    assert.equal(await deleteAttemptsBefore(db, OWN, 'dlv_2', 1), 1)
    assert.deepEqual(await seen(OWN), ['dlv_1 2', 'dlv_2 1'], 'the oldest first')
    assert.equal(await deleteAttemptsBefore(db, OWN, 'dlv_2', 9), 1)
    assert.deepEqual(await seen(OWN), ['dlv_2 1'])
    assert.deepEqual(await seen(OTHER), ['dlv_1 1', 'dlv_1 2', 'dlv_2 1'])
  },

  'webhooks are listed by account and campaign, newest first': async (db) => {
    for (const account of [OTHER, OWN]) {
      await webhook(db, account, KEY_OF.a, 'cmp_1')
      await webhook(db, account, KEY_OF.b, 'cmp_2')
      await webhook(db, account, KEY_OF.c, 'cmp_1')
    }
    const keys = (list: readonly { accountId: string; id: string }[]) =>
      list.map(({ accountId, id }) => `${accountId} ${id}`)
    const own = (...ids: string[]) => ids.map((id) => `${OWN} ${id}`)
    const list = await listCampaignWebhooks(db, OWN, 'cmp_1')
    assert.deepEqual(keys(list), own(KEY_OF.c, KEY_OF.a))
    assert.equal(await countCampaignWebhooks(db, OWN, 'cmp_1'), 2)
    const named = await listWebhooksById(db, OWN, [KEY_OF.b, 'whk_none'])
    assert.deepEqual(keys(named), own(KEY_OF.b))
    assert.deepEqual(keys(await listCampaignWebhooks(db, OWN, 'cmp_none')), [])
  },

  'failures are counted from the first, until a success': async (db) => {
    await db.query(sql`truncate webhooks`)
    for (const account of [OTHER, OWN]) {
      for (const id of [KEY_OF.a, KEY_OF.b]) await webhook(db, account, id, 'cmp_1')
    }
    const since = async (account: string, id: string) =>
      (await findWebhook(db, account, id))?.failingSince
    const all = async () => [
      await since(OWN, KEY_OF.a),
      await since(OWN, KEY_OF.b),
      await since(OTHER, KEY_OF.a),
    ]
    await recordFailing(db, OWN, KEY_OF.a, NOW)
    await recordFailing(db, OWN, KEY_OF.a, at(1))
    assert.deepEqual(await all(), [NOW, null, null])
    await recordFailing(db, OTHER, KEY_OF.a, at(2))
    await recordFailing(db, OWN, KEY_OF.b, at(3))
    await recordWorking(db, OWN, KEY_OF.a)
    assert.deepEqual(await all(), [null, at(3), at(2)])
    // Simultaneous successes each record it, but only the first of them writes the row.
    const version = async () =>
      JSON.stringify(
        await db.query(
          sql`select id, xmin::text from webhooks where account_id = ${OWN} order by id`,
        ),
      )
    const before = await version()
    await recordWorking(db, OWN, KEY_OF.a)
    assert.equal(await version(), before)
  },
})
