// What an operator allows one SMPP customer: its rate, its binds, its window, and where its system IDs bind from.

import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { sql } from '../../src/kit/postgres/sql.js'
import { statusName } from '../../src/smpp/pdu/status.js'
import { OPERATOR_TOKEN } from '../api/operator-service.js'
import { boundCustomer, Customer, plain, smppToken } from '../bound-customer.js'
import { eventually, type Json, type Reply, type TestService } from '../harness.js'
import { type Sending, sendingService, VZW } from '../sending.js'

interface OperatedService extends TestService {
  operate: (method: string, path: string, body?: unknown) => Promise<Reply>
}

async function smppService(t: TestContext): Promise<Sending & { service: OperatedService }> {
  const sending = await sendingService(t, {
    roles: ['api', 'dispatch', 'schedule'],
    env: { LONGCODE_SMPP_PORT: '0', LONGCODE_OPERATOR_TOKEN: OPERATOR_TOKEN },
  })
  const operate: OperatedService['operate'] = (method, path, body) =>
    sending.service.call(method, `/operator/v1${path}`, body, { token: OPERATOR_TOKEN })
  return { ...sending, service: { ...sending.service, operate } }
}

async function setLimits(service: OperatedService, limits: Json): Promise<Reply> {
  const reply = await service.operate('PATCH', `/account/${service.accountId}/smpp`, limits)
  assert.equal(reply.status, 200, JSON.stringify(reply.body))
  return reply
}

const allow = (service: OperatedService, systemId: string, allowedAddresses: string[] | null) =>
  service.operate('PATCH', `/smpp-system/${systemId}`, { allowedAddresses })

async function tryBind(t: TestContext, service: TestService, who: Parameters<Customer['bind']>[0]) {
  const customer = await Customer.connect(service.smppPort!)
  t.after(() => customer.end())
  return customer.bind(who)
}

test("an account's own number of binds applies, and null restores the server's", async (t) => {
  const { service } = await smppService(t)
  const who = await smppToken(service)
  const { body } = await setLimits(service, { binds: 1 })
  assert.deepEqual(body.smpp, {
    account: service.accountId,
    submitsPerSecond: null,
    binds: 1,
    window: null,
    systems: [
      {
        systemId: who.systemId,
        account: service.accountId,
        tokenId: who.tokenId,
        allowedAddresses: null,
      },
    ],
  })
  await boundCustomer(t, service, who)
  assert.equal(await tryBind(t, service, who), 'ESME_RALYBND')
  await setLimits(service, { binds: null })
  assert.equal(await tryBind(t, service, who), 'ESME_ROK')
})

test('a rate set while a customer is bound throttles it, and can be lifted again', async (t) => {
  const { service, number } = await smppService(t)
  const customer = await boundCustomer(t, service, await smppToken(service))
  const who = await smppToken(service)
  const other = await boundCustomer(t, service, who)
  const burst = async () => {
    const said = await Promise.all(
      Array.from({ length: 20 }, (_, i) => customer.submit(plain(number, VZW, `Text ${i}`))),
    )
    return new Set(said.map(({ status }) => status))
  }
  assert.deepEqual(await burst(), new Set(['ESME_ROK']))
  await setLimits(service, { submitsPerSecond: 1 })
  // One check of the binds reads both. When it unbinds the other customer, the limit applies.
  await allow(service, who.systemId, ['192.0.2.7'])
  await eventually(async () => other.closed !== null, 'a check of the binds')
  assert.ok((await burst()).has('ESME_RTHROTTLED'), 'the limit')
  await setLimits(service, { submitsPerSecond: 0 })
  await eventually(async () => !(await burst()).has('ESME_RTHROTTLED'), 'no limit')
})

test("an account's window applies to each of its binds", async (t) => {
  const { service, number } = await smppService(t)
  await setLimits(service, { window: 1 })
  const customer = await boundCustomer(t, service, await smppToken(service))
  const pdus = await Promise.all(
    Array.from({ length: 20 }, (_, i) =>
      customer.request('submit_sm', plain(number, VZW, `Text ${i}`)),
    ),
  )
  const statuses = pdus.map(({ status }) => statusName(status))
  assert.equal(statuses[0], 'ESME_ROK')
  assert.ok(statuses.includes('ESME_RTHROTTLED'), String(statuses))
})

test('a system ID binds only from its addresses, and is unbound when they change', async (t) => {
  const { service } = await smppService(t)
  const who = await smppToken(service)
  const other = await smppToken(service)
  assert.equal((await allow(service, who.systemId, ['192.0.2.0/24'])).status, 200)
  assert.equal(await tryBind(t, service, who), 'ESME_RBINDFAIL')
  assert.equal(await tryBind(t, service, other), 'ESME_ROK', 'another system id is not affected')
  const { body } = await allow(service, who.systemId, ['192.0.2.0/24', '127.0.0.0/8'])
  assert.deepEqual(body.system.allowedAddresses, ['192.0.2.0/24', '127.0.0.0/8'])
  const customer = await boundCustomer(t, service, who)
  await allow(service, who.systemId, ['192.0.2.7'])
  await eventually(async () => customer.closed !== null, 'the end of the bind')
  await allow(service, who.systemId, null)
  assert.equal(await tryBind(t, service, who), 'ESME_ROK')
})

test('invalid limits and addresses are refused in one sentence, and every change is in the audit log', async (t) => {
  const { service } = await smppService(t)
  const { systemId } = await smppToken(service)
  const path = `/account/${service.accountId}/smpp`
  const refused = async (reply: Promise<Reply>) => {
    const { status, body } = await reply
    return [status, body.error]
  }
  assert.deepEqual(await refused(service.operate('PATCH', path, { binds: 0 })), [
    400,
    'binds must be a whole number from 1 to 1000, or null',
  ])
  const words = 'allowedAddresses must contain only IP addresses or networks in CIDR notation'
  const [status, error] = await refused(allow(service, systemId, ['example.com']))
  assert.equal(status, 400)
  assert.ok(error.startsWith(words), error)
  assert.equal((await allow(service, systemId, [])).status, 400)
  assert.deepEqual(await refused(allow(service, 'lcnobody', null)), [
    404,
    'SMPP system ID not found',
  ])
  assert.equal((await service.operate('GET', '/account/acc_none/smpp')).status, 404)
  assert.equal((await service.get(`/operator/v1${path}`)).status, 401)

  await setLimits(service, { window: 5 })
  await allow(service, systemId, ['127.0.0.1'])
  const acts = await service.world.db.query<{ act: string; subject: string; after: Json }>(sql`
    select act, subject, after from audit_log where act like 'smpp.%' order by id`)
  assert.deepEqual(acts, [
    {
      act: 'smpp.limits',
      subject: service.accountId,
      after: { submitsPerSecond: null, binds: null, window: 5 },
    },
    { act: 'smpp.addresses', subject: systemId, after: { allowedAddresses: ['127.0.0.1'] } },
  ])
})
