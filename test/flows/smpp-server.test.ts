// Customers by SMPP: they bind, send, and get receipts, and every rule of the HTTP side applies to them.

import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { type TestContext, test } from 'node:test'
import type { CommandName } from '../../src/smpp/pdu/commands.js'
import { decodePdu } from '../../src/smpp/pdu/decode.js'
import { encodePdu } from '../../src/smpp/pdu/encode.js'
import { FrameSplitter } from '../../src/smpp/pdu/frame-splitter.js'
import { makePdu, type PduOf } from '../../src/smpp/pdu/pdu.js'
import { STATUS } from '../../src/smpp/pdu/status.js'
import { makeStandardTlv } from '../../src/smpp/pdu/tlv.js'
import { encodeText } from '../../src/smpp/text/alphabet.js'
import { absoluteTime, relativeTime } from '../../src/smpp/time.js'
import {
  boundCustomer,
  type Customer,
  describeResponse,
  plain,
  smppToken,
} from '../bound-customer.js'
import { eventually } from '../harness.js'
import { ATT, assertDollars, type Sending, SMS_PRICE, sendingService, VZW } from '../sending.js'

const OPTIONS = {
  roles: ['api', 'dispatch', 'schedule'] as const,
  env: { LONGCODE_SMPP_PORT: '0' },
}

const ROK = { status: 'ESME_ROK', sentence: '' }

async function smppService(t: TestContext, env = {}, balance = '100'): Promise<Sending> {
  return sendingService(t, { ...OPTIONS, balance, env: { ...OPTIONS.env, ...env } })
}

test('a customer binds, sends as over HTTP, and gets receipts', async (t) => {
  const { service, number, message, until, campaignId } = await smppService(t)
  const credentials = await smppToken(service, {})
  assert.match(credentials.systemId, /^lc[a-z2-9]{13}$/)
  assert.match(credentials.password, /^\w{8}$/)
  const before = await service.balance()
  const customer = await boundCustomer(t, service, credentials)

  const said = await customer.submit(plain(number, VZW, 'Hello by SMPP'))
  assert.deepEqual(said, { ...ROK, id: said.id })
  assert.match(said.id, /^msg_\w{26}$/)
  const sent = await message(said.id)
  assert.equal(sent.body, 'Hello by SMPP')
  assert.equal(sent.from, number)
  assert.equal(sent.to, VZW)
  assert.equal(sent.campaignId, campaignId)
  assert.deepEqual(sent.metadata, { smpp: credentials.systemId, smppReceipt: '1' })
  assertDollars(await service.balance(), before - SMS_PRICE)

  await until(said.id, 'DELIVERED')
  await eventually(async () => customer.receipts().length > 0, 'a receipt')
  assert.deepEqual(customer.receipts(), [{ id: said.id, state: 'DELIVERED', error: '000' }])
  const { body } = customer.delivered[0]!
  assert.equal(body.sourceAddr, VZW.slice(1))
  assert.equal(body.destinationAddr, number.slice(1))
  const counted = (name: string, ...labels: string[]) =>
    service.world.metrics.counter(`longcode_smpp_server_${name}_total`, '').cell(...labels).value
  // The server reads this after the answer to its receipt.
  assert.equal((await customer.submit(plain(number, VZW, 'Goodbye'))).status, 'ESME_ROK')
  assert.ok(counted('deliveries', 'ESME_ROK') > 0, 'the delivery is counted')
  assert.equal(counted('binds', 'bind_transceiver', 'ESME_ROK'), 1)
  assert.equal(counted('requests', 'submit_sm', 'ESME_ROK'), 2)

  const list = await service.get('/v1/token/list')
  const bound = list.body.tokens.find((one: { id: string }) => one.id === credentials.tokenId)
  assert.deepEqual(bound.smpp, {
    systemId: credentials.systemId,
    campaign: null,
    number: null,
    bound: 1,
  })
})

