// Long messages by SMPP, in parts: stored one by one, sent as one, with receipts if that is not possible.

import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { sql } from '../../src/kit/postgres/sql.js'
import { splitMessage } from '../../src/smpp/text/split-message.js'
import { OPERATOR_TOKEN } from '../api/operator-service.js'
import {
  boundCustomer,
  type Customer,
  describeResponse,
  plain,
  type SubmitResponse,
  smppToken,
} from '../bound-customer.js'
import { eventually, type TestService } from '../harness.js'
import { ATT, assertDollars, type Sending, SMS_PRICE, sendingService, VZW } from '../sending.js'

const LONG = 'Длинное сообщение 👋 по частям. '.repeat(8).trim()
const UCS2 = { alphabet: 'ucs2', dataCoding: 8 } as const

async function partsService(t: TestContext): Promise<Sending & { customer: Customer }> {
  const sending = await sendingService(t, {
    roles: ['api', 'dispatch', 'schedule'],
    env: { LONGCODE_SMPP_PORT: '0' },
  })
  const { service } = sending
  return { ...sending, customer: await boundCustomer(t, service, await smppToken(service)) }
}

interface PartsOptions {
  style?: 'udh8' | 'udh16' | 'sar'
  reference?: number
  text?: string
  to?: string
}

/** The submits of one long message, in the order of its parts. */
function partsOf(number: string, options: PartsOptions = {}) {
  const { style = 'udh8', reference = 7, text = LONG, to = VZW } = options
  return splitMessage(text, UCS2, style, reference).map(({ tlvs, ...fields }) => ({
    fields: plain(number, to, '', fields),
    tlvs,
  }))
}

const ids = (said: readonly SubmitResponse[]) =>
  said.map(({ status, id }) => (status === 'ESME_ROK' ? id : status))

test('parts get responses one by one, and the last one completes the message', async (t) => {
  const { service, number, customer, message, until } = await partsService(t)
  for (const [i, style] of (['udh8', 'udh16', 'sar'] as const).entries()) {
    const before = await service.balance()
    const said: SubmitResponse[] = []
    // One at a time, as a client with a window of one would.
    for (const { fields, tlvs } of partsOf(number, { style, reference: i })) {
      said.push(await customer.submit(fields, tlvs))
    }
    const [whole, ...earlier] = ids(said).reverse()
    assert.match(whole!, /^msg_/)
    for (const id of earlier) assert.match(id, /^prt_\w{26}-\d$/)
    const sent = await message(whole!)
    assert.equal(sent.body, LONG)
    assertDollars(await service.balance(), before - sent.numSegments * SMS_PRICE)
    await until(whole!, 'DELIVERED')
    await eventually(async () => customer.receipts().length === said.length * (i + 1))
    const own = customer.receipts().slice(-said.length)
    assert.deepEqual(own.map(({ id }) => id).sort(), ids(said).sort(), 'each has its receipt')
    assert.ok(own.every(({ state }) => state === 'DELIVERED'))
    const [part] = earlier
    const { body } = await customer.request('query_sm', { messageId: part! })
    assert.equal((body as { messageState: number }).messageState, 2)
  }
})

test('parts come in any order, over several binds, all at once', async (t) => {
  const { service, number, message } = await partsService(t)
  const credentials = await smppToken(service)
  const binds = [
    await boundCustomer(t, service, credentials),
    await boundCustomer(t, service, credentials),
  ]
  const said = await Promise.all(
    partsOf(number)
      .reverse()
      .map(({ fields, tlvs }, i) => binds[i % 2]!.submit(fields, tlvs)),
  )
  const whole = ids(said).filter((id) => id.startsWith('msg_'))
  assert.equal(whole.length, 1)
  assert.equal((await message(whole[0]!)).body, LONG)
})

test('a repeated part is the same part, and after a broken connection the same message', async (t) => {
  const { service, number, customer, send } = await partsService(t)
  await send() // the customer also sends over HTTP
  const credentials = await smppToken(service)
  const first = await boundCustomer(t, service, credentials)
  const parts = partsOf(number)
  const submit = ({ fields, tlvs }: (typeof parts)[number], by = first) => by.submit(fields, tlvs)
  const one = await submit(parts[0]!)
  assert.deepEqual(await submit(parts[0]!), one)
  const said = [one]
  for (const part of parts.slice(1)) said.push(await submit(part))
  const second = await boundCustomer(t, service, credentials)
  first.end()
  await eventually(async () => (await boundOf(service, credentials.tokenId)) === 1)
  assert.deepEqual(await submit(parts.at(-1)!, second), said.at(-1), 'the response was lost')
  const another: SubmitResponse[] = []
  for (const part of parts) another.push(await submit(part, second))
  assert.deepEqual(another.slice(0, -1), said.slice(0, -1), 'all of it is sent again')
  // The second connection had sent the last one itself and got its response, so it means another message.
  assert.match(another.at(-1)!.id, /^prt_/)
  assert.deepEqual(customer.delivered, [])
})

async function boundOf(service: TestService, tokenId: string): Promise<number> {
  const { body } = await service.get('/v1/token/list')
  return body.tokens.find(({ id }: { id: string }) => id === tokenId).smpp.bound
}

