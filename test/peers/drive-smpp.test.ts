// Kannel's drive_smpp, the SMSC of Kannel's own tests, with our link. It supports no transceivers, returns no message
// ids, counts sequence numbers from 0, sends enquire_link after every message, and sends no receipts.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { hasDriveSmpp, NO_KANNEL, startDriveSmpp } from './kannel.js'
import { startLink, untilUp } from './link.js'
import { EMOJI, EXTENDED, LONG_GSM } from './texts.js'

const MESSAGES = 2_000

test('our link submits to drive_smpp and accepts every message it generates', async (t) => {
  if (!hasDriveSmpp) return t.skip(NO_KANNEL)
  const drive = await startDriveSmpp(t, MESSAGES)
  const link = await startLink(t, {
    port: drive.port,
    bindMode: 'transmitter_receiver',
    window: 50,
  })
  await untilUp(link)

  // It sends at most 500 messages more than it received.
  const texts = Array.from({ length: MESSAGES }, (_, i) => `Message ${i + 1} for {you}`)
  const answers = await link.send(...texts)
  assert.deepEqual(new Set(answers.map(({ kind }) => kind)), new Set(['sent']))
  assert.ok(answers.every((answer) => answer.kind === 'sent' && !answer.carrierIds?.includes('')))
  await drive.until(() => link.inbound.length >= MESSAGES, `${MESSAGES} inbound messages`)
  assert.deepEqual(
    link.inbound.map(({ body }) => body),
    texts.map((_, i) => String(i + 1)),
  )
  assert.deepEqual(
    new Set(link.inbound.map(({ from, to }) => `${from} ${to}`)),
    new Set(['456 123']),
  )
  assert.deepEqual(
    drive.submitted(),
    texts.map((text) => text.replace('{', '\x1b(').replace('}', '\x1b)')),
  )

  // Its log shows a text up to the first zero byte.
  await link.send(EXTENDED, EMOJI, LONG_GSM)
  assert.equal(
    drive.submitted()[MESSAGES],
    'Price \x1be5 \x1b(a\x1b) \x1b<b\x1b> \x1b\x14 \x1b= \x1b/ \x1b@ ',
  )
  await link.carrier.stop()
  await drive.until(() => drive.output().includes('Number of messages sent to SMSC:'), 'its end')
  const count = /Number of messages sent to SMSC: (\d+)/.exec(drive.output())
  assert.equal(Number(count![1]), drive.submitted().length)
  assert.doesNotMatch(drive.output(), /(WARNING|ERROR|PANIC): /)
})
