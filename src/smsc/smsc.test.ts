// Our SMSC from the perspective of clients that bind over a socket.

import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { type TestContext, test } from 'node:test'
import { bindTo, FROM, TO } from '../../test/smpp-customer.js'
import { until as untilSo } from '../../test/until.js'
import { STATUS } from '../smpp/pdu/status.js'
import { isReceipt, readReceipt, type SmppReceipt } from '../smpp/receipt.js'
import type { RequestOutcome, WorkPdu } from '../smpp/session/session-event.js'
import { USUAL_CODINGS } from '../smpp/text/data-coding.js'
import { readMessage } from '../smpp/text/read-message.js'
import { type SmscListener, startSmsc } from './smsc.js'
import type { SmscOptions } from './smsc-options.js'

const { ESME_ROK, ESME_RTHROTTLED, ESME_RMSGQFUL, ESME_RINVDSTADR } = STATUS

const until = (isSo: () => boolean) => untilSo(isSo, 'the expected result')

async function smscFor(t: TestContext, options: SmscOptions = {}, listener: SmscListener = {}) {
  const smsc = await startSmsc({ receiptDelayMs: 1, redeliverMs: 5, ...options }, listener)
  t.after(() => smsc.stop())
  return smsc
}

const statuses = (outcomes: { outcome: RequestOutcome }[]) =>
  outcomes.map(({ outcome }) => (outcome.kind === 'answered' ? outcome.pdu.status : outcome.kind))

function idsOf(outcomes: { outcome: RequestOutcome }[]): string[] {
  return outcomes.flatMap(({ outcome }) => {
    const body = outcome.kind === 'answered' ? outcome.pdu.body : null
    return body && 'messageId' in body ? [String(body.messageId)] : []
  })
}

function receiptsOf(deliveries: readonly WorkPdu[]): SmppReceipt[] {
  return deliveries.flatMap((pdu) =>
    pdu.command === 'deliver_sm' && isReceipt(pdu) ? [readReceipt(pdu)] : [],
  )
}

test('a client binds, submits, and gets a receipt with the id from the response', async (t) => {
  const smsc = await smscFor(t)
  const { seen, submit } = await bindTo(smsc.port)
  submit(TO, 'Hello', 1)
  await until(() => seen.deliveries.length === 1)

  const [message] = smsc.accepted
  assert.deepEqual(
    { ids: message!.ids, from: message!.from, to: message!.to, text: message!.text },
    { ids: idsOf(seen.outcomes), from: FROM, to: TO, text: 'Hello' },
  )
  const [receipt] = receiptsOf(seen.deliveries)
  assert.equal(receipt!.state, 'DELIVERED')
  assert.equal(receipt!.carrierIds[0], message!.ids[0])
  await until(() => smsc.counts.acknowledged === 1)
})

test('only the right system id and password can bind', async (t) => {
  const smsc = await smscFor(t, { systemId: 'me', password: 'secret' })
  assert.match((await bindTo(smsc.port, { systemId: 'you' })).seen.end, /ESME_RINVSYSID/)
  assert.match((await bindTo(smsc.port, { password: 'guess' })).seen.end, /ESME_RINVPASWD/)
  assert.ok((await bindTo(smsc.port, { password: 'secret' })).seen.isBound)
})

test('a long Unicode message is shown once, joined, with the ids of its parts', async (t) => {
  const shown: (string | null)[] = []
  const smsc = await smscFor(t, {}, { onMessage: ({ text }) => shown.push(text) })
  const { seen, submit } = await bindTo(smsc.port)
  const text = 'Grüße 🎉 '.repeat(30)
  submit(TO, text, 7)
  await until(() => shown.length === 1)
  assert.equal(shown[0], text)
  const [message] = smsc.accepted
  await until(() => seen.outcomes.length === message!.parts.length)
  assert.deepEqual(message!.ids, idsOf(seen.outcomes))
  assert.equal(message!.ids.length, 5)
  assert.equal(smsc.unfinishedCount, 0)
})

test('receipts arrive only if requested', async (t) => {
  const smsc = await smscFor(t)
  const { seen, submit } = await bindTo(smsc.port)
  submit(TO, 'none', 1, { registeredDelivery: 0 })
  submit(TO, 'on failure', 2, { registeredDelivery: 2 })
  submit(TO, 'always', 3, { registeredDelivery: 1 })
  await until(() => seen.deliveries.length === 1)
  assert.equal(receiptsOf(seen.deliveries)[0]!.carrierIds[0], idsOf(seen.outcomes)[2])
})

