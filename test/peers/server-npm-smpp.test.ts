// npm `smpp` as a customer of our SMPP server: sends in every way it knows, and hears back.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { smppToken } from '../bound-customer.js'
import { eventually } from '../harness.js'
import { sendingService, VZW } from '../sending.js'
import { startNpmClient, textOf } from './npm-smpp.js'
import { chunks, EMOJI, EXTENDED, LATIN, LONG_GSM, LONG_UNICODE, udh } from './texts.js'

test('npm smpp sends by our server, and has its receipts and the messages of phones', async (t) => {
  const { service, number, message, inbound } = await sendingService(t, {
    roles: ['api', 'dispatch', 'schedule'],
    env: { LONGCODE_SMPP_PORT: '0' },
  })
  const client = await startNpmClient(t, service.smppPort!, await smppToken(service))
  const common = {
    source_addr: number.slice(1),
    destination_addr: VZW.slice(1),
    registered_delivery: 1,
  }
  const ids: string[] = []
  const submit = async (fields: Record<string, unknown>) => {
    const answer = await client.ask('submit_sm', { ...common, ...fields })
    assert.equal(answer.command_status, 0)
    ids.push(answer.message_id!)
  }
  for (const text of [EXTENDED, LATIN, EMOJI]) await submit({ short_message: text })
  await submit({ short_message: '', message_payload: LONG_GSM, data_coding: 0 })
  await submit({ short_message: '', message_payload: LONG_UNICODE, data_coding: 8 })
  const parts = chunks(LONG_UNICODE, 67)
  for (const [i, text] of parts.entries()) {
    const short_message = { udh: udh(7, parts.length, i + 1), message: text }
    await submit({ short_message, data_coding: 8 })
  }
  const messages = ids.filter((id) => id.startsWith('msg_'))
  const bodies = await Promise.all(messages.map(async (id) => (await message(id)).body))
  assert.deepEqual(bodies, [EXTENDED, LATIN, EMOJI, LONG_GSM, LONG_UNICODE, LONG_UNICODE])

  const receipts = () => client.taken.filter(({ esm_class }) => esm_class === 4)
  await eventually(async () => receipts().length === ids.length, `${ids.length} receipts`)
  assert.deepEqual(
    receipts()
      .map((pdu) => pdu.receipted_message_id)
      .sort(),
    [...ids].sort(),
  )
  for (const receipt of receipts()) {
    assert.equal(receipt.message_state, 2)
    assert.match(textOf(receipt), /^id:\S+ sub:001 dlvrd:001 .* stat:DELIVRD err:000/)
  }

  const refused = await client.ask('submit_sm', { ...common, source_addr: '1', short_message: 'x' })
  assert.equal(refused.command_status, 0x0a)

  const texts = () => client.taken.filter(({ esm_class }) => esm_class !== 4).map(textOf)
  for (const text of [EXTENDED, LATIN, EMOJI, LONG_UNICODE]) {
    const before = texts().length
    assert.equal((await inbound(VZW, text)).status, 200)
    await eventually(async () => texts().slice(before).join('') === text, text)
  }
  assert.equal((await client.unbind()).command_status, 0)
})