test('an incomplete message ends in receipts that report it', async (t) => {
  const { number, customer, advance } = await partsService(t)
  const [one, two] = partsOf(number)
  const said = [
    await customer.submit(one!.fields, one!.tlvs),
    await customer.submit(two!.fields, two!.tlvs),
  ]
  await advance(301)
  await eventually(async () => customer.receipts().length === 2)
  assert.deepEqual(
    customer.receipts(),
    ids(said).map((id) => ({ id, state: 'UNDELIVERABLE', error: '001' })),
  )
  const { status } = await customer.request('query_sm', { messageId: said[0]!.id })
  assert.notEqual(status, 0, 'it is gone')
})

test('a message that became whole before its process died is not reported as incomplete', async (t) => {
  const { service, number, customer, advance, until } = await partsService(t)
  const said: SubmitResponse[] = []
  for (const { fields, tlvs } of partsOf(number)) said.push(await customer.submit(fields, tlvs))
  await until(ids(said).at(-1)!, 'DELIVERED')
  await eventually(async () => customer.receipts().length === said.length)
  const { db } = service.world
  await db.query(sql`update smpp_parts set message_id = null`) // the process died before this was recorded
  const [incomplete] = partsOf(number, { reference: 9 })
  await customer.submit(incomplete!.fields, incomplete!.tlvs)
  await advance(301)
  await eventually(async () => (await db.query(sql`select 1 from smpp_parts`)).length === 0)
  await eventually(async () => customer.receipts().length > said.length)
  const failed = customer.receipts().filter(({ state }) => state !== 'DELIVERED')
  assert.equal(failed.length, 1, 'only the incomplete one')
  assert.equal(customer.receipts().length, said.length + 1)
})

test('the IDs of parts lead to their message for an hour after it is complete', async (t) => {
  const { number, customer, advance, until } = await partsService(t)
  const said: SubmitResponse[] = []
  for (const { fields, tlvs } of partsOf(number)) said.push(await customer.submit(fields, tlvs))
  const [whole, part] = ids(said).reverse() as [string, string]
  await until(whole, 'DELIVERED')
  const query = async () =>
    describeResponse(await customer.request('query_sm', { messageId: part })).status
  await advance(50 * 60)
  assert.equal(await query(), 'ESME_ROK')
  await advance(11 * 60)
  await eventually(async () => (await query()) !== 'ESME_ROK', 'the part is forgotten')
  assert.equal(await query(), 'ESME_RINVMSGID')
})

test('another message under the same reference ends the incomplete one', async (t) => {
  const { number, customer, message } = await partsService(t)
  const [one] = partsOf(number, { text: `${LONG} Old.` })
  const old = await customer.submit(one!.fields, one!.tlvs)
  const said: SubmitResponse[] = []
  const other = 'Другое длинное сообщение. '.repeat(6).trim()
  for (const { fields, tlvs } of partsOf(number, { text: other })) {
    said.push(await customer.submit(fields, tlvs))
  }
  assert.equal((await message(ids(said).at(-1)!)).body, other)
  await eventually(async () => customer.receipts().some(({ id }) => id === old.id))
  const receipt = customer.receipts().find(({ id }) => id === old.id)
  assert.deepEqual(receipt, { id: old.id, state: 'UNDELIVERABLE', error: '001' })
})

test('a long message that may be accepted later waits for its last part to arrive again', async (t) => {
  const { service, number, send, message } = await sendingService(t, {
    env: {
      LONGCODE_SMPP_PORT: '0',
      LONGCODE_OPERATOR_TOKEN: OPERATOR_TOKEN,
      LONGCODE_QUOTA_QUEUED: '1',
    },
  })
  const customer = await boundCustomer(t, service, await smppToken(service))
  await send() // nothing dispatches, so it fills the queue
  const parts = partsOf(number)
  const said: SubmitResponse[] = []
  for (const { fields, tlvs } of parts) said.push(await customer.submit(fields, tlvs))
  assert.equal(said.at(-1)!.status, 'ESME_RMSGQFUL')
  const path = `/operator/v1/account/${service.accountId}/quotas`
  const options = { token: OPERATOR_TOKEN }
  assert.equal((await service.call('PATCH', path, { queuedMessages: 10 }, options)).status, 200)
  const { fields, tlvs } = parts.at(-1)!
  const id = await eventually(async () => {
    const again = await customer.submit(fields, tlvs)
    return again.status === 'ESME_ROK' && again.id
  }, 'the larger quota')
  assert.equal((await message(id)).body, LONG)
})

test('a refused long message is refused by its last part, and the others get receipts', async (t) => {
  const { number, customer, inbound } = await partsService(t)
  await inbound(ATT, 'STOP')
  const said: SubmitResponse[] = []
  for (const { fields, tlvs } of partsOf(number, { to: ATT })) {
    said.push(await customer.submit(fields, tlvs))
  }
  assert.equal(said.at(-1)!.status, 'ESME_RPROHIBITED')
  const earlier = said.slice(0, -1).map(({ id }) => id)
  const told = () => customer.receipts().filter(({ state }) => state === 'REJECTED')
  await eventually(async () => told().length === earlier.length)
  assert.deepEqual(
    told(),
    earlier.map((id) => ({ id, state: 'REJECTED', error: '002' })),
  )
})