test('a receipt uses the configured dialect and id form', async (t) => {
  const seenIn = async (options: SmscOptions) => {
    const smsc = await smscFor(t, options)
    const { seen, submit } = await bindTo(smsc.port)
    submit(TO, 'Hello', 1)
    await until(() => seen.deliveries.length === 1)
    const [pdu] = seen.deliveries
    assert.ok(pdu?.command === 'deliver_sm')
    return { pdu, answered: idsOf(seen.outcomes)[0]!, receipt: readReceipt(pdu) }
  }
  const text = await seenIn({
    receiptDialect: 'text',
    idForm: 'hex',
    receiptIdForm: 'decimal',
    receipts: 'failed',
  })
  assert.equal(text.pdu.tlvs.length, 0)
  assert.equal(BigInt(`0x${text.answered}`).toString(), text.receipt.carrierIds[0])
  assert.deepEqual([text.receipt.state, text.receipt.error], ['UNDELIVERABLE', '027'])

  const tlv = await seenIn({ receiptDialect: 'tlv', idForm: 'uuid', receipts: 'failed' })
  assert.equal(tlv.pdu.body.shortMessage.length, 0)
  assert.match(tlv.answered, /^[0-9a-f-]{36}$/)
  assert.equal(tlv.receipt.carrierIds[0], tlv.answered)
  assert.deepEqual(tlv.receipt.network, { type: 3, code: 27 })
})

test('magic recipients are refused, throttled, or left without a receipt', async (t) => {
  const smsc = await smscFor(t)
  const { seen, submit } = await bindTo(smsc.port)
  const slow = ESME_RTHROTTLED.code
  for (const [i, last] of ['0110', '0120', '0140', '0140', '0140', '0150'].entries()) {
    submit(`+1415555${last}`, 'Hello', i)
  }
  await until(() => seen.outcomes.length === 6)
  assert.deepEqual(statuses(seen.outcomes), [ESME_RINVDSTADR.code, 0x43c, slow, slow, 0, 0])
  submit(TO, 'the last', 9)
  await until(() =>
    receiptsOf(seen.deliveries).some(({ carrierIds }) => carrierIds[0] === idsOf(seen.outcomes)[2]),
  )
  assert.equal(seen.deliveries.length, 2)
})

test('the same seed throttles the same submits', async (t) => {
  const run = async () => {
    const smsc = await smscFor(t, { throttle: 30, queueFull: 30, seed: 5 })
    const { seen, submit } = await bindTo(smsc.port)
    for (let i = 0; i < 50; i++) submit(TO, `Message ${i}`, i)
    await until(() => seen.outcomes.length === 50)
    assert.equal(
      smsc.accepted.length,
      statuses(seen.outcomes).filter((status) => status === 0).length,
    )
    return statuses(seen.outcomes)
  }
  const first = await run()
  assert.deepEqual(await run(), first)
  assert.deepEqual(new Set(first), new Set([0, ESME_RTHROTTLED.code, ESME_RMSGQFUL.code]))
})

test('submits over the rate are throttled', async (t) => {
  const smsc = await smscFor(t, { rate: 3 })
  const { seen, submit } = await bindTo(smsc.port)
  for (let i = 0; i < 5; i++) submit(TO, `Message ${i}`, i)
  await until(() => seen.outcomes.length === 5)
  const slow = ESME_RTHROTTLED.code
  assert.deepEqual(statuses(seen.outcomes), [0, 0, 0, slow, slow])
})

test('a message whose response is lost was accepted, and its receipt still arrives', async (t) => {
  const smsc = await smscFor(t, { lose: 100 })
  const { seen, submit } = await bindTo(smsc.port)
  submit(TO, 'Hello', 1)
  await until(() => seen.deliveries.length === 1)
  assert.deepEqual([seen.outcomes.length, smsc.accepted.length, smsc.counts.lost], [0, 1, 1])
})

test('responses arrive out of order, twice, and late', async (t) => {
  const smsc = await smscFor(t, { reorder: true, duplicateAnswers: true, delayMs: 20 })
  const { seen, submit } = await bindTo(smsc.port)
  for (let i = 0; i < 16; i++) submit(TO, `Message ${i}`, i)
  await until(() => seen.outcomes.length === 16 && seen.stray.length === 16)
  const tokens = seen.outcomes.map(({ token }) => token)
  assert.notDeepEqual(
    tokens,
    [...tokens].sort((a, b) => a - b),
  )
  for (const { token, outcome } of seen.outcomes) {
    const [id] = idsOf([{ outcome }])
    assert.equal(smsc.accepted.find(({ ids }) => ids[0] === id)!.text, `Message ${token}`)
  }
})

test('the connection is cut at the configured submit, which is accepted without a response', async (t) => {
  const smsc = await smscFor(t, { killEvery: 3 })
  const { seen, submit } = await bindTo(smsc.port)
  for (let i = 0; i < 5; i++) submit(TO, `Message ${i}`, i)
  await until(() => seen.end !== '')
  assert.match(seen.end, /^disconnected/)
  assert.equal(statuses(seen.outcomes).at(-1), 'unknown')
  assert.deepEqual(
    smsc.accepted.map(({ text }) => text),
    ['Message 0', 'Message 1', 'Message 2'],
  )
  assert.ok((await bindTo(smsc.port)).seen.isBound)
})

