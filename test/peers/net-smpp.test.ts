// Net::SMPP, the SMPP of Perl: as a customer of our SMSC.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startSmsc } from '../../src/smsc/smsc.js'
import { hasNetSmpp, NO_NET_SMPP, startNetSmppClient } from './net-smpp.js'
import { EMOJI, fromUcs2, LATIN, LONG_UNICODE, ucs2 } from './texts.js'

const CREDENTIALS = { systemId: 'perl', password: 'secret12' }
const OURS = '14155550100'
const PHONE = '14155550101'

test('Net::SMPP submits to our SMSC, and has its receipts and the messages of phones', async (t) => {
  if (!hasNetSmpp) return t.skip(NO_NET_SMPP)
  const smsc = await startSmsc({ ...CREDENTIALS, idForm: 'decimal' })
  t.after(() => smsc.stop())
  const client = startNetSmppClient(t, smsc.port, CREDENTIALS)
  await client.until(() => client.pdus('bind_transceiver_resp')[0], 'a bind')
  assert.equal(client.pdus('bind_transceiver_resp')[0]!.status, 0)

  const submit = (data_coding: number, octets: Record<string, Buffer>) => {
    const message = { source_addr: OURS, destination_addr: PHONE, registered_delivery: 1 }
    client.send('submit_sm', { ...message, data_coding }, octets)
  }
  submit(8, { short_message: ucs2(EMOJI) })
  submit(3, { short_message: Buffer.from(LATIN, 'latin1') })
  submit(0, { short_message: Buffer.from('48691b651b281b291b140050', 'hex') })
  submit(8, { short_message: Buffer.alloc(0), message_payload: ucs2(LONG_UNICODE) })
  const receipts = () => client.pdus('deliver_sm').filter(({ fields }) => fields.esm_class === 4)
  await client.until(() => receipts().length === 4, 'four receipts')
  assert.deepEqual(
    smsc.taken.map(({ text }) => text),
    [EMOJI, LATIN, 'Hi€{}^@P', LONG_UNICODE],
  )
  const ids = client.pdus('submit_sm_resp').map(({ fields }) => fields.message_id)
  assert.deepEqual(
    receipts().map(({ fields }) => String(fields.receipted_message_id).replace('\0', '')),
    ids,
  )
  for (const { fields } of receipts()) {
    assert.match(fromHex(fields.short_message), /^id:\d+ .* stat:DELIVRD err:000/)
  }

  assert.equal(await smsc.sendInbound({ from: PHONE, to: OURS, text: LONG_UNICODE }), true)
  const parts = client.pdus('deliver_sm').filter(({ fields }) => fields.esm_class === 0x40)
  const text = parts
    .map(({ fields }) => Buffer.from(String(fields.short_message), 'hex').subarray(6))
    .map(fromUcs2)
    .join('')
  assert.equal(text, LONG_UNICODE)

  client.send('unbind')
  await client.until(() => client.pdus('unbind_resp')[0], 'a goodbye')
})

function fromHex(octets: string | number | undefined): string {
  return Buffer.from(String(octets), 'hex').toString('latin1')
}
