// PATCH /v1/number/{number}/forwarding: where calls to a number are forwarded.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from '../../src/kit/postgres/sql.js'
import { startService } from '../../src/serve.js'
import { FAULT_TEXTS, type ForwardingFault } from '../../src/sip/forwarding/forwarding-policy.js'
import { activeCampaign, buyNumber } from '../fixtures.js'
import { type Reply, type TestService, testConfig, testService } from '../harness.js'
import { operatedService } from './operator-service.js'

const TARGET = '+14155550188'

async function ownNumber(service: TestService): Promise<{ number: string; url: string }> {
  const { campaignId } = await activeCampaign(service)
  const number = await buyNumber(service, campaignId)
  return { number, url: `/v1/number/${number.slice(1)}` }
}

test('forwarding can be set, changed, and stopped with null', async (t) => {
  const service = await testService(t)
  const { number, url } = await ownNumber(service)
  for (const forwardNumber of [TARGET, '+12125550199', null, null]) {
    const { status, body } = await service.call('PATCH', `${url}/forwarding`, { forwardNumber })
    assert.equal(status, 200)
    const forwardEnabled = forwardNumber !== null
    assert.deepEqual(body, { success: true, phoneNumber: number, forwardNumber, forwardEnabled })

    const { body: read } = await service.get(url)
    assert.equal(read.number.forwardNumber, forwardNumber)
    assert.equal(read.number.forwardEnabled, forwardEnabled)
  }
})

test('a leading plus in the path is accepted', async (t) => {
  const service = await testService(t)
  const { number } = await ownNumber(service)
  const { status, body } = await service.call('PATCH', `/v1/number/${number}/forwarding`, {
    forwardNumber: TARGET,
  })
  assert.equal(status, 200)
  assert.equal(body.phoneNumber, number)
})

test('a missing or malformed forwardNumber is an invalid number format', async (t) => {
  const service = await testService(t)
  const { url } = await ownNumber(service)
  await service.call('PATCH', `${url}/forwarding`, { forwardNumber: TARGET })
  const bodies: unknown[] = [
    {},
    { forwardNumber: '' },
    { forwardNumber: '   ' },
    { forwardNumber: '4155550188' },
    { forwardNumber: '14155550188' },
    { forwardNumber: '+1415555018' },
    { forwardNumber: '+141555501888' },
    { forwardNumber: '+1 415 555 0188' },
    { forwardNumber: '+1(415)5550188' },
    { forwardNumber: '+442071838750' },
    { forwardNumber: `${TARGET}\n` },
    { forwardNumber: 14155550188 },
    { forwardNumber: false },
    { forwardNumber: [TARGET] },
    { forwardNumber: { number: TARGET } },
  ]
  for (const input of bodies) {
    const { status, body } = await service.call('PATCH', `${url}/forwarding`, input)
    const { details, ...rest } = body
    assert.equal(status, 400, JSON.stringify(input))
    assert.deepEqual(rest, {
      success: false,
      error: 'Invalid number format',
      code: 'field_invalid',
    })
    assert.equal(details[0].field, 'forwardNumber')
  }
  const misnamed = await service.call('PATCH', `${url}/forwarding`, { forward: TARGET })
  assert.equal(misnamed.body.error, 'Invalid number format')
  assert.match(misnamed.body.warnings[0], /did you mean forwardNumber\?$/)
  const { body } = await service.get(url)
  assert.equal(body.number.forwardNumber, TARGET, 'a refusal changes nothing')
})

test('a number cannot forward to itself', async (t) => {
  const service = await testService(t)
  const { number, url } = await ownNumber(service)
  const { status, body } = await service.call('PATCH', `${url}/forwarding`, {
    forwardNumber: number,
  })
  assert.equal(status, 400)
  const problem = 'must be another number: a number cannot be forwarded to itself'
  assert.deepEqual(body, {
    success: false,
    error: `forwardNumber ${problem}`,
    code: 'field_invalid',
    details: [{ field: 'forwardNumber', problem }],
  })
  assert.equal((await service.get(url)).body.number.forwardNumber, null)
})