test('inbound messages arrive in order of their parts, in their alphabets', async (t) => {
  const { service, number, inbound, campaignId } = await smppService(t)
  const credentials = await smppToken(service, { campaign: campaignId })
  const customer = await boundCustomer(t, service, credentials, { as: 'bind_receiver' })
  await inbound(VZW, 'Is the table free? {€}')
  await eventually(async () => customer.texts().length === 1)
  const long = 'Привет, это длинное сообщение. '.repeat(5).trim()
  await inbound(VZW, long)
  await eventually(async () => customer.texts().join('').endsWith(long))
  const [first, ...rest] = customer.texts()
  assert.equal(first, 'Is the table free? {€}')
  assert.ok(rest.length > 1)
  assert.equal(rest.join(''), long)
  assert.equal(customer.delivered[0]!.body.sourceAddr, VZW.slice(1))
  assert.equal(customer.delivered[0]!.body.destinationAddr, number.slice(1))
})

test('what happens while nobody is bound waits for the next bind', async (t) => {
  const { service, number, inbound, until } = await smppService(t, {
    LONGCODE_METRICS_PUBLIC: 'true',
  })
  const credentials = await smppToken(service)
  const sender = await boundCustomer(t, service, credentials, { as: 'bind_transmitter' })
  const { id } = await sender.submit(plain(number, VZW, 'Later'))
  await until(id, 'DELIVERED')
  await inbound(VZW, 'An answer')
  assert.deepEqual(sender.delivered, [], 'a transmitter gets nothing')
  const gauge = async (name: string) => {
    const { body } = await service.get('/metrics', { token: null })
    return Number(new RegExp(`^longcode_smpp_server_${name} (\\S+)$`, 'm').exec(String(body))?.[1])
  }
  await eventually(async () => (await gauge('queue_waiting')) > 0, 'what waits is counted')
  assert.ok((await gauge('queue_pending')) > 0)
  assert.ok((await gauge('queue_oldest_seconds')) > 0)
  assert.equal(await gauge('binds'), 1)
  sender.end()
  const receiver = await boundCustomer(t, service, credentials, { as: 'bind_receiver' })
  await eventually(async () => receiver.delivered.length === 2)
  assert.deepEqual(receiver.receipts(), [{ id, state: 'DELIVERED', error: '000' }])
  assert.deepEqual(receiver.texts(), ['An answer'])
})

test('receipts go to the sender on request: final, failure only, intermediate, or none', async (t) => {
  const { service, number, until, send } = await smppService(t)
  const credentials = await smppToken(service)
  const customer = await boundCustomer(t, service, credentials)
  const other = await boundCustomer(t, service, await smppToken(service))
  const FAILS = '+14155550110'
  const submit = async (to: string, registeredDelivery: number) =>
    (await customer.submit(plain(number, to, `Wish ${registeredDelivery}`, { registeredDelivery })))
      .id
  const none = await submit(VZW, 0)
  const failureOnly = await submit(VZW, 2)
  const bad = await submit(FAILS, 2)
  const onTheWay = await submit(VZW, 0x11)
  const byHttp = await send()
  for (const id of [none, failureOnly, onTheWay, byHttp]) await until(id, 'DELIVERED')
  await until(bad, 'FAILED')
  await eventually(async () => customer.receipts().length >= 3)
  const last = await submit(VZW, 1)
  await eventually(async () => customer.receipts().some(({ id }) => id === last))
  const told = customer.receipts().filter(({ id }) => id !== last)
  assert.deepEqual(
    told.filter(({ id }) => id === bad),
    [{ id: bad, state: 'UNDELIVERABLE', error: '350' }],
  )
  assert.deepEqual(
    told.filter(({ id }) => id !== bad),
    [
      { id: onTheWay, state: 'ENROUTE', error: '000' },
      { id: onTheWay, state: 'DELIVERED', error: '000' },
    ],
  )
  assert.deepEqual(other.delivered, [], 'another system id gets no receipt')
})

