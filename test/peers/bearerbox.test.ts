// Kannel's bearerbox with its smsbox, the most widely used open-source SMS gateway: as a customer of our SMSC, and of
// a whole service whose own link goes to that SMSC.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startSmsc } from '../../src/smsc/smsc.js'
import { type Call, hasKannel, NO_KANNEL, startKannel, startReportServer } from './kannel.js'
import { startSmppService } from './service.js'
import { EMOJI, EXTENDED, LONG_GSM, LONG_UNICODE } from './texts.js'

const CREDENTIALS = { systemId: 'kannel', password: 'secret12' }
const OURS = '+14155550100'
const PHONE = '+14155550101'

test('bearerbox submits to our SMSC and passes on receipts and inbound messages', async (t) => {
  if (!hasKannel) return t.skip(NO_KANNEL)
  const smsc = await startSmsc({ ...CREDENTIALS, idForm: 'hex', receiptIdForm: 'decimal' })
  t.after(() => smsc.stop())
  const { port: callPort, calls } = await startReportServer(t)
  // Ids are hex in responses and decimal in receipts, as Kannel's msg-id-type counts the bits.
  const kannel = await startKannel(t, {
    smscPort: smsc.port,
    ...CREDENTIALS,
    callPort,
    smsc: ['msg-id-type = 0x01'],
  })

  for (const [i, text] of TEXTS.entries()) {
    assert.match(await kannel.send(messageOf(text, i, { from: OURS, callPort })), /^0: Accepted/)
  }
  await kannel.bearerbox.until(() => smsc.accepted.length === TEXTS.length, 'all messages')
  const receipts = () => callsOf(calls, '/receipt').map(({ query }) => Number(query.message))
  await kannel.smsbox.until(() => receipts().length >= TEXTS.length, 'all receipts')
  // In any order, because its queue does not preserve it.
  assert.deepEqual(smsc.accepted.map(({ text }) => text).sort(), [...TEXTS].sort())
  assert.deepEqual(
    new Set(smsc.accepted.map(({ from, to }) => `${from} ${to}`)),
    new Set([`${OURS} ${PHONE}`]),
  )
  assert.deepEqual(receipts().sort(), [0, 1, 2, 3])
  for (const { query } of callsOf(calls, '/receipt')) assert.equal(query.type, '1')

  for (const text of TEXTS)
    assert.equal(await smsc.sendInbound({ from: PHONE, to: OURS, text }), true)
  const inbound = () => callsOf(calls, '/inbound')
  await kannel.smsbox.until(() => inbound().length === TEXTS.length, 'all inbound messages')
  assert.deepEqual(
    inbound()
      .map(({ query }) => query.text)
      .sort(),
    [...TEXTS].sort(),
  )
})

test('bearerbox sends through our SMPP server as a customer and gets receipts and inbound messages', async (t) => {
  if (!hasKannel) return t.skip(NO_KANNEL)
  const { smsc, port, credentials, number, service, campaignId } = await startSmppService(t)
  const { port: callPort, calls } = await startReportServer(t)
  const kannel = await startKannel(t, { smscPort: port, ...credentials, callPort })

  for (const [i, text] of TEXTS.entries()) {
    assert.match(await kannel.send(messageOf(text, i, { from: number, callPort })), /^0: Accepted/)
  }
  await kannel.bearerbox.until(
    () => smsc.accepted.length === TEXTS.length,
    'all messages at the SMSC',
  )
  assert.deepEqual(smsc.accepted.map(({ text }) => text).sort(), [...TEXTS].sort())
  assert.ok(smsc.accepted.every(({ from, to }) => from === number && to === PHONE))
  const receipts = () => callsOf(calls, '/receipt').map(({ query }) => Number(query.message))
  await kannel.smsbox.until(() => receipts().length >= TEXTS.length, 'all receipts')
  assert.deepEqual(receipts().sort(), [0, 1, 2, 3])
  assert.ok(callsOf(calls, '/receipt').every(({ query }) => query.type === '1'))
  const { body } = await service.get(`/v1/message/list?campaign=${campaignId}`)
  assert.deepEqual(
    new Set(body.messages.map(({ status }: { status: string }) => status)),
    new Set(['DELIVERED']),
  )

  for (const text of TEXTS) {
    assert.equal(await smsc.sendInbound({ from: PHONE, to: number, text }), true)
  }
  const inbound = () => callsOf(calls, '/inbound')
  await kannel.smsbox.until(() => inbound().length === TEXTS.length, 'all inbound messages')
  assert.deepEqual(
    inbound()
      .map(({ query }) => query.text)
      .sort(),
    [...TEXTS].sort(),
  )
})

const TEXTS = [EXTENDED, EMOJI, LONG_GSM, LONG_UNICODE]

/** A request to smsbox, as an application would send it. */
function messageOf(
  text: string,
  index: number,
  { from, callPort }: { from: string; callPort: number },
): Record<string, string> {
  const coding = text === EMOJI || text === LONG_UNICODE ? { coding: '2' } : {}
  return {
    from,
    to: PHONE,
    charset: 'UTF-8',
    text,
    ...coding,
    'dlr-mask': '3',
    'dlr-url': `http://127.0.0.1:${callPort}/receipt?message=${index}&type=%d`,
  }
}

function callsOf(calls: readonly Call[], path: string): Call[] {
  return calls.filter((call) => call.path === path)
}
