// Kannel's bearerbox with its smsbox, the gateway that most of the open world speaks SMPP with: as a customer of
// our SMSC.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startSmsc } from '../../src/smsc/smsc.js'
import { type Call, hasKannel, NO_KANNEL, startCallServer, startKannel } from './kannel.js'
import { EMOJI, EXTENDED, LONG_GSM, LONG_UNICODE } from './texts.js'

const CREDENTIALS = { systemId: 'kannel', password: 'secret12' }
const OURS = '+14155550100'
const PHONE = '+14155550101'

test('bearerbox submits to our SMSC, and tells of receipts and of messages of phones', async (t) => {
  if (!hasKannel) return t.skip(NO_KANNEL)
  const smsc = await startSmsc({ ...CREDENTIALS, idForm: 'hex', receiptIdForm: 'decimal' })
  t.after(() => smsc.stop())
  const { port: callPort, calls } = await startCallServer(t)
  // Of the ids in answers, hex; of those in receipts, decimal: as Kannel counts the bits.
  const kannel = await startKannel(t, {
    smscPort: smsc.port,
    ...CREDENTIALS,
    callPort,
    smsc: ['msg-id-type = 0x01'],
  })

  const texts = [EXTENDED, EMOJI, LONG_GSM, LONG_UNICODE]
  for (const [i, text] of texts.entries()) {
    const coding = text === EMOJI || text === LONG_UNICODE ? { coding: '2' } : {}
    const reply = await kannel.send({
      from: OURS,
      to: PHONE,
      charset: 'UTF-8',
      text,
      ...coding,
      'dlr-mask': '3',
      'dlr-url': `http://127.0.0.1:${callPort}/receipt?message=${i}&type=%d`,
    })
    assert.match(reply, /^0: Accepted/)
  }
  await kannel.bearerbox.until(() => smsc.taken.length === texts.length, 'all messages')
  const receipts = () => callsOf(calls, '/receipt').map(({ query }) => Number(query.message))
  await kannel.smsbox.until(() => receipts().length >= texts.length, 'all receipts')
  // In any order: its queue does not keep it.
  assert.deepEqual(smsc.taken.map(({ text }) => text).sort(), [...texts].sort())
  assert.deepEqual(
    new Set(smsc.taken.map(({ from, to }) => `${from} ${to}`)),
    new Set([`${OURS} ${PHONE}`]),
  )
  assert.deepEqual(receipts().sort(), [0, 1, 2, 3])
  for (const { query } of callsOf(calls, '/receipt')) assert.equal(query.type, '1')

  for (const text of texts)
    assert.equal(await smsc.sendInbound({ from: PHONE, to: OURS, text }), true)
  const inbound = () => callsOf(calls, '/inbound')
  await kannel.smsbox.until(() => inbound().length === texts.length, 'all messages of phones')
  assert.deepEqual(
    inbound()
      .map(({ query }) => query.text)
      .sort(),
    [...texts].sort(),
  )
})

function callsOf(calls: readonly Call[], path: string): Call[] {
  return calls.filter((call) => call.path === path)
}
