// Reads of messages, and redaction of their texts: which account, from which message on, in which order.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { idFloor } from '../../src/kit/ids.js'
import { sql } from '../../src/kit/postgres/sql.js'
import { listMedia } from '../../src/messages/media-queries.js'
import {
  findAwaitingReceipt,
  findLastNumbers,
  findTimeline,
  listMessages,
  listMessagesAfter,
  listMessagesById,
  listPhoneMessages,
  listPhones,
  type MessageFilter,
} from '../../src/messages/message-queries.js'
import { appendEntries, moveMessages } from '../../src/messages/moves/move-queries.js'
import { requeueMessages } from '../../src/messages/moves/requeue-queries.js'
import {
  countMessages,
  eraseMessage,
  type RedactRange,
  redactMedia,
  redactTexts,
} from '../../src/messages/redact-queries.js'
import { sumUsage } from '../../src/messages/usage/usage-queries.js'
import { at, LANE, NOW, OTHER_LANES, queueRows } from '../queue-rows.js'

const OWN = 'acc_own'
const [ONE, TWO] = ['+14155550101', '+14155550102']
const OURS = '+14152000001'
const [FOREIGN, SECOND] = [OTHER_LANES[0]!, OTHER_LANES[1]!]

function ids(list: readonly { id: string }[]): string[] {
  return list.map(({ id }) => id)
}

test('a list stays within its account and campaign, whichever filters are combined', async (t) => {
  const rows = await queueRows(t)
  const floor = (ms: number) => idFloor('msg', at(ms))
  const plant = [
    [-5, { peer: ONE }],
    [-4, { peer: ONE, direction: 'INBOUND', status: 'DELIVERED' }],
    [-3, { peer: TWO }],
    [-2, { peer: ONE, status: 'SENT', number: '+14152000002' }],
    [-1, { peer: OURS }],
    [0, { peer: ONE }],
  ] as const
  for (const [ms, row] of plant) await rows.message(floor(ms), row)
  for (const lane of [FOREIGN, SECOND]) await rows.message(`${floor(-3)}x`, { peer: ONE }, lane)
  const none: MessageFilter = {
    campaignId: 'cmp_own',
    direction: null,
    phone: null,
    since: null,
    until: null,
  }
  const list = async (filter: Partial<MessageFilter>, page = {}) => {
    const whole = { limit: 10, skip: 0, after: null, ...page }
    const found = await listMessages(rows.db, OWN, { ...none, ...filter }, whole)
    return ids(found).map((id) => plant.findIndex(([ms]) => floor(ms) === id) - 5)
  }
  assert.deepEqual(await list({}), [0, -1, -2, -3, -4, -5])
  assert.deepEqual(await list({ phone: ONE! }), [0, -2, -4, -5])
  assert.deepEqual(await list({ phone: OURS }), [0, -1, -3, -4, -5])
  assert.deepEqual(await list({ phone: '+14152000002' }), [-2])
  assert.deepEqual(await list({ phone: ONE!, direction: 'OUTBOUND' }), [0, -2, -5])
  assert.deepEqual(await list({ phone: ONE!, since: at(-4), until: at(0) }), [-2, -4])
  assert.deepEqual(await list({ phone: ONE!, until: at(0) }, { after: floor(-2) }), [-4, -5])
  assert.deepEqual(await list({ phone: ONE!, until: at(-4) }, { after: floor(-2) }), [-5])
  assert.deepEqual(await list({ phone: ONE! }, { limit: 1, skip: 1 }), [-2, -4], 'one more is read')
  assert.deepEqual(await list({ phone: OURS }, { limit: 2, skip: 2 }), [-3, -4, -5])
  assert.deepEqual(await list({ since: at(-1), direction: 'OUTBOUND' }), [0, -1])
  assert.deepEqual(await list({ campaignId: 'cmp_none', phone: ONE! }), [])
  const byId = (accountId: string) => listMessagesById(rows.db, accountId, [floor(-1), floor(0)])
  assert.deepEqual(ids(await byId(OWN)).toSorted(), [floor(-1), floor(0)])
  assert.deepEqual(await byId('acc_other'), [])
})

