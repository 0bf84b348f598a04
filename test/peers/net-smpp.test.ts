// Net::SMPP, the SMPP library of Perl: as a customer of our SMSC and of our SMPP server, and as the SMSC of our
// link.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startSmsc } from '../../src/smsc/smsc.js'
import { OURS, PHONE, startLink, untilUp, wholeTexts } from './link.js'
import { hasNetSmpp, NO_NET_SMPP, startNetSmppClient, startNetSmppServer } from './net-smpp.js'
import { startSmppService } from './service.js'
import { EMOJI, fromUcs2, LATIN, LONG_UNICODE, ucs2 } from './texts.js'

const CREDENTIALS = { systemId: 'perl', password: 'secret12' }
const DIGITS = { ours: OURS.slice(1), phone: PHONE.slice(1) }

test('Net::SMPP submits to our SMSC and gets its receipts and inbound messages', async (t) => {
  if (!hasNetSmpp) return t.skip(NO_NET_SMPP)
  const smsc = await startSmsc({ ...CREDENTIALS, idForm: 'decimal' })
  t.after(() => smsc.stop())
  const client = startNetSmppClient(t, smsc.port, CREDENTIALS)
  await client.until(() => client.pdus('bind_transceiver_resp')[0], 'a bind')
  assert.equal(client.pdus('bind_transceiver_resp')[0]!.status, 0)

  const submit = (data_coding: number, bytes: Record<string, Buffer>) => {
    const { ours: source_addr, phone: destination_addr } = DIGITS
    const message = { source_addr, destination_addr, registered_delivery: 1, data_coding }
    client.send('submit_sm', message, bytes)
  }
  submit(8, { short_message: ucs2(EMOJI) })
  submit(3, { short_message: Buffer.from(LATIN, 'latin1') })
  submit(0, { short_message: Buffer.from('48691b651b281b291b140050', 'hex') })
  submit(8, { short_message: Buffer.alloc(0), message_payload: ucs2(LONG_UNICODE) })
  const receipts = () => client.pdus('deliver_sm').filter(({ fields }) => fields.esm_class === 4)
  await client.until(() => receipts().length === 4, 'four receipts')
  assert.deepEqual(
    smsc.accepted.map(({ text }) => text),
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
  // It acknowledges a part before it reports it.
  const parts = () => client.pdus('deliver_sm').filter(({ fields }) => fields.esm_class === 0x40)
  const bytes = () => parts().map(({ fields }) => Buffer.from(String(fields.short_message), 'hex'))
  await client.until(
    () => bytes()[0]?.[4] === parts().length,
    'as many parts as the first one announces',
  )
  const text = bytes()
    .map((part) => fromUcs2(part.subarray(6)))
    .join('')
  assert.equal(text, LONG_UNICODE)

  client.send('unbind')
  await client.until(() => client.pdus('unbind_resp')[0], 'a goodbye')
})

function fromHex(bytes: string | number | undefined): string {
  return bytesOf(bytes).toString('latin1')
}

test('Net::SMPP sends through our SMPP server as a customer and gets receipts and inbound messages', async (t) => {
  if (!hasNetSmpp) return t.skip(NO_NET_SMPP)
  const { smsc, port, credentials, number } = await startSmppService(t)
  const sender = startNetSmppClient(t, port, { ...credentials, bind: 'transmitter' })
  const receiver = startNetSmppClient(t, port, { ...credentials, bind: 'receiver' })
  await sender.until(() => sender.pdus('bind_transmitter_resp')[0], 'a bind')
  await receiver.until(() => receiver.pdus('bind_receiver_resp')[0], 'a bind')

  const submit = (data_coding: number, bytes: Record<string, Buffer>) => {
    const destination_addr = DIGITS.phone
    const message = { source_addr: number.slice(1), destination_addr, registered_delivery: 1 }
    sender.send('submit_sm', { ...message, data_coding }, bytes)
  }
  submit(8, { short_message: ucs2(EMOJI) })
  submit(3, { short_message: Buffer.from(LATIN, 'latin1') })
  submit(0, { short_message: Buffer.from('48691b651b281b291b140050', 'hex') })
  submit(8, { short_message: Buffer.alloc(0), message_payload: ucs2(LONG_UNICODE) })
  const texts = [EMOJI, LATIN, 'Hi€{}^@P', LONG_UNICODE]
  await sender.until(() => smsc.accepted.length === texts.length, 'all messages at the SMSC')
  assert.deepEqual(smsc.accepted.map(({ text }) => text).sort(), [...texts].sort())

  const receipts = () => receiver.pdus('deliver_sm').filter(({ fields }) => fields.esm_class === 4)
  await receiver.until(() => receipts().length === texts.length, 'all receipts')
  const ids = sender.pdus('submit_sm_resp').map(({ fields }) => String(fields.message_id))
  const said = receipts().map(
    ({ fields }) => /^id:(\S+) .* stat:DELIVRD/.exec(fromHex(fields.short_message))?.[1],
  )
  assert.deepEqual(said.sort(), ids.sort())

  assert.equal(await smsc.sendInbound({ from: PHONE, to: number, text: LONG_UNICODE }), true)
  const parts = () => receiver.pdus('deliver_sm').filter(({ fields }) => fields.esm_class === 0x40)
  const total = () => bytesOf(parts()[0]?.fields.short_message)[4]
  await receiver.until(() => total() === parts().length && total(), 'an inbound message')
  const text = parts()
    .map(({ fields }) => fromUcs2(bytesOf(fields.short_message).subarray(6)))
    .join('')
  assert.equal(text, LONG_UNICODE)
})

test('our link submits to Net::SMPP and reads its receipts and messages', async (t) => {
  if (!hasNetSmpp) return t.skip(NO_NET_SMPP)
  const server = await startNetSmppServer(t, '%010d')
  const codings = [
    { alphabet: 'latin1', dataCoding: 3 },
    { alphabet: 'ucs2', dataCoding: 8 },
  ] as const
  const link = await startLink(t, { port: server.port, codings, bindMode: 'transmitter_receiver' })
  await untilUp(link)

  const answers = await link.send(LATIN, EMOJI, LONG_UNICODE)
  assert.deepEqual(
    answers.map(({ kind }) => kind),
    ['sent', 'sent', 'sent'],
  )
  const [latin, emoji, ...long] = server.pdus('submit_sm').map(({ fields }) => fields)
  assert.deepEqual([latin!.data_coding, fromHex(latin!.short_message)], [3, LATIN])
  assert.equal(fromUcs2(bytesOf(emoji!.short_message)), EMOJI)
  const parts = long.map(({ short_message }) => fromUcs2(bytesOf(short_message).subarray(6)))
  assert.equal(parts.join(''), LONG_UNICODE)

  // Ids are decimal with leading zeros in responses and hex in receipts.
  const ids = answers.flatMap((answer) => (answer.kind === 'sent' ? answer.carrierIds! : []))
  assert.deepEqual(
    ids,
    server.pdus('submit_sm').map(({ id }) => id),
  )
  const { phone: source_addr, ours: destination_addr } = DIGITS
  const numbers = { source_addr, destination_addr, source_addr_ton: 1, dest_addr_ton: 1 }
  for (const id of ids) {
    const text = `id:${Number(id).toString(16).toUpperCase()} sub:001 dlvrd:000 submit date:2611160800 done date:2611160801 stat:UNDELIV err:001 Text:`
    server.send('deliver_sm', { ...numbers, esm_class: 4 }, { short_message: Buffer.from(text) })
  }
  server.send('deliver_sm', { ...numbers, data_coding: 8 }, { short_message: ucs2(EMOJI) })
  server.send(
    'deliver_sm',
    { ...numbers, data_coding: 8 },
    { short_message: Buffer.alloc(0), message_payload: ucs2(LONG_UNICODE) },
  )
  await server.until(() => link.inbound.length === 2, 'inbound messages')
  assert.deepEqual(wholeTexts(link.inbound), [EMOJI, LONG_UNICODE])
  assert.equal(link.receipts.length, ids.length)
  for (const [i, { of, status }] of link.receipts.entries()) {
    assert.equal(status, 'FAILED')
    assert.ok('carrierIds' in of && of.carrierIds.includes(ids[i]!))
  }
  const answered = () => server.pdus('deliver_sm_resp').filter(({ status }) => status === 0)
  await server.until(() => answered().length === ids.length + 2, 'responses to all of them')
  await link.carrier.stop()
  // It reports them after it has responded.
  await server.until(() => server.pdus('unbind').length === 2, 'an unbind of each')
})

function bytesOf(hex: string | number | undefined): Buffer {
  return Buffer.from(String(hex), 'hex')
}
