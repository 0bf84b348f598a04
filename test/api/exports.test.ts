// Exports: a CSV file of messages, written in the background.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from '../../src/kit/postgres/sql.js'
import { startLoop } from '../../src/kit/worker-loop.js'
import { exportLoop, purgeExportsLoop } from '../../src/messages/exports/write-exports.js'
import { activeCampaign } from '../fixtures.js'
import { type CallOptions, eventually, type TestService } from '../harness.js'
import { plantMessages } from '../message-rows.js'
import { type Joined, personWith } from '../people-fixtures.js'
import { idOf, sendingService, told, VZW } from '../sending.js'

const CREATE = '/v1/export/create'
const HEAD =
  'id,createdAt,sentAt,campaignId,direction,type,from,to,status,errorCode,errorMessage,numSegments,price,body,mediaUrls,metadata'

async function create(service: TestService, body: object = {}, options: CallOptions = {}) {
  const reply = await service.post(CREATE, body, options)
  assert.equal(reply.status, 200, JSON.stringify(reply.body))
  return reply.body.export
}

async function finish(service: TestService, id: string, options: CallOptions = {}) {
  return eventually(async () => {
    const { body } = await service.get(`/v1/export/${id}`, options)
    return body.export.status === 'DONE' && body.export
  }, 'a finished export')
}

async function linesOf(service: TestService, id: string): Promise<string[]> {
  const reply = await service.get(`/v1/export/${id}?format=csv`)
  assert.equal(reply.status, 200)
  assert.match(String(reply.headers['content-type']), /^text\/csv/)
  const lines = reply.body.split('\r\n')
  assert.deepEqual([lines[0], lines.at(-1)], [HEAD, ''])
  return lines.slice(1, -1)
}

test('an export has the matching messages as CSV, newest first, safe for spreadsheets', async (t) => {
  const sending = await sendingService(t, { roles: ['schedule'] })
  const { service, send, inbound, campaignId, number, message } = sending
  const formula = await send({ body: '=1+1', metadata: { order: '1042', note: '"a", b' } })
  const quoted = idOf(await inbound(VZW, 'Yes,\n"please"'))
  await send({ body: 'Something else' })
  const answer = idOf(await inbound(VZW, '-please'))
  const created = await create(service, { name: 'À la “carte”: all/1' })
  assert.deepEqual(
    [created.status, created.rows, created.filter.until],
    ['RUNNING', 0, created.createdAt],
  )
  const { rows, bytes, truncated, reachedAt, finishedAt } = await finish(service, created.id)
  assert.deepEqual([rows, truncated, reachedAt, finishedAt !== null], [4, false, null, true])
  const file = await service.get(`/v1/export/${created.id}`, { headers: { accept: 'text/csv' } })
  assert.equal(Buffer.byteLength(file.body), bytes)
  const day = created.createdAt.slice(0, 10)
  assert.equal(
    file.headers['content-disposition'],
    `attachment; filename="la-carte-all-1-${day}.csv"`,
  )

  const filtered = await create(service, { filter: { text: 'please', direction: 'INBOUND' } })
  await finish(service, filtered.id)
  const at = async (id: string) => (await message(id)).createdAt
  assert.deepEqual(await linesOf(service, filtered.id), [
    `${answer},${await at(answer)},,${campaignId},INBOUND,SMS,${VZW},${number},DELIVERED,,,1,0.00,'-please,,`,
    `${quoted},${await at(quoted)},,${campaignId},INBOUND,SMS,${VZW},${number},DELIVERED,,,1,0.00,"Yes,\n""please""",,`,
  ])
  const one = await create(service, { filter: { metadata: 'order:1042' } })
  await finish(service, one.id)
  const [line] = await linesOf(service, one.id)
  assert.match(
    line!,
    new RegExp(`^${formula},.*,0\\.0079,'=1\\+1,,"\\{""note"":"".*""order"":""1042""\\}"$`),
  )

  const none = await create(service, { filter: { text: 'nothing has this' } })
  assert.equal((await finish(service, none.id)).rows, 0)
  assert.deepEqual(await linesOf(service, none.id), [])
  const { body } = await service.get('/v1/export/list')
  assert.deepEqual(
    body.exports.map(({ id }: { id: string }) => id),
    [none.id, one.id, filtered.id, created.id],
  )
})