test('a phone’s messages are those with it, of the account, newest first', async (t) => {
  const rows = await queueRows(t)
  for (const lane of [LANE, SECOND, FOREIGN]) await rows.campaign(lane)
  await rows.message('msg_1', { peer: ONE, number: '+14152000002' })
  await rows.message('msg_2', { peer: TWO })
  await rows.message('msg_3', { peer: ONE }, SECOND)
  await rows.message('msg_4', { peer: ONE, number: '+14152000003' })
  await rows.message('msg_5', { peer: ONE, number: '+14152000009' }, FOREIGN)
  assert.deepEqual(ids(await listPhoneMessages(rows.db, OWN, ONE!, 10)), [
    'msg_4',
    'msg_3',
    'msg_1',
  ])
  assert.deepEqual(ids(await listPhoneMessages(rows.db, OWN, ONE!, 2)), ['msg_4', 'msg_3'])
  assert.deepEqual(ids(await listPhones(rows.db, OWN, 10)), ['msg_4', 'msg_2'])
  assert.deepEqual(ids(await listPhones(rows.db, OWN, 1)), ['msg_4'])
  assert.deepEqual(ids(await listMessagesAfter(rows.db, OWN, 'msg_1', 2)), ['msg_2', 'msg_3'])
  const wanted = [
    { campaignId: 'cmp_other', peer: TWO! },
    { campaignId: 'cmp_own', peer: ONE! },
    { campaignId: 'cmp_other', peer: ONE! },
  ]
  assert.deepEqual(await findLastNumbers(rows.db, OWN, wanted), [null, '+14152000003', OURS])
})

test('messages accepted by a carrier without a final status are found from a given time', async (t) => {
  const rows = await queueRows(t)
  const [before, then] = [idFloor('msg', at(-1)), idFloor('msg', NOW)]
  await rows.message(then, { status: 'SENT', peer: TWO })
  await rows.message(before, { status: 'SENT' })
  await rows.message(`${then}x`)
  assert.deepEqual(await findAwaitingReceipt(rows.db, NOW, 10), [
    { accountId: OWN, id: then, to: TWO },
  ])
  assert.equal((await findAwaitingReceipt(rows.db, at(-1), 1)).length, 1)
})

test('a waiting message shows its limit while that stops its lane', async (t) => {
  const rows = await queueRows(t)
  await rows.message('msg_1', { due_at: at(-5), timeline: ['1|sent|'] })
  await rows.message('msg_2', { due_at: NOW })
  await rows.message('msg_3', { due_at: at(1) })
  await rows.message('msg_4')
  const seen = (id: string, now = NOW, accountId = OWN) => findTimeline(rows.db, accountId, id, now)
  assert.deepEqual(await seen('msg_1'), { entries: ['1|sent|'], dueSince: at(-5), limitWait: null })
  await rows.lane(LANE, { held_from: at(-3), next_due_at: at(1) })
  for (const lane of OTHER_LANES) await rows.lane(lane, { held_from: at(-9), next_due_at: at(9) })
  const waited = (from: number) => ({ route: 'open', from: at(from), until: at(1) })
  assert.deepEqual(await seen('msg_1'), {
    entries: ['1|sent|'],
    dueSince: at(-5),
    limitWait: waited(-3),
  })
  assert.deepEqual((await seen('msg_2')).limitWait, waited(0), 'not longer than it waits')
  const nothing = { entries: [], dueSince: null, limitWait: null }
  assert.deepEqual(await seen('msg_3'), nothing, 'it has a lease, or another time')
  assert.deepEqual(await seen('msg_4'), nothing)
  assert.deepEqual((await seen('msg_1', at(1))).limitWait, null, 'the limit no longer applies')
  assert.deepEqual(await seen('msg_1', NOW, 'acc_other'), nothing)
  await rows.db.query(sql`update lanes set held_from = null`)
  assert.deepEqual((await seen('msg_1')).limitWait, null)
})

test('a requeued message waits until then, keeps its expiry, and wakes its lane', async (t) => {
  const rows = await queueRows(t)
  await rows.message('msg_1')
  await rows.message('msg_2', { expires_at: at(7) })
  await rows.message('msg_3', { status: 'DELIVERED' })
  await rows.message('msg_4', {}, FOREIGN)
  const shared = { attempts: 2, isMediaChecked: true, countedDay: '2026-11-15' }
  const same = { ...shared, entry: '1|slow|2.0 s' }
  const back = ['msg_1', 'msg_2', 'msg_3', 'msg_4'].map((messageId, i) => ({
    ...same,
    messageId,
    dueAt: at(50 - i),
    expiresAt: at(99),
  }))
  await requeueMessages(rows.db, OWN, back)
  assert.deepEqual(await rows.column('due_at'), { msg_1: at(50), msg_2: at(49) })
  assert.deepEqual(await rows.column('expires_at'), { msg_1: at(99), msg_2: at(7) })
  const counted = { msg_1: '2026-11-15', msg_2: '2026-11-15' }
  assert.deepEqual(await rows.column('counted_day'), counted)
  const lanes = await rows.db.query(sql`
    select account_id as "accountId", campaign_id as "campaignId", route,
      next_due_at as "nextDueAt" from lanes`)
  assert.deepEqual(lanes, [{ ...LANE, nextDueAt: at(49) }])
  await requeueMessages(rows.db, OWN, [{ ...back[0]!, dueAt: at(60), entry: null }])
  const { entries } = await findTimeline(rows.db, OWN, 'msg_1', NOW)
  assert.deepEqual(entries, ['1|slow|2.0 s'], 'empty entries are not stored')
})

