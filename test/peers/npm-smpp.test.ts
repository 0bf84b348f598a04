// npm `smpp`, the most common SMPP library for Node: as a customer of our SMSC and of our SMPP server, and as the
// SMSC of our link.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startSmsc } from '../../src/smsc/smsc.js'
import { OURS, PHONE, startLink, untilUp, wholeTexts } from './link.js'
import { type Pdu, startNpmClient, startNpmServer, textOf } from './npm-smpp.js'
import { untilTrue } from './peer-process.js'
import { startSmppService } from './service.js'
import { chunks, EMOJI, EXTENDED, LATIN, LONG_GSM, LONG_UNICODE, udh } from './texts.js'

const CREDENTIALS = { systemId: 'npm', password: 'secret12' }
/** It writes numbers without a plus. */
const DIGITS = { ours: OURS.slice(1), phone: PHONE.slice(1) }

test('npm smpp submits to our SMSC and gets its receipts and inbound messages', async (t) => {
  const smsc = await startSmsc(CREDENTIALS)
  t.after(() => smsc.stop())
  const client = await startNpmClient(t, smsc.port, CREDENTIALS)
  const { ours: source_addr, phone: destination_addr } = DIGITS
  const message = { source_addr, destination_addr, registered_delivery: 1 }

  const ids: string[] = []
  const submit = async (fields: Record<string, unknown>) => {
    const answer = await client.ask('submit_sm', { ...message, ...fields })
    assert.equal(answer.command_status, 0)
    ids.push(answer.message_id!)
  }
  for (const text of [EXTENDED, LATIN, EMOJI]) await submit({ short_message: text })
  await submit({ short_message: '', message_payload: LONG_GSM, data_coding: 0 })
  await submit({ short_message: '', message_payload: LONG_UNICODE, data_coding: 8 })
  const parts = chunks(LONG_UNICODE, 67)
  for (const [i, text] of parts.entries()) {
    await submit({
      short_message: { udh: udh(7, parts.length, i + 1), message: text },
      data_coding: 8,
    })
  }
  assert.deepEqual(
    smsc.accepted.map(({ text }) => text),
    [EXTENDED, LATIN, EMOJI, LONG_GSM, LONG_UNICODE, LONG_UNICODE],
  )
  assert.equal(new Set(ids).size, ids.length)

  const receipts = () => client.taken.filter(({ esm_class }) => esm_class === 4)
  await untilTrue(
    () => receipts().length === ids.length,
    () => `${ids.length} receipts, ${receipts().length} came`,
  )
  assert.deepEqual(
    receipts()
      .map((pdu) => pdu.receipted_message_id)
      .sort(),
    [...ids].sort(),
  )
  for (const receipt of receipts()) {
    assert.equal(receipt.message_state, 2)
    const said = /^id:(\S+) sub:001 dlvrd:001 .* stat:DELIVRD err:000/.exec(textOf(receipt))
    assert.equal(said?.[1], receipt.receipted_message_id)
  }

  for (const text of [EXTENDED, EMOJI, LONG_GSM, LONG_UNICODE]) {
    assert.equal(await smsc.sendInbound({ from: PHONE, to: OURS, text }), true)
  }
  const inbound = client.taken.filter(({ esm_class }) => esm_class !== 4)
  assert.equal(inbound.map(textOf).join(''), [EXTENDED, EMOJI, LONG_GSM, LONG_UNICODE].join(''))
  assert.ok(inbound.every(isFromPhone))

  assert.equal((await client.unbind()).command_status, 0)
})

function isFromPhone({ source_addr, destination_addr }: Pdu): boolean {
  return source_addr === DIGITS.phone && destination_addr === DIGITS.ours
}

