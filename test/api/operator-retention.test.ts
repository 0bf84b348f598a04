// Retention periods per account, redaction, export, and account deletion.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from '../../src/kit/postgres/sql.js'
import { DELETED_TABLES, KEPT_TABLES } from '../../src/operator/accounts/deletion-queries.js'
import { exportAccount } from '../../src/operator/retention/export-account.js'
import { redactMessages } from '../../src/operator/retention/redact-account.js'
import { accountRetentionLoop } from '../../src/operator/retention/retention-loop.js'
import { addCalls } from '../../src/voice/call-queries.js'
import { createAccountRecords } from '../account-records.js'
import { fillStates } from '../account-twin.js'
import { activeCampaign, buyNumber } from '../fixtures.js'
import { eventually, type Json, type TestService, writesMessages } from '../harness.js'
import { type OperatedService, operatedService } from './operator-service.js'

const DAY_MS = 24 * 60 * 60 * 1000
const ACTOR = { kind: 'command', id: null, name: 'ana', origin: 'laptop', requestId: null } as const

async function sentMessage(service: TestService, campaign: string, given: Json = {}) {
  const input = { campaign, to: '+14155550199', body: 'Secret', metadata: { who: 'Ana' }, ...given }
  const { body } = await service.post('/v1/message/send', input)
  assert.equal(body.success, true, JSON.stringify(body))
  return body.id as string
}

async function readMessage(service: TestService, id: string) {
  return (await service.get(`/v1/message/${id}`)).body.message
}

/** Runs the retention loop until nothing is left to do. */
async function runRetention(service: OperatedService): Promise<void> {
  const loop = accountRetentionLoop(service.world)
  while ((await loop.step(new AbortController().signal)) > 0);
}

async function withNumber(service: OperatedService): Promise<string> {
  const { campaignId } = await activeCampaign(service)
  await buyNumber(service, campaignId)
  return campaignId
}

test('texts are deleted after their retention period, except those of messages still to be sent', async (t) => {
  const service = await operatedService(t, { roles: ['dispatch'] })
  const campaignId = await withNumber(service)
  await service.operate('PATCH', `/account/${service.accountId}`, { messageRetentionDays: 7 })
  const old = await sentMessage(service, campaignId)
  const later = new Date(Date.now() + 20 * DAY_MS).toISOString()
  const waiting = await sentMessage(service, campaignId, { scheduledAt: later })
  await eventually(async () => (await readMessage(service, old)).status === 'DELIVERED')

  await runRetention(service)
  assert.equal((await readMessage(service, old)).body, 'Secret')
  service.world.clock.moveTo(8 * DAY_MS)
  const fresh = await sentMessage(service, campaignId)
  await runRetention(service)
  const redacted = await readMessage(service, old)
  assert.deepEqual([redacted.body, redacted.metadata, redacted.to], ['', {}, '+14155550199'])
  assert.equal((await readMessage(service, waiting)).body, 'Secret')
  assert.equal((await readMessage(service, fresh)).body, 'Secret')

  // Once it is sent, the skipped message is redacted too.
  service.world.clock.moveTo(20 * DAY_MS + 60_000)
  service.world.hints.notify('clock')
  await eventually(async () => (await readMessage(service, waiting)).status === 'DELIVERED')
  await runRetention(service)
  assert.equal((await readMessage(service, waiting)).body, '')
})

test('media files and links are deleted after the media retention period, and the text remains', async (t) => {
  const service = await operatedService(t)
  const campaignId = await withNumber(service)
  await service.operate('PATCH', `/account/${service.accountId}`, { mediaRetentionDays: 1 })
  const id = await sentMessage(service, campaignId)
  const { db } = service.world
  writesMessages(service.world)
  await db.query(sql`
    update messages set media_urls = '["https://example.com/a.png"]', due_at = null,
      status = 'DELIVERED'
    where id = ${id}`)
  await db.query(sql`
    insert into media (id, account_id, message_id, content_type, content, created_at)
    values ('med_1', ${service.accountId}, ${id}, 'image/png', 'x', now())`)
  service.world.clock.moveTo(2 * DAY_MS)
  await runRetention(service)
  const message = await readMessage(service, id)
  assert.deepEqual([message.mediaUrls, message.body], [[], 'Secret'])
  assert.deepEqual(await db.query(sql`select id from media`), [])
})

test('deleting a text also deletes its copies in finished webhook deliveries', async (t) => {
  const service = await operatedService(t)
  const { db, clock } = service.world
  for (const state of ['delivered', 'pending']) {
    await db.query(sql`
      insert into event_deliveries (account_id, id, subscriber_id, event_id, event_type, state,
        due_at, created_at)
      values (${service.accountId}, ${`dlv_00${state}`}, 'whk_1', 'evt_1', 'message.status',
        ${state}, ${state === 'pending' ? clock.now() : null}, ${clock.now()})`)
    await db.query(sql`
      insert into webhook_attempts (account_id, delivery_id, attempt, at, duration_ms, request_body)
      values (${service.accountId}, ${`dlv_00${state}`}, 1, ${clock.now()}, 1, 'Secret')`)
  }
  const options = { days: 1, withMedia: false, now: clock.now() }
  await redactMessages(db, ACTOR, service.accountId, options)
  const rows = await db.query(sql`
    select d.state, a.request_body as body
    from event_deliveries d
    join webhook_attempts a on a.account_id = d.account_id and a.delivery_id = d.id order by d.state`)
  assert.deepEqual(rows, [
    { state: 'delivered', body: null },
    { state: 'pending', body: 'Secret' },
  ])
  const [act] = await service.audit('&act=message.redact')
  assert.deepEqual(act!.after, { days: 1, texts: 0, media: 0 })
})