test('a timeline is bounded for repeated reports, and not for moves', async (t) => {
  const rows = await queueRows(t)
  const full = Array.from({ length: 59 }, (_, i) => `${i}|stale|SENT`)
  await rows.message('msg_1', { timeline: full, status: 'SENT' })
  await rows.message('msg_1', { timeline: [] }, FOREIGN)
  const note = (entry: string) => appendEntries(rows.db, OWN, [{ messageId: 'msg_1', entry }])
  assert.deepEqual(await note('60|stale|SENT'), new Set(['msg_1']))
  assert.deepEqual(await note('61|stale|SENT'), new Set(['msg_1']), 'found, but not stored')
  const move = { messageId: 'msg_1', target: 'DELIVERED', errorCode: null } as const
  const { moved } = await moveMessages(rows.db, OWN, [{ ...move, entry: '62|delivered|' }], NOW)
  assert.deepEqual(moved, new Set(['msg_1']))
  const { entries } = await findTimeline(rows.db, OWN, 'msg_1', NOW)
  assert.deepEqual(entries, [...full, '60|stale|SENT', '62|delivered|'])
  assert.deepEqual(
    await appendEntries(rows.db, OWN, [{ messageId: 'msg_0', entry: '' }]),
    new Set(),
  )
  assert.deepEqual((await findTimeline(rows.db, 'acc_other', 'msg_1', NOW)).entries, [])
})

test('texts and media are removed between two IDs, and stay while they are to be sent', async (t) => {
  const rows = await queueRows(t)
  const done = { status: 'SENT', metadata: { a: 'b' }, media_urls: ['http://a.test/a.png'] }
  for (const id of ['msg_0', 'msg_1', 'msg_4', 'msg_5']) await rows.message(id, done)
  await rows.message('msg_2', { ...done, status: 'QUEUED' })
  await rows.message('msg_3', { ...done, status: 'SCHEDULED', due_at: at(9) })
  await rows.message('msg_1', done, FOREIGN)
  for (const [id, accountId, messageId] of [
    ['med_1', OWN, 'msg_1'],
    ['med_2', 'acc_other', 'msg_1'],
    ['med_3', OWN, 'msg_5'],
  ]) {
    await rows.db.query(sql`
      insert into media (id, account_id, message_id, content_type, content, created_at)
      values (${id}, ${accountId}, ${messageId}, 'image/png', '', ${NOW})`)
  }
  const kept = async () => {
    const found = await rows.db.query<{ key: string }>(sql`
      select account_id || ' ' || id || ' ' || (body <> '')::int || (metadata <> '{}')::int
        || (media_urls <> '[]')::int as key from messages order by 1`)
    return found.map(({ key }) => key)
  }
  const range: RedactRange = { after: 'msg_0', before: 'msg_5', limit: 10 }
  const all = { redacted: 2, last: 'msg_4', firstLeft: 'msg_2' }
  assert.deepEqual(await redactTexts(rows.db, OWN, { ...range, limit: 1 }), {
    redacted: 1,
    last: 'msg_1',
    firstLeft: null,
  })
  assert.deepEqual(await redactTexts(rows.db, OWN, range), { ...all, redacted: 1 })
  assert.deepEqual(await redactTexts(rows.db, OWN, range), { ...all, redacted: 0 }, 'once')
  assert.deepEqual(await kept(), [
    'acc_other msg_1 111',
    'acc_own msg_0 111',
    'acc_own msg_1 001',
    'acc_own msg_2 111',
    'acc_own msg_3 111',
    'acc_own msg_4 001',
    'acc_own msg_5 111',
  ])
  assert.deepEqual(await redactMedia(rows.db, OWN, range), all)
  assert.deepEqual((await kept()).slice(1, 4), [
    'acc_own msg_0 111',
    'acc_own msg_1 000',
    'acc_own msg_2 111',
  ])
  const files = await rows.db.query(sql`select id from media order by id`)
  assert.deepEqual(files, [{ id: 'med_2' }, { id: 'med_3' }])
  assert.deepEqual(ids(await listMedia(rows.db, 'acc_other', 'msg_1')), ['med_2'])
  assert.deepEqual(ids(await listMedia(rows.db, OWN, 'msg_1')), [])
  assert.equal(await countMessages(rows.db, OWN, 'msg_4'), 4)
  assert.deepEqual(await redactTexts(rows.db, 'acc_none', range), {
    redacted: 0,
    last: null,
    firstLeft: null,
  })
})

