// The index on message texts: created while the service runs, used for rare texts, and never required.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Store } from '../../src/kit/postgres/db.js'
import { DatabaseFailure } from '../../src/kit/postgres/db-failure.js'
import { sql } from '../../src/kit/postgres/sql.js'
import { EVERY_MESSAGE } from '../../src/messages/reads/search-queries.js'
import {
  createTextIndex,
  createTrigrams,
  listTextIndexes,
} from '../../src/messages/reads/text-index-queries.js'
import { TextSearch, textIndexLoops } from '../../src/messages/reads/text-search.js'
import { eventually } from '../harness.js'
import { plantMessages } from '../message-rows.js'
import { sendingService } from '../sending.js'

const ON = { LONGCODE_TEXT_SEARCH: 'on' }
const PAGE = { limit: 10, skip: 0, after: null }

test('with the index, one request finds a rare text behind any number of messages', async (t) => {
  const { service, campaignId } = await sendingService(t, { roles: ['schedule'], env: ON })
  const { db } = service.world
  await eventually(
    async () => (await listTextIndexes(db)).every(({ state }) => state === 'ready'),
    'the index',
  )
  const plant = (body: string, count: number, day: number, accountId = service.accountId) =>
    plantMessages(service, {
      campaignId,
      body,
      count,
      accountId,
      createdAt: new Date(day * 86_400_000),
    })
  await plant('A parrot from Zanzibar', 3, 20_000)
  await plant('Hello', 12_000, 20_001)
  await plant('a PARROT here', 1, 20_002)
  const other = await service.otherAccount()
  await plant('Their parrot', 1, 20_000, other.accountId)
  const { body } = await service.get('/v1/message/search?text=parrot&limit=3')
  const texts = body.messages.map((message: { body: string }) => message.body)
  assert.deepEqual(texts, [
    'a PARROT here 1',
    'A parrot from Zanzibar 3',
    'A parrot from Zanzibar 2',
  ])
  const rest = await service.get(`/v1/message/search?text=parrot&limit=3&after=${body.next}`)
  assert.deepEqual([rest.body.messages.length, rest.body.hasMore], [1, false])
  const none = await service.get('/v1/message/search?text=walrus')
  assert.deepEqual(none.body, { messages: [], hasMore: false, next: null })
  const until = encodeURIComponent(new Date(20_001 * 86_400_000).toISOString())
  const early = await service.get(
    `/v1/message/search?text=zanzibar&until=${until}&number=12025550002`,
  )
  assert.equal(early.body.messages.length, 1)
  const short = await service.get('/v1/message/search?text=Zan')
  assert.deepEqual([short.body.messages.length, short.body.hasMore], [3, false])
})

test('without the index, or if it takes too long, a search continues page by page', async (t) => {
  const { service, campaignId } = await sendingService(t)
  const { world, accountId } = service
  await plantMessages(service, { campaignId, count: 30 })
  const filter = { ...EVERY_MESSAGE, text: 'Hello 3' }
  const off = await new TextSearch(world).search(world.db, accountId, filter, PAGE, 11)
  assert.deepEqual([off.messages.length, off.next !== null], [1, true])
  await createTrigrams(world.db)
  for (const { partition } of await listTextIndexes(world.db)) {
    await createTextIndex(world.db, partition)
  }
  const config = { hasTextIndex: true }
  const search = (db: Store) =>
    new TextSearch({ ...world, config }).search(db, accountId, filter, PAGE, 11)
  const on = await search(world.db)
  assert.deepEqual([on.messages.map(({ body }) => body), on.next], [['Hello 30', 'Hello 3'], null])
  const slow: Store = {
    query: world.db.query,
    transaction: (work, how) =>
      how?.statementMs
        ? Promise.reject(new DatabaseFailure('database_busy', 'too slow'))
        : world.db.transaction(work, how),
  }
  assert.deepEqual(await search(slow), off)
})

test('an interrupted build is repeated, and without the setting nothing is built', async (t) => {
  const { service } = await sendingService(t)
  const { world } = service
  assert.deepEqual(textIndexLoops(world), [])
  const [loop] = textIndexLoops({ ...world, config: { ...world.config, hasTextIndex: true } })
  const { signal } = new AbortController()
  await loop!.step(signal)
  await world.db.query(sql`
    update pg_index set indisvalid = false where indexrelid = 'messages_first_text'::regclass`)
  assert.deepEqual(await listTextIndexes(world.db), [
    { partition: 'messages_first', state: 'failed' },
  ])
  await loop!.step(signal)
  assert.deepEqual(await listTextIndexes(world.db), [
    { partition: 'messages_first', state: 'ready' },
  ])
})