test('an export has all data of the account and no secrets', async (t) => {
  const service = await operatedService(t)
  const campaignId = await withNumber(service)
  const id = await sentMessage(service, campaignId)
  const hook = await service.post(`/v1/campaign/${campaignId}/webhooks`, {
    url: 'https://example.com/hook',
    eventTypes: ['message.status'],
  })
  await service.call('PUT', `/v1/campaign/${campaignId}/optouts/14155550188`, { reason: 'asked' })
  await service.post('/v1/brand/draft', { entityName: 'Draft Inc.' })
  await service.post('/v1/token/create', { name: 'second' })

  const lastCallAt = service.world.clock.now()
  const calls = { phoneNumber: '+14155550123', redirected: 2, refused: 1, lastCallAt }
  for (const day of ['2026-11-14', '2026-11-15']) {
    await addCalls(service.world.db, [{ accountId: service.accountId, day, ...calls }])
  }
  const lines: Json[] = []
  for await (const line of exportAccount(service.world.db, service.accountId, {
    withMedia: true,
  })) {
    lines.push(line)
  }
  const counts: Record<string, number> = {}
  for (const { record } of lines) counts[String(record)] = (counts[String(record)] ?? 0) + 1
  assert.deepEqual(counts, {
    account: 1,
    token: 2,
    brand: 2,
    campaign: 1,
    optout: 1,
    number: 1,
    numberCalls: 2,
    webhook: 1,
    message: 1,
    ledgerEntry: counts.ledgerEntry,
    act: 1,
  })
  assert.ok(counts.ledgerEntry! >= 3)
  assert.equal(lines.find(({ record }) => record === 'message')!.id, id)
  const text = JSON.stringify(lines)
  for (const secret of [hook.body.webhook.secret, hook.body.webhook.signature, service.token]) {
    assert.equal(text.includes(secret), false)
  }
})

test('an export in portions has every record once, also if numbers are released meanwhile', async (t) => {
  const service = await operatedService(t, { balance: '1000' })
  const own = await createAccountRecords(service, service, 'Mineral')
  await fillStates(service, own)
  const { db } = service.world
  const read = async (portion: number | undefined, onRecord: (line: Json) => Promise<unknown>) => {
    const lines: string[] = []
    const options = { withMedia: false, ...(portion && { portion }) }
    for await (const line of exportAccount(db, own.accountId, options)) {
      lines.push(JSON.stringify(line))
      await onRecord(line)
    }
    return lines
  }
  const whole = await read(undefined, async () => {})
  assert.deepEqual(await read(1, async () => {}), whole)
  const release = async ({ record, phoneNumber }: Json) => {
    if (record === 'number') {
      await db.query(sql`delete from numbers where phone_number = ${phoneNumber as string}`)
    }
  }
  const numbers = whole.filter((line) => line.startsWith('{"record":"number",'))
  assert.ok(numbers.length > 2)
  const lines = await read(1, release)
  assert.deepEqual(
    lines.filter((line) => line.startsWith('{"record":"number",')),
    numbers,
  )
})

test('deleting an account removes everything except its ledger and the audit log', async (t) => {
  const service = await operatedService(t)
  const campaignId = await withNumber(service)
  await sentMessage(service, campaignId)
  const other = await service.otherAccount()
  const path = `/account/${service.accountId}`
  const early = await service.operate('DELETE', `${path}?reason=asked`)
  assert.equal(early.status, 409)
  assert.equal(early.body.error, 'The account is ACTIVE. Only a SUSPENDED account can be deleted.')
  await service.operate('POST', `${path}/suspend`, { reason: 'asked' })
  const { body } = await service.operate('DELETE', `${path}?reason=asked`)
  assert.deepEqual(body, { success: true, id: service.accountId })

  const { db } = service.world
  const onSale = await db.query(sql`select phone_number from number_inventory`)
  assert.equal(onSale.length, 1)
  await runRetention(service)
  service.world.clock.moveTo(61_000)
  await runRetention(service)
  for (const table of DELETED_TABLES) {
    const left = await db.query({
      name: '',
      text: `select 1 from ${table} where account_id = $1`,
      values: [service.accountId],
    })
    assert.deepEqual(left, [], table)
  }
  assert.deepEqual(await db.query(sql`select * from account_retention`), [])
  const got = await service.operate('GET', path)
  assert.deepEqual([got.body.account.name, got.body.account.status], ['Deleted account', 'DELETED'])
  await eventually(async () => (await service.get('/v1/account')).status === 401)
  assert.equal((await service.get('/v1/account', { token: other.token })).status, 200)
  for (const [method, act, input] of [
    ['POST', '/resume', { reason: 'x' }],
    ['POST', '/credit', { amount: 1, note: 'x' }],
    ['POST', '/token/create', {}],
    ['PATCH', '', { name: 'x' }],
    ['DELETE', '?reason=again', undefined],
  ] as const) {
    const reply = await service.operate(method, `${path}${act}`, input)
    assert.deepEqual([reply.status, reply.body.code], [409, 'account_state'], act)
  }
  assert.deepEqual(
    (await service.audit(`&account=${service.accountId}`)).map(({ act }) => act),
    ['account.delete', 'account.suspend'],
  )
})

test('every table with account data is either deleted or deliberately kept', async (t) => {
  const { world } = await operatedService(t)
  const rows = await world.db.query<{ table: string }>(sql`
    select table_name as table from information_schema.columns
    join information_schema.tables using (table_schema, table_name)
    where column_name = 'account_id' and table_schema = 'public' and table_type = 'BASE TABLE'
      and not exists (select 1 from pg_class where relname = table_name and relispartition)
    order by 1`)
  assert.deepEqual(
    rows.map(({ table }) => table),
    [...DELETED_TABLES, ...KEPT_TABLES].sort(),
  )
})