test('an export of many parts has every message once, and stops at the maximum', async (t) => {
  const { service, campaignId } = await sendingService(t)
  await plantMessages(service, { campaignId, count: 3_456 })
  const run = async (rowsMax?: number) => {
    const { id } = await create(service)
    const loop = startLoop(exportLoop(service.world, rowsMax), service.world.hints)
    try {
      return await finish(service, id)
    } finally {
      await loop.stop()
    }
  }
  const whole = await run()
  assert.deepEqual([whole.rows, whole.truncated], [3_456, false])
  const bodies = (await linesOf(service, whole.id)).map((line) => line.split(',')[13])
  assert.deepEqual(
    bodies,
    Array.from({ length: 3_456 }, (_, i) => `Hello ${3_456 - i}`),
  )
  const cut = await run(1_500)
  assert.deepEqual([cut.rows, cut.truncated], [1_500, true])
  assert.deepEqual((await linesOf(service, cut.id)).length, 1_500)
  const exact = await run(3_456)
  assert.deepEqual([exact.rows, exact.truncated], [3_456, false])
})

test('one export of an account runs at a time, ten are stored, and one can be canceled', async (t) => {
  const { service } = await sendingService(t)
  const first = await create(service)
  assert.deepEqual(told(await service.post(CREATE, {})), [
    409,
    'Another export of your account is running. Wait until it is finished, or delete it.',
  ])
  const unfinished = await service.get(`/v1/export/${first.id}?format=csv`)
  assert.equal(unfinished.body.code, 'export_unfinished')
  assert.equal((await service.call('DELETE', `/v1/export/${first.id}`)).status, 200)
  assert.deepEqual(told(await service.get(`/v1/export/${first.id}`)), [404, 'Export not found'])
  assert.equal((await service.call('DELETE', `/v1/export/${first.id}`)).status, 404)

  const loop = startLoop(exportLoop(service.world), service.world.hints)
  try {
    for (let i = 0; i < 10; i += 1) await finish(service, (await create(service)).id)
  } finally {
    await loop.stop()
  }
  assert.equal((await service.post(CREATE, {})).body.code, 'exports_full')
})

test('people delete their own exports, and those of others only if they manage the account', async (t) => {
  const { service } = await sendingService(t)
  const reader = await personWith(service, 'read-only')
  const other = await personWith(service, 'read-only', 'other@example.com')
  const agent = await personWith(service, 'agent')
  const developer = await personWith(service, 'developer')
  const createBy = async ({ request }: Joined) => {
    const { status, body } = await request('POST', CREATE, {})
    assert.equal(status, 200)
    return body.export
  }
  const removeBy = ({ request }: Joined, id: string) => request('DELETE', `/v1/export/${id}`)
  const first = await createBy(reader)
  assert.equal(first.createdBy, reader.userId)
  for (const colleague of [other, agent]) {
    assert.deepEqual(told(await removeBy(colleague, first.id)), [
      403,
      'Someone else requested this export. Only they, or someone with the scope manage, can delete it.',
    ])
  }
  assert.equal((await service.get(`/v1/export/${first.id}`)).body.export.status, 'RUNNING')
  assert.equal((await removeBy(reader, first.id)).status, 200)
  const second = await createBy(agent)
  assert.equal((await removeBy(developer, second.id)).status, 200)

  const machine = { token: await service.tokenWith(['read']) }
  const third = await create(service)
  const url = `/v1/export/${third.id}`
  assert.equal((await service.call('DELETE', url, undefined, machine)).status, 403)
  assert.equal((await service.call('DELETE', url)).status, 200)
  const own = await create(service, {}, machine)
  assert.equal(
    (await service.call('DELETE', `/v1/export/${own.id}`, undefined, machine)).status,
    200,
  )
})