test('targets that are premium-rate, nonexistent, or not allowed are refused with the reason', async (t) => {
  const service = await testService(t)
  const { url } = await ownNumber(service)
  const rows: [string, ForwardingFault][] = [
    ['+19005550123', 'premium'],
    ['+19765550123', 'premium'],
    ['+14159760123', 'premium'],
    ['+15005550123', 'special'],
    ['+15335550123', 'special'],
    ['+17005550123', 'special'],
    ['+14155551212', 'special'],
    ['+18005551212', 'special'],
    ['+18765550123', 'caribbean'],
    ['+19112345678', 'impossible'],
    ['+14154110123', 'impossible'],
  ]
  for (const [forwardNumber, fault] of rows) {
    const { status, body } = await service.call('PATCH', `${url}/forwarding`, { forwardNumber })
    const problem = FAULT_TEXTS[fault]
    assert.equal(status, 400, forwardNumber)
    assert.equal(body.error, `forwardNumber ${problem}`)
    assert.deepEqual(body.details, [{ field: 'forwardNumber', problem }])
  }
  assert.equal((await service.get(url)).body.number.forwardNumber, null)
})

test('an operator can allow Caribbean targets', async (t) => {
  const service = await testService(t, { env: { LONGCODE_FORWARD_CARIBBEAN: 'true' } })
  const { url } = await ownNumber(service)
  const body = { forwardNumber: '+18765550123' }
  assert.equal((await service.call('PATCH', `${url}/forwarding`, body)).status, 200)
})

test('a target that leads back to the number is refused, even through another account', async (t) => {
  const service = await testService(t)
  const other = await service.otherAccount()
  const first = await ownNumber(service)
  const { campaignId } = await activeCampaign(service, other)
  const foreign = await buyNumber(service, campaignId, { token: other.token })
  const forwarded = await service.call(
    'PATCH',
    `/v1/number/${foreign}/forwarding`,
    { forwardNumber: first.number },
    { token: other.token },
  )
  assert.equal(forwarded.status, 200)
  const back = { forwardNumber: foreign }
  const { status, body } = await service.call('PATCH', `${first.url}/forwarding`, back)
  assert.equal(status, 400)
  assert.equal(body.error, `forwardNumber ${FAULT_TEXTS.loop}`)
})

test('a chain of five is allowed, a sixth is refused, and concurrent changes cannot close a loop', async (t) => {
  const service = await testService(t)
  const { campaignId } = await activeCampaign(service)
  const numbers: string[] = []
  for (let i = 0; i < 6; i += 1) numbers.push(await buyNumber(service, campaignId))
  const forward = (from: number, forwardNumber: string) =>
    service.call('PATCH', `/v1/number/${numbers[from]}/forwarding`, { forwardNumber })
  // Built from the end: five hops from the second number to an external one.
  assert.equal((await forward(5, TARGET)).status, 200)
  for (const i of [4, 3, 2, 1]) assert.equal((await forward(i, numbers[i + 1]!)).status, 200)
  const sixth = await forward(0, numbers[1]!)
  assert.equal(sixth.status, 400)
  assert.equal(sixth.body.error, `forwardNumber ${FAULT_TEXTS.chain}`)
  await service.call('PATCH', `/v1/number/${numbers[1]}/forwarding`, { forwardNumber: null })
  const both = await Promise.all([forward(0, numbers[1]!), forward(1, numbers[0]!)])
  assert.deepEqual(both.map(({ status }) => status).sort(), [200, 400])
})

test('an account can set a limited number of targets per hour, across all nodes', async (t) => {
  const env = { LONGCODE_FORWARD_CHANGES: '5' }
  const service = await testService(t, { env })
  const node = await startService(testConfig({ env }), service.databaseUrl, service.world.log)
  try {
    const { number, url } = await ownNumber(service)
    const targets = Array.from({ length: 10 }, (_, i) => `+1415555018${i}`)
    const set = async (forwardNumber: string | null, by: Pick<TestService, 'app'> = service) => {
      const headers = { authorization: `Bearer ${service.token}` }
      const request = { method: 'PATCH', url: `${url}/forwarding`, headers } as const
      return by.app.inject({ ...request, payload: { forwardNumber } })
    }
    const replies = await Promise.all(targets.map((to, i) => set(to, i % 2 ? node : service)))
    assert.equal(replies.filter(({ statusCode }) => statusCode === 200).length, 5)
    const refused = replies.filter(({ statusCode }) => statusCode === 429)
    assert.equal(refused.length, 5)
    for (const reply of refused) {
      assert.equal(reply.json().code, 'forwardings_too_many')
      assert.match(
        reply.json().error,
        /has set 5 forwarding targets .* Retry-After header\. You can stop forwarding/,
      )
      const seconds = Number(reply.headers['retry-after'])
      assert.ok(seconds > 0 && seconds <= 3_600, String(seconds))
    }
    const { forwardNumber } = (await service.get(url)).body.number
    assert.equal((await set(forwardNumber)).statusCode, 200, 'setting the same target again')
    assert.equal((await set(null)).statusCode, 200, 'stopping')
    assert.equal((await set(TARGET)).statusCode, 429)
    const other = await service.otherAccount()
    const { campaignId } = await activeCampaign(service, other)
    const theirs = await buyNumber(service, campaignId, { token: other.token })
    const { status } = await service.call(
      'PATCH',
      `/v1/number/${theirs}/forwarding`,
      { forwardNumber: number },
      { token: other.token },
    )
    assert.equal(status, 200, 'another account')
    service.world.clock.moveTo(3_600_000)
    assert.equal((await set(TARGET)).statusCode, 200, 'an hour later')
  } finally {
    await node.stop()
  }
})