test('each HTTP refusal maps to an SMPP status, with its sentence', async (t) => {
  const { service, number, inbound } = await smppService(t)
  const credentials = await smppToken(service)
  const customer = await boundCustomer(t, service, credentials)
  const refusal = async (fields: Parameters<Customer['submit']>[0], tlvs = []) => {
    const { status, id, sentence } = await customer.submit(fields, tlvs)
    assert.equal(id, '')
    assert.notEqual(sentence, '')
    return status
  }
  assert.equal(await refusal(plain('+14155550000', VZW, 'x')), 'ESME_RINVSRCADR')
  assert.equal(await refusal(plain('', VZW, 'x')), 'ESME_RINVSRCADR')
  assert.equal(await refusal(plain(number, '123', 'x')), 'ESME_RINVDSTADR')
  assert.equal(await refusal(plain(number, VZW, '')), 'ESME_RINVMSGLEN')
  assert.equal(await refusal(plain(number, VZW, 'x', { dataCoding: 4 })), 'ESME_RINVDCS')
  assert.equal(await refusal(plain(number, VZW, 'x', { esmClass: 0x08 })), 'ESME_RINVESMCLASS')
  const late = { scheduleDeliveryTime: absoluteTime(new Date('2001-01-01T00:00:00Z')) }
  assert.equal(await refusal(plain(number, VZW, 'x', late)), 'ESME_RINVSCHED')
  const soon = { validityPeriod: relativeTime(5) }
  assert.equal(await refusal(plain(number, VZW, 'x', soon)), 'ESME_RINVEXPIRY')
  const replacing = { replaceIfPresentFlag: 1 }
  assert.equal(await refusal(plain(number, VZW, 'x', replacing)), 'ESME_RINVREPFLAG')
  const tooLong = [makeStandardTlv('messagePayload', Buffer.alloc(1501, 0x61))]
  const { status } = await customer.submit(plain(number, VZW, ''), tooLong)
  assert.equal(status, 'ESME_RINVMSGLEN')

  await inbound(ATT, 'STOP')
  const opted = await customer.submit(plain(number, ATT, 'x'))
  assert.deepEqual(opted, {
    status: 'ESME_RPROHIBITED',
    id: '',
    sentence: 'Recipient has opted out',
  })

  const replaced = await customer.request('replace_sm', { messageId: 'msg_x' })
  assert.equal(describeResponse(replaced).status, 'ESME_RREPLACEFAIL')
})

test('submit_multi is refused as an unknown command, and the bind stays', async (t) => {
  const { service, number } = await smppService(t)
  const { systemId, password } = await smppToken(service)
  const socket = connect(service.smppPort!, '127.0.0.1')
  t.after(() => socket.destroy())
  const received: PduOf<CommandName>[] = []
  const splitter = new FrameSplitter((frame) => received.push(decodePdu(frame).pdu!))
  socket.on('data', (chunk: Buffer) => void splitter.push(chunk))
  socket.write(encodePdu(makePdu('bind_transceiver', 1, { systemId, password })))
  await eventually(async () => received.length === 1)
  const multi = encodePdu(makePdu('submit_sm', 2, plain(number, VZW, 'To many')))
  multi.writeUInt32BE(0x21, 4)
  socket.write(multi)
  socket.write(encodePdu(makePdu('enquire_link', 3, {})))
  await eventually(async () => received.length === 3)
  assert.deepEqual(
    received.map(({ command, sequence, status }) => [command, sequence, status]),
    [
      ['bind_transceiver_resp', 1, 0],
      ['generic_nack', 2, STATUS.ESME_RINVCMDID.code],
      ['enquire_link_resp', 3, 0],
    ],
  )
})

test('a submit that the balance does not cover is refused and costs nothing', async (t) => {
  // The number costs a dollar, and one message fits in the rest.
  const { service, number } = await smppService(t, {}, '1.01')
  const customer = await boundCustomer(t, service, await smppToken(service))
  assert.equal((await customer.submit(plain(number, VZW, 'The last'))).status, 'ESME_ROK')
  const before = await service.balance()
  assert.deepEqual(await customer.submit(plain(number, VZW, 'One more')), {
    status: 'ESME_RSUBMITFAIL',
    id: '',
    sentence: 'Insufficient account balance',
  })
  assertDollars(await service.balance(), before)
})

