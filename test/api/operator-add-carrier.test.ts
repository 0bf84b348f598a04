// POST /operator/v1/carrier/add: an operator sets up a link over HTTP. The audit log records it without secrets.

import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { type TestContext, test } from 'node:test'
import type { Role } from '../../src/kit/config.js'
import { sql } from '../../src/kit/postgres/sql.js'
import { temporaryFolder } from '../commands/run-command.js'
import { eventually, type Json, type TestService } from '../harness.js'
import { telnyxFace } from '../providers/faces.js'
import { FakeProvider } from '../providers/fake-provider.js'
import { OPERATOR_TOKEN, operatedService } from './operator-service.js'

const PUBLIC_URL = 'https://sms.ours.test'
const KEY = 'KEY-hush-hush'
const NUMBER = '+14152000001'
const PHONE = '+14155550107'

async function accountAt(
  t: TestContext,
  env: Record<string, string> = {},
  roles: readonly Role[] = [],
) {
  const face = telnyxFace()
  const called: { current: Pick<TestService, 'app'> | null } = { current: null }
  const fake = new FakeProvider(face, `${PUBLIC_URL}/carrier/telnyx`, () => async (place, call) => {
    const url = `/carrier/telnyx${place === '/' ? '' : place}`
    const headers = call.headers as Record<string, string>
    const { app } = called.current!
    const reply = await app.inject({ method: 'POST', url, headers, payload: call.body })
    return { status: reply.statusCode }
  })
  await fake.start()
  t.after(() => fake.stop())
  Object.assign(fake.account, { authorization: `Bearer ${KEY}`, publicKey: face.publicKey })
  const held = { id: `PN${'1'.repeat(32)}`, phoneNumber: NUMBER, profileId: null, forwardsTo: null }
  fake.numbers.purchased.set(NUMBER, held)
  const service = await operatedService(t, {
    roles,
    env: { LONGCODE_PUBLIC_URL: PUBLIC_URL, ...env },
  })
  called.current = service
  const body = { kind: 'telnyx', fields: { apiKey: KEY, url: fake.url } }
  const add = (more: object = {}) => service.operate('POST', '/carrier/add', { ...body, ...more })
  return { ...service, fake, add, body }
}

const states = (body: Json) =>
  (body.steps as { step: string; state: string }[]).map(({ step, state }) => `${step} ${state}`)

test('without a carriers file, the operator gets the lines to paste and what is missing', async (t) => {
  const { add, audit, fake } = await accountAt(t)
  const { status, body } = await add({ number: NUMBER })
  assert.equal(status, 200)
  assert.equal(body.isSetUp, false)
  assert.deepEqual(states(body), [
    'key done',
    'callbacks done',
    'container done',
    'numbers done',
    'file failed',
  ])
  assert.match(body.steps.at(-1).text, /^LONGCODE_CARRIERS is not set\. Put the link in a file/)
  assert.match(
    body.yaml,
    /links:\n {2}- name: telnyx\n {4}kind: telnyx\n {4}apiKey: \$\{TELNYX_KEY\}/,
  )
  assert.deepEqual(
    body.missing.map(({ what }: Json) => what),
    ['campaign'],
  )
  assert.ok(!JSON.stringify(body).includes(KEY))
  assert.equal(fake.account.containers.size, 1)
  const [act] = await audit('&act=carrier.add')
  assert.deepEqual([act!.act, act!.subject], ['carrier.add', 'telnyx'])
  assert.ok(!JSON.stringify(act).includes(KEY))
})