test('a limit of 0 means unlimited, and refused changes do not count', async (t) => {
  const service = await testService(t, { env: { LONGCODE_FORWARD_CHANGES: '0' } })
  const { url } = await ownNumber(service)
  for (const target of [TARGET, '+12125550199', TARGET]) {
    const body = { forwardNumber: target }
    assert.equal((await service.call('PATCH', `${url}/forwarding`, body)).status, 200)
  }
  await service.call('PATCH', `${url}/forwarding`, { forwardNumber: '+19005550123' })
  const [counted] = await service.world.db.query(sql`select changes from forwarding_limits`)
  assert.deepEqual(counted, { changes: 3 })
})

test('the audit log shows who forwarded which number where, and skips changes without effect', async (t) => {
  const service = await operatedService(t)
  const { number, url } = await ownNumber(service)
  for (const forwardNumber of [null, TARGET, TARGET, null]) {
    await service.call('PATCH', `${url}/forwarding`, { forwardNumber })
  }
  const act = { act: 'number.forward', accountId: service.accountId, subject: number }
  assert.deepEqual(await service.audit('&act=number.forward'), [
    { ...act, before: { forwardNumber: TARGET }, after: { forwardNumber: null } },
    { ...act, before: { forwardNumber: null }, after: { forwardNumber: TARGET } },
  ])
  const { body } = await service.operate('GET', `/audit/list?subject=%2B${number.slice(1)}`)
  assert.equal(body.acts[0].actor.kind, 'customer')
  assert.match(body.acts[0].actor.id, /^tok_/)
})

test('an unknown or malformed number, or another account’s number, returns not found', async (t) => {
  const service = await testService(t)
  const other = await service.otherAccount()
  const { campaignId } = await activeCampaign(service, { accountId: other.accountId })
  const foreign = await buyNumber(service, campaignId, { token: other.token })
  const expected = { success: false, error: 'Number not found', code: 'number_missing' }
  for (const path of [foreign.slice(1), TARGET.slice(1), '4155550188', 'x', '%00']) {
    const url = `/v1/number/${path}/forwarding`
    const { status, body } = await service.call('PATCH', url, { forwardNumber: TARGET })
    assert.equal(status, 404, path)
    assert.deepEqual(body, expected)
  }
  const self = await service.call('PATCH', `/v1/number/${foreign}/forwarding`, {
    forwardNumber: foreign,
  })
  assert.deepEqual(self.body, expected)
  const { body } = await service.get(`/v1/number/${foreign}`, { token: other.token })
  assert.equal(body.number.forwardEnabled, false)
})

test('errors before the change include success: false', async (t) => {
  const service = await testService(t)
  const { url } = await ownNumber(service)
  const reader = await service.tokenWith(['read', 'send'])
  const patch = (body: unknown, options = {}): Promise<Reply> =>
    service.call('PATCH', `${url}/forwarding`, body, options)
  const json = { 'content-type': 'application/json' }
  const rows: [Reply, number, string][] = [
    [await patch({ forwardNumber: null }, { token: null }), 401, 'token_absent'],
    [await patch({ forwardNumber: null }, { token: 'lc_no' }), 401, 'token_unknown'],
    [await patch({ forwardNumber: null }, { token: reader }), 403, 'scope_absent'],
    [await patch('{"forwardNumber"', { headers: json }), 400, 'json_broken'],
    [await patch('null', { headers: json }), 400, 'body_invalid'],
    [await patch('x', { headers: { 'content-type': 'text/plain' } }), 415, 'not_json'],
  ]
  for (const [reply, status, code] of rows) {
    assert.equal(reply.status, status)
    assert.equal(reply.body.code, code)
    assert.equal(reply.body.success, false)
  }
})