test('a message can be scheduled, queried, and canceled', async (t) => {
  const { service, number, message } = await smppService(t)
  const customer = await boundCustomer(t, service, await smppToken(service))
  const at = new Date(service.world.clock.nowMs() + 3_600_000)
  const times = { scheduleDeliveryTime: absoluteTime(at), validityPeriod: relativeTime(86_400) }
  const { id } = await customer.submit(plain(number, VZW, 'In an hour', times))
  const scheduled = await message(id)
  assert.equal(scheduled.status, 'SCHEDULED')
  assert.equal(scheduled.validitySeconds, 14_400)
  const query = async () => {
    const { body } = await customer.request('query_sm', { messageId: id })
    return body as { messageState: number; errorCode: number; finalDate: string }
  }
  assert.deepEqual(await query(), { messageId: id, finalDate: '', messageState: 1, errorCode: 0 })
  const cancel = (messageId: string) => customer.request('cancel_sm', { messageId })
  assert.equal(describeResponse(await cancel(id)).status, 'ESME_ROK')
  assert.equal(describeResponse(await cancel(id)).status, 'ESME_RCANCELFAIL')
  assert.equal(describeResponse(await cancel('msg_1')).status, 'ESME_RINVMSGID')
  const { messageState, errorCode, finalDate } = await query()
  assert.deepEqual([messageState, errorCode], [4, 110])
  assert.match(finalDate, /^\d{15}\+|^\d{12}000\+/)
  await eventually(async () => customer.receipts().length === 1)
  assert.deepEqual(customer.receipts(), [{ id, state: 'DELETED', error: '410' }])
})

test('an idempotency key submits once, also over another bind', async (t) => {
  const { service, number } = await smppService(t)
  const credentials = await smppToken(service)
  const one = await boundCustomer(t, service, credentials)
  const two = await boundCustomer(t, service, credentials)
  const key = [{ tag: 0x1501, value: Buffer.from('order-1042\0') }]
  const first = await one.submit(plain(number, VZW, 'Once'), key)
  const again = await two.submit(plain(number, VZW, 'Once'), key)
  assert.deepEqual(again, first)
  const other = await two.submit(plain(number, VZW, 'Another'), key)
  assert.equal(other.status, 'ESME_RINVOPTPARAMVAL')
})

test('data_sm, payloads, and all alphabets are read', async (t) => {
  const { service, number, message } = await smppService(t)
  const customer = await boundCustomer(t, service, await smppToken(service))
  const bodyOf = async (id: string) => (await message(id)).body
  const cases: [string, number, 'gsm7' | 'latin1' | 'ucs2'][] = [
    ['{€} [~] \\ ^|', 0, 'gsm7'],
    ['Schön', 3, 'latin1'],
    ['Привет 👋', 8, 'ucs2'],
  ]
  for (const [text, dataCoding, alphabet] of cases) {
    const shortMessage = encodeText(alphabet, text)
    const said = await customer.submit(plain(number, VZW, '', { dataCoding, shortMessage }))
    assert.equal(await bodyOf(said.id), text)
  }
  const long = 'ж'.repeat(300)
  const payload = [makeStandardTlv('messagePayload', encodeText('ucs2', long))]
  const said = await customer.submit(plain(number, VZW, '', { dataCoding: 8 }), payload)
  assert.equal(await bodyOf(said.id), long)
  const { sourceAddr, destinationAddr } = plain(number, VZW, '')
  const data = { sourceAddr, destinationAddr, registeredDelivery: 1, dataCoding: 8 }
  const answered = describeResponse(
    await customer.request('data_sm', data as never, [
      makeStandardTlv('messagePayload', encodeText('ucs2', 'Data')),
      makeStandardTlv('userMessageReference', 77),
    ]),
  )
  assert.equal(await bodyOf(answered.id), 'Data')
  assert.equal((await message(answered.id)).metadata.smppReference, '77')
})
