// npm `smpp`, the SMPP that most people use in Node: as a customer of our SMSC.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startSmsc } from '../../src/smsc/smsc.js'
import { type Pdu, startNpmClient, textOf } from './npm-smpp.js'
import { untilTrue } from './peer-process.js'
import { chunks, EMOJI, EXTENDED, LATIN, LONG_GSM, LONG_UNICODE, udh } from './texts.js'

const CREDENTIALS = { systemId: 'npm', password: 'secret12' }
const OURS = '14155550100'
const PHONE = '14155550101'

test('npm smpp submits to our SMSC, and has its receipts and the messages of phones', async (t) => {
  const smsc = await startSmsc(CREDENTIALS)
  t.after(() => smsc.stop())
  const client = await startNpmClient(t, smsc.port, CREDENTIALS)
  const message = { source_addr: OURS, destination_addr: PHONE, registered_delivery: 1 }

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
    smsc.taken.map(({ text }) => text),
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
  return source_addr === PHONE && destination_addr === OURS
}