/** Columns of messages that redacting empties, each with a value that must not survive. */
const REDACTED = {
  body: 'secret',
  metadata: { a: 'secret' },
  media_urls: ['http://secret.test/a.png'],
  media_files: ['secret'],
}
/** Columns that stay: IDs, phone numbers, and words that the service or the carrier wrote. */
const KEPT = [
  ...['account_id', 'id', 'campaign_id', 'type', 'direction', 'number', 'peer', 'status', 'route'],
  ...['error_message', 'timeline', 'automatic', 'counted_day', 'unknown_link'],
]

test('redacting or erasing a message leaves nothing that a customer wrote in any column', async (t) => {
  const rows = await queueRows(t)
  const columns = await rows.db.query<{ name: string }>(sql`
    select column_name as name from information_schema.columns
    where table_name = 'messages' and data_type in ('text', 'jsonb', 'json', 'bytea', 'ARRAY')`)
  const listed = [...Object.keys(REDACTED), ...KEPT]
  assert.deepEqual(
    columns.map(({ name }) => name).filter((name) => !listed.includes(name)),
    [],
    'a new column of messages: empty it in src/messages/redact-queries.ts and add it to REDACTED, or add it to KEPT',
  )
  for (const id of ['msg_1', 'msg_2']) await rows.message(id, { status: 'SENT', ...REDACTED })
  const unredacted = async () =>
    ids(
      await rows.db.query<{ id: string }>(sql`
        select id from messages m where m::text like '%secret%' order by id`),
    )
  assert.deepEqual(await unredacted(), ['msg_1', 'msg_2'])
  const range: RedactRange = { after: 'msg_0', before: 'msg_2', limit: 10 }
  await redactTexts(rows.db, OWN, range)
  await redactMedia(rows.db, OWN, range)
  assert.deepEqual(await unredacted(), ['msg_2'])
  assert.equal(await eraseMessage(rows.db, OWN, 'msg_2', {}, NOW), true)
  assert.deepEqual(await unredacted(), [])
})

test('usage counts the days from the first to before the last, by day and campaign', async (t) => {
  const rows = await queueRows(t)
  // As after an upgrade: these messages were not counted when they were written.
  await rows.db.query(sql`update usage_mark set counted_from = '2027-01-01T00:00:00Z'`)
  const day = (text: string) => new Date(`${text}Z`)
  const plant = async (moment: Date, row: object, lane = LANE) =>
    rows.message(idFloor('msg', moment), { created_at: moment, ...row }, lane)
  await plant(day('2026-11-14T00:00:00.000'), { num_segments: 2, price_micros: 20 })
  await plant(day('2026-11-14T23:59:59.999'), { price_micros: 9, is_refunded: true })
  await plant(day('2026-11-13T23:59:59.999'), {})
  await plant(day('2026-11-15T00:00:00.000'), { price_micros: 5 })
  await plant(day('2026-11-15T12:00:00.000'), { direction: 'INBOUND' })
  await plant(day('2026-11-15T13:00:00.000'), {}, FOREIGN)
  await plant(day('2026-11-15T14:00:00.000'), { price_micros: 7, is_refunded: true }, SECOND)
  await plant(day('2026-11-16T00:00:00.000'), {})
  const since = day('2026-11-14T00:00:00')
  assert.deepEqual(await sumUsage(rows.db, OWN, since, day('2026-11-16T00:00:00')), [
    { date: '2026-11-15', campaignId: 'cmp_other', messages: 1, segments: 1, costMicros: 0n },
    { date: '2026-11-15', campaignId: 'cmp_own', messages: 1, segments: 1, costMicros: 5n },
    { date: '2026-11-14', campaignId: 'cmp_own', messages: 2, segments: 3, costMicros: 20n },
  ])
})