test('npm smpp sends through our SMPP server as a customer and gets receipts and inbound messages', async (t) => {
  const { smsc, port, credentials, number, service } = await startSmppService(t)
  const client = await startNpmClient(t, port, credentials)
  const message = {
    source_addr: number.slice(1),
    destination_addr: DIGITS.phone,
    registered_delivery: 1,
  }
  const ids: string[] = []
  const submit = async (fields: Record<string, unknown>) => {
    const answer = await client.ask('submit_sm', { ...message, ...fields })
    assert.equal(answer.command_status, 0)
    ids.push(answer.message_id!)
  }
  const texts = [EXTENDED, LATIN, EMOJI, LONG_GSM, LONG_UNICODE]
  for (const text of texts.slice(0, 3)) await submit({ short_message: text })
  await submit({ short_message: '', message_payload: LONG_GSM, data_coding: 0 })
  // Split as a naive client would: through surrogate pairs.
  const parts = chunks(LONG_UNICODE, 67)
  for (const [i, text] of parts.entries()) {
    const short_message = { udh: udh(7, parts.length, i + 1), message: text }
    await submit({ short_message, data_coding: 8 })
  }
  await untilTrue(
    () => smsc.accepted.length === texts.length,
    () => `${texts.length} messages at the SMSC, not ${smsc.accepted.length}`,
  )
  assert.deepEqual(smsc.accepted.map(({ text }) => text).sort(), [...texts].sort())

  const receipts = () => client.taken.filter(({ esm_class }) => esm_class === 4)
  const named = () => new Set(receipts().map((pdu) => pdu.receipted_message_id))
  await untilTrue(
    () => ids.every((id) => named().has(id)),
    () => `receipts of ${ids.length} ids, not ${named().size}`,
  )
  assert.ok(receipts().every((pdu) => pdu.message_state === 2))

  for (const text of [EXTENDED, LONG_UNICODE]) {
    assert.equal(await smsc.sendInbound({ from: PHONE, to: number, text }), true)
  }
  const inbound = () => client.taken.filter(({ esm_class }) => esm_class !== 4)
  await untilTrue(
    () => inbound().map(textOf).join('').length >= EXTENDED.length + LONG_UNICODE.length,
    () => 'inbound messages',
  )
  assert.equal(inbound().map(textOf).join(''), EXTENDED + LONG_UNICODE)

  const refused = await client.ask('submit_sm', {
    ...message,
    source_addr: '14155550000',
    short_message: 'x',
  })
  assert.equal(refused.command_status, 0x0a, 'ESME_RINVSRCADR')
  assert.equal((await client.unbind()).command_status, 0)
  assert.equal((await service.get('/v1/account')).status, 200)
})

test('our link submits to npm smpp in every style and reads its receipts and messages', async (t) => {
  for (const longStyle of ['udh8', 'udh16', 'sar', 'payload'] as const) {
    const server = await startNpmServer(t, (count) => (0xabc0 + count).toString(16))
    const link = await startLink(t, { port: server.port, longStyle })
    await untilUp(link)

    const texts = [EXTENDED, EMOJI, LONG_GSM, LONG_UNICODE]
    const answers = await link.send(...texts)
    assert.deepEqual(
      answers.map(({ kind }) => kind),
      texts.map(() => 'sent'),
    )
    // Parts of different messages may be interleaved, but the parts of each message stay in order.
    assert.deepEqual(new Set(textsTaken(server.taken)), new Set(texts), longStyle)
    assert.ok(server.taken.every(isFromUs))

    // Ids are hex in responses and decimal in receipts.
    const ids = answers.flatMap((answer) => (answer.kind === 'sent' ? answer.carrierIds! : []))
    assert.equal(ids.length, server.taken.length)
    for (const id of ids) {
      const said = `id:${BigInt(`0x${id}`)} sub:001 dlvrd:001 submit date:2611160800 done date:2611160801 stat:DELIVRD err:000 text:`
      await deliver(server, { esm_class: 4, short_message: said })
    }
    assert.equal(link.receipts.length, ids.length)
    for (const [i, { of, status }] of link.receipts.entries()) {
      assert.equal(status, 'DELIVERED')
      assert.ok('carrierIds' in of && of.carrierIds.includes(ids[i]!))
    }

    for (const short_message of [EXTENDED, LATIN, EMOJI]) await deliver(server, { short_message })
    // Split as some phones do: through the middle of the emoji.
    const halves = chunks('Oh 😀!', 4)
    for (const [i, text] of halves.entries()) {
      await deliver(server, {
        data_coding: 8,
        short_message: { udh: udh(9, 2, i + 1), message: text },
      })
    }
    assert.deepEqual(wholeTexts(link.inbound), [EXTENDED, LATIN, EMOJI, 'Oh 😀!'])
    assert.ok(link.inbound.every(({ from, to }) => from === PHONE && to === OURS))
    await link.carrier.stop()
    await server.stop()
  }
})

async function deliver(
  server: Awaited<ReturnType<typeof startNpmServer>>,
  fields: Record<string, unknown>,
): Promise<void> {
  const { phone: source_addr, ours: destination_addr } = DIGITS
  const numbers = { source_addr, destination_addr, source_addr_ton: 1, dest_addr_ton: 1 }
  const answer = await server.ask('deliver_sm', { ...numbers, ...fields })
  assert.equal(answer.command_status, 0)
}

function isFromUs({ source_addr, destination_addr }: Pdu): boolean {
  return source_addr === DIGITS.ours && destination_addr === DIGITS.phone
}

/** Parts of different messages may be interleaved, but each message's parts are in order. */
function textsTaken(pdus: readonly Pdu[]): string[] {
  const texts = new Map<string, string>()
  for (const [i, pdu] of pdus.entries()) {
    const header = pdu.short_message?.udh?.at(0) as Buffer | undefined
    const reference = pdu.sar_msg_ref_num ?? header?.toString('hex').slice(4, -4)
    const key = reference === undefined ? `whole ${i}` : `long ${reference}`
    texts.set(key, (texts.get(key) ?? '') + textOf(pdu))
  }
  return [...texts.values()]
}