test('a wrong key or an invalid field is reported, and customer tokens have no access', async (t) => {
  const { add, call, body, fake, token } = await accountAt(t)
  const wrong = await add({ fields: { apiKey: 'another', url: fake.url } })
  assert.deepEqual(states(wrong.body), ['key failed'])
  assert.match(wrong.body.steps[0].text, /^Telnyx rejected this key \(HTTP 401, 10009/)

  const bare = await add({ fields: {} })
  assert.deepEqual(
    [bare.status, bare.body.success, bare.body.error],
    [400, false, 'apiKey is required: API key (portal.telnyx.com, API Keys).'],
  )
  const named = await add({ name: 'Not A Name' })
  assert.equal(named.body.error, 'name must be 1 to 40 lowercase letters, digits, - or _.')
  assert.equal((await add({ kind: 'plivo' })).status, 400)

  const asked = fake.requests.length
  const customer = await call('POST', '/operator/v1/carrier/add', body, { token })
  assert.ok([401, 403].includes(customer.status), String(customer.status))
  assert.equal(fake.requests.length, asked)
})

test('a dry run changes and records nothing, and a repeated Idempotency-Key sends no second text', async (t) => {
  const { add, audit, call, body, fake } = await accountAt(t)
  const plan = await add({ dryRun: true, testTo: PHONE })
  assert.deepEqual(
    states(plan.body).filter((state) => state.endsWith('planned')),
    ['container planned', 'test planned'],
  )
  assert.equal((await audit('&act=carrier.add')).length, 0)
  assert.ok(fake.requests.every(({ method }) => method === 'GET'))

  const options = { token: OPERATOR_TOKEN, headers: { 'idempotency-key': 'once' } }
  const sent = () => call('POST', '/operator/v1/carrier/add', { ...body, testTo: PHONE }, options)
  const first = await sent()
  assert.match(first.body.steps.at(-2).text, /\+14152000001 → \+14155550107: delivered\./)
  assert.match(
    first.body.steps.at(-1).text,
    /^Not waiting for a callback, because no running service has the link/,
  )
  const second = await sent()
  assert.equal(second.status, 200)
  assert.equal(fake.taken.length, 1)
  assert.equal(fake.account.containers.size, 1)
})

test('the link is written to the carriers file, and the service reloads it', async (t) => {
  const file = path.join(temporaryFolder(t), 'carriers.yaml')
  writeFileSync(file, '# ours\nlinks:\n  - { name: pretend, kind: simulator }\n')
  const { add, fake, operate, world } = await accountAt(t, { LONGCODE_CARRIERS: file }, [
    'dispatch',
  ])
  await eventually(async () => (await operate('GET', '/carrier/list')).body.links.length === 1)
  const { body } = await add({ testTo: PHONE })
  assert.equal(body.isSetUp, true, JSON.stringify(body))
  assert.deepEqual(states(body).slice(-5), [
    ...['file done', 'check done', 'reload done', 'test done', 'receipt done'],
  ])
  assert.equal(
    body.steps.at(-1).text,
    `Telnyx sent a callback to ${PUBLIC_URL}/carrier/telnyx. Receipts arrive.`,
  )
  assert.match(readFileSync(file, 'utf8'), /^# ours\n[\s\S]*pretend[\s\S]*apiKey: KEY-hush-hush\n/)
  assert.equal(fake.taken.length, 1)
  const strays = await world.db.query(sql`select from unmatched_receipts`)
  assert.equal(strays.length, 0, 'the test message is no longer watched')
  const elsewhere = await operate('POST', '/carrier/add', {
    kind: 'telnyx',
    fields: { url: 'https://elsewhere.invalid' },
  })
  assert.deepEqual(
    [elsewhere.status, elsewhere.body.error],
    [400, 'url differs from the link in the file. Set apiKey as well.'],
    'the key in the file is shown to nobody else',
  )
  const links = await eventually(async () => {
    const { body } = await operate('GET', '/carrier/list')
    return body.links.length === 2 && body.links
  }, 'the new link runs')
  assert.deepEqual(
    links.map(({ link }: Json) => link),
    ['pretend', 'telnyx'],
  )
})

test('an operator lists the providers that can be set up, with their form fields', async (t) => {
  const { operate, call, token } = await operatedService(t)
  const { status, body } = await operate('GET', '/carrier/providers')
  assert.equal(status, 200)
  const { providers } = body as unknown as {
    providers: { kind: string; hasRegistration: boolean; fields: Json[] }[]
  }
  assert.deepEqual(
    providers.map(({ kind, hasRegistration }) => [kind, hasRegistration]),
    [
      ['telnyx', true],
      ['bandwidth', false],
      ['twilio', false],
    ],
  )
  assert.deepEqual(providers[0]?.fields, [
    {
      ...{ name: 'apiKey', label: 'API key', isSecret: true, isRequired: true },
      help: 'portal.telnyx.com, API Keys. Starts with KEY.',
    },
  ])
  assert.deepEqual(
    providers[1]?.fields.map(({ name, isSecret, isRequired }) => [name, isSecret, isRequired]),
    [
      ['accountId', false, true],
      ['user', false, true],
      ['password', true, true],
      ['siteId', false, false],
      ['locationId', false, false],
    ],
  )
  const customer = await call('GET', '/operator/v1/carrier/providers', undefined, { token })
  assert.ok([401, 403].includes(customer.status), String(customer.status))
})