test('an export that is deleted while a part is written leaves nothing', async (t) => {
  const { service, campaignId } = await sendingService(t)
  await plantMessages(service, { campaignId, count: 5_000 })
  const { id } = await create(service)
  const loop = exportLoop(service.world)
  const { signal } = new AbortController()
  await loop.step(signal)
  const { body } = await service.get(`/v1/export/${id}`)
  assert.deepEqual([body.export.rows, body.export.status], [1_000, 'RUNNING'])
  const writing = loop.step(signal)
  const deleted = service.call('DELETE', `/v1/export/${id}`)
  await Promise.all([writing, deleted])
  assert.equal((await deleted).status, 200)
  assert.equal(await loop.step(signal), 0)
  assert.deepEqual(await service.world.db.query(sql`select 1 from message_export_parts`), [])
})

test('exports expire after seven days, and an unfinished one fails after a day', async (t) => {
  const { service, advance } = await sendingService(t)
  const { world } = service
  const { signal } = new AbortController()
  const late = await create(service)
  await advance(24 * 3600 + 1)
  await exportLoop(world).step(signal)
  const { body } = await service.get(`/v1/export/${late.id}`)
  assert.equal(body.export.status, 'FAILED')
  const { id } = await create(service)
  await exportLoop(world).step(signal)
  await advance(7 * 24 * 3600 - 60)
  assert.equal((await service.get(`/v1/export/${id}`)).status, 200)
  await advance(61)
  assert.equal((await service.get(`/v1/export/${id}`)).status, 404)
  assert.equal(await purgeExportsLoop(world).step(signal), 2)
  for (const table of ['message_exports', 'message_export_parts']) {
    const rows = await world.db.query({ name: '', text: `select 1 from ${table}`, values: [] })
    assert.deepEqual(rows, [], table)
  }
})

test('accounts export only their own messages, and a large export delays no other', async (t) => {
  const { service, campaignId } = await sendingService(t)
  const other = await service.otherAccount()
  const { token, accountId } = other
  const theirs = await activeCampaign(service, { accountId })
  await plantMessages(service, { campaignId, count: 4_000, body: 'Mine' })
  await plantMessages(service, {
    campaignId: theirs.campaignId,
    accountId,
    count: 3,
    body: 'Theirs',
  })
  const mine = await create(service)
  const small = await create(service, {}, { token })
  const { signal } = new AbortController()
  const loop = exportLoop(service.world)
  assert.equal(await loop.step(signal), 2, 'a part of each')
  const { body } = await service.get(`/v1/export/${small.id}`, { token })
  assert.deepEqual([body.export.status, body.export.rows], ['DONE', 3])
  const file = await service.get(`/v1/export/${small.id}?format=csv`, { token })
  assert.ok(!file.body.includes('Mine'))
  assert.equal((await service.get(`/v1/export/${mine.id}`)).body.export.rows, 1_000)
  for (const method of ['GET', 'DELETE']) {
    assert.equal((await service.call(method, `/v1/export/${small.id}`)).status, 404)
    assert.equal((await service.call(method, `/v1/export/${small.id}?format=csv`)).status, 404)
  }
  const foreign = { filter: { campaign: theirs.campaignId } }
  await service.call('DELETE', `/v1/export/${mine.id}`)
  assert.deepEqual(told(await service.post(CREATE, foreign)), [404, 'Campaign not found'])
})

test('an export refuses invalid filters before it starts', async (t) => {
  const { service } = await sendingService(t)
  for (const [body, problem] of [
    [{ filter: { text: 7 } }, 'filter.text must be a text of at most 100 characters'],
    [{ filter: { status: 'LOST' } }, /^filter\.status must be/],
    [{ filter: { priceMin: 2, priceMax: 1 } }, 'priceMin must not be more than priceMax'],
    [{ filter: { since: 'yesterday' } }, /^(filter\.)?since must be an ISO 8601 time/],
    [{ name: ' ' }, /^name /],
    [{ name: 'x'.repeat(101) }, /^name /],
  ] as const) {
    const [status, error] = told(await service.post(CREATE, body))
    assert.equal(status, 400, JSON.stringify(body))
    if (typeof problem === 'string') assert.equal(error, problem)
    else assert.match(error, problem)
  }
  assert.deepEqual((await service.get('/v1/export/list')).body, { exports: [] })
})