test('a frozen SMSC keeps its sockets open and sends nothing until it thaws', async (t) => {
  const smsc = await smscFor(t)
  const { seen, submit } = await bindTo(smsc.port)
  smsc.freeze(true)
  submit(TO, 'Hello', 1)
  const late = connect({ host: '127.0.0.1', port: smsc.port })
  await new Promise((resolve) => late.once('connect', resolve))
  late.destroy()
  assert.deepEqual([seen.outcomes.length, smsc.accepted.length, seen.end], [0, 0, ''])
  smsc.freeze(false)
  await until(() => seen.outcomes.length === 1)
})

test('an unacknowledged delivery is repeated over another connection', async (t) => {
  const smsc = await smscFor(t)
  const deaf = await bindTo(smsc.port, { isDeaf: true })
  deaf.submit(TO, 'Hello', 1)
  await until(() => deaf.seen.deliveries.length === 1)
  deaf.socket.destroy()
  const { seen } = await bindTo(smsc.port)
  await until(() => smsc.counts.acknowledged === 1)
  assert.deepEqual(
    receiptsOf(seen.deliveries)[0]!.carrierIds,
    receiptsOf(deaf.seen.deliveries)[0]!.carrierIds,
  )
})

test('a temporarily refused delivery is repeated, and a permanently refused one is not', async (t) => {
  const smsc = await smscFor(t)
  const { seen } = await bindTo(smsc.port)
  seen.deliveryStatus = STATUS.ESME_RX_T_APPN.code
  const sending = smsc.sendInbound({ from: TO, to: FROM, text: 'Hi' })
  await until(() => seen.deliveries.length === 2)
  seen.deliveryStatus = ESME_ROK.code
  assert.equal(await sending, true)
  seen.deliveryStatus = STATUS.ESME_RX_P_APPN.code
  assert.equal(await smsc.sendInbound({ from: TO, to: FROM, text: 'Hi' }), false)
})

test('a message from a phone waits for a bind and arrives as parts in the requested order', async (t) => {
  const smsc = await smscFor(t)
  const text = 'Viele Grüße aus Zürich 🎉 '.repeat(6)
  const sending = smsc.sendInbound({ from: TO, to: FROM, text, order: [3, 1, 1, 2] })
  await bindTo(smsc.port, { as: 'bind_transmitter' })
  const { seen } = await bindTo(smsc.port, { as: 'bind_receiver' })
  assert.equal(await sending, true)
  const parts = seen.deliveries.map((pdu) => {
    assert.ok(pdu.command === 'deliver_sm')
    assert.equal(pdu.body.sourceAddr, TO.slice(1))
    return readMessage(pdu, USUAL_CODINGS)
  })
  assert.deepEqual(
    parts.map(({ part }) => part!.sequence),
    [3, 1, 1, 2],
  )
  assert.equal([parts[1], parts[3], parts[0]].map((part) => part!.text).join(''), text)
})

test('a new SMSC delivers the messages of one that ended, and reports the acknowledgements', async (t) => {
  const first = await smscFor(t, { receiptDelayMs: 60_000 })
  const sender = await bindTo(first.port)
  sender.submit(TO, 'Hello', 1)
  await until(() => sender.seen.outcomes.length === 1)
  await first.stop()

  const receipted: string[] = []
  const onReceipted: SmscListener['onReceipted'] = ({ id }) => receipted.push(id.inAnswer)
  const second = await smscFor(t, {}, { onReceipted })
  for (const { parts } of first.accepted) for (const part of parts) second.resume(part)
  const { seen } = await bindTo(second.port)
  await until(() => receipted.length === 1)
  assert.deepEqual(receipted, idsOf(sender.seen.outcomes))
  assert.equal(receiptsOf(seen.deliveries)[0]!.carrierIds[0], receipted[0])
})

test('a query returns the state of a message, and canceling it before delivery deletes it', async (t) => {
  const smsc = await smscFor(t, { receiptDelayMs: 300 })
  const { seen, submit, smpp } = await bindTo(smsc.port)
  submit(TO, 'Hello', 1)
  await until(() => seen.outcomes.length === 1)
  const messageId = idsOf(seen.outcomes)[0]!
  smpp.request('query_sm', { messageId }, [], 2)
  smpp.request('cancel_sm', { messageId }, [], 3)
  smpp.request('cancel_sm', { messageId }, [], 4)
  smpp.request('query_sm', { messageId: 'another' }, [], 5)
  smpp.request('query_sm', { messageId }, [], 6)
  await until(() => seen.outcomes.length === 6 && seen.deliveries.length === 1)
  const said = seen.outcomes.slice(1).map(({ outcome }) => {
    assert.ok(outcome.kind === 'answered')
    const { body, status } = outcome.pdu
    return body && 'messageState' in body ? body.messageState : status
  })
  const { ESME_RCANCELFAIL, ESME_RQUERYFAIL } = STATUS
  assert.deepEqual(said, [1, 0, ESME_RCANCELFAIL.code, ESME_RQUERYFAIL.code, 4])
  assert.equal(receiptsOf(seen.deliveries)[0]!.state, 'DELETED')
})
