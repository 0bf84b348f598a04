// Every documented status of every provider in a callback about a message: its outcome, its code, and what it reports
// about the phone. A new provider gets its own row.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ReceiptCallback } from '../../src/carriers/providers/provider.js'
import { callbackTo } from './link-stage.js'
import { MESSAGES, messagesOf, type ProviderName } from './provider-messages.js'

const PHONE = '+14155550107'
const NUMBER = '+14152000001'

type Outcome = Partial<Omit<ReceiptCallback, 'kind' | 'carrierId'>>

interface Row {
  /** The body of a callback about the message `m-1` between our numbers, with these fields. */
  body: (fields: Record<string, unknown>) => string
  /** What each receipt has. */
  common: Outcome
  receipts: readonly (readonly [fields: Record<string, unknown>, Outcome])[]
}

const failed = (
  errorCode: ReceiptCallback['errorCode'],
  carrierCode: string | null,
  more: Outcome = {},
): Outcome => ({ status: 'FAILED', errorCode, carrierCode, ...more })
const unmapped = { isUnmapped: true }

function telnyxBody(fields: Record<string, unknown>): string {
  const { event = 'message.finalized', status, errors, ...more } = fields
  const to = [{ phone_number: PHONE, status, ...more }]
  const payload = { id: 'm-1', from: { phone_number: NUMBER }, to, errors }
  return JSON.stringify({ data: { event_type: event, id: 'e-1', payload } })
}

const telnyx: Row = {
  body: telnyxBody,
  common: { from: NUMBER, to: PHONE, facts: {} },
  receipts: [
    [{ status: 'queued', event: 'message.sent' }, { status: 'SENT' }],
    [{ status: 'sending', event: 'message.sent' }, { status: 'SENT' }],
    [{ status: 'sent', event: 'message.sent' }, { status: 'SENT' }],
    [{ status: 'new' }, { status: 'SENT' }],
    [{}, { status: 'SENT' }],
    [{ status: 'delivered' }, { status: 'DELIVERED' }],
    [
      { status: 'delivered', carrier: 'AT&T', line_type: 'Wireless' },
      { status: 'DELIVERED', facts: { network: 'att' } },
    ],
    [
      { status: 'delivery_unconfirmed' },
      { status: 'UNCONFIRMED', carrierCode: 'delivery_unconfirmed' },
    ],
    [{ status: 'delivery_failed' }, failed(1499, 'delivery_failed')],
    [{ status: 'sending_failed' }, failed(1499, 'sending_failed')],
    [{ status: 'expired' }, failed(1400, 'expired')],
    [
      { status: 'expired', errors: [{ code: '40005', title: 'Expired' }] },
      failed(1400, '40005 Expired'),
    ],
    [
      { status: 'sending_failed', errors: [{ code: '40002', detail: 'Spam' }] },
      failed(1370, '40002 Spam'),
    ],
    [
      { status: 'delivery_failed', errors: [{ code: 40006, title: 'Off', detail: 'Phone' }] },
      failed(1380, '40006 Off'),
    ],
    [{ status: 'delivery_failed', errors: [{ title: 'Odd' }] }, failed(1499, 'Odd')],
    [{ status: 'delivery_failed', errors: [{ code: '49999' }] }, failed(1499, '49999', unmapped)],
    [
      { status: 'delivery_failed', line_type: 'Wireline', errors: [{ code: '40001' }] },
      failed(1360, '40001', { facts: { isLandline: true } }),
    ],
    [
      { status: 'delivery_failed', line_type: 'Wireline', errors: [{ code: '40002' }] },
      failed(1370, '40002', { facts: { isLandline: true } }),
    ],
    [{ status: 'delivery_failed', errors: [{ code: '40001' }] }, failed(1350, '40001')],
    [
      { status: 'delivered', errors: [{ code: '49999', title: 'Late' }] },
      { status: 'DELIVERED', carrierCode: '49999 Late' },
    ],
  ],
}

function bandwidthBody(fields: Record<string, unknown>): string {
  const { media, direction, ...event } = fields
  const message = { id: 'm-1', tag: '/status/x', from: NUMBER, media, direction }
  return JSON.stringify([{ to: PHONE, ...event, message }])
}

const bandwidth: Row = {
  body: bandwidthBody,
  common: { tag: '/status/x', from: NUMBER, to: PHONE, facts: {} },
  receipts: [
    [{ type: 'message-sending' }, { status: 'SENT' }],
    [{ type: 'message-sent', direction: 'out' }, { status: 'SENT' }],
    [{ type: 'message-delivered', description: 'ok' }, { status: 'DELIVERED' }],
    [
      { type: 'message-delivered', carrierName: 'T-Mobile USA, Inc.' },
      { status: 'DELIVERED', facts: { network: 'tmo' } },
    ],
    [{ type: 'message-delivered', media: [] }, { status: 'DELIVERED' }],
    [{ type: 'message-delivered', media: ['https://x.test'] }, { status: 'SENT' }],
    [{ type: 'message-read', media: ['https://x.test'] }, { status: 'READ' }],
    [
      { type: 'message-failed', errorCode: 9902, description: 'none' },
      { status: 'UNCONFIRMED', carrierCode: '9902 none' },
    ],
    [{ type: 'message-failed' }, failed(1499, null)],
    [{ type: 'message-failed', description: 'odd' }, failed(1499, 'odd')],
    [{ type: 'message-failed', errorCode: 4720, description: 'no' }, failed(1350, '4720 no')],
    [{ type: 'message-failed', errorCode: '4403' }, failed(1345, '4403')],
    [{ type: 'message-failed', errorCode: 4999 }, failed(1499, '4999', unmapped)],
    [{ type: 'message-failed', media: ['https://x.test'], errorCode: 4770 }, failed(1370, '4770')],
  ],
}

const twilioBody = (fields: Record<string, unknown>) =>
  new URLSearchParams({
    ...{ MessageSid: 'm-1', From: NUMBER, To: PHONE, ...(fields as Record<string, string>) },
  }).toString()

const twilio: Row = {
  body: twilioBody,
  common: { from: NUMBER, to: PHONE, facts: {} },
  receipts: [
    ...['accepted', 'queued', 'sending', 'sent'].map(
      (MessageStatus) => [{ MessageStatus }, { status: 'SENT' }] as const,
    ),
    [{ MessageStatus: 'delivered' }, { status: 'DELIVERED' }],
    [{ SmsStatus: 'delivered' }, { status: 'DELIVERED' }],
    [{ MessageStatus: 'read' }, { status: 'READ' }],
    [{ MessageStatus: 'failed' }, failed(1499, null)],
    [{ MessageStatus: 'failed', ErrorCode: '' }, failed(1499, null)],
    [{ MessageStatus: 'failed', ErrorMessage: 'Odd' }, failed(1499, 'Odd')],
    [
      { MessageStatus: 'undelivered', ErrorCode: '30003', ErrorMessage: 'Off' },
      failed(1380, '30003 Off'),
    ],
    [{ MessageStatus: 'undelivered', ErrorCode: '39999' }, failed(1499, '39999', unmapped)],
    [{ MessageStatus: 'delivered', ErrorCode: '39999' }, { status: 'DELIVERED' }],
  ],
}

const ROWS: Record<ProviderName, Row> = { telnyx, bandwidth, twilio }
const USUAL = { errorCode: null, carrierCode: null, isUnmapped: false }

for (const [name, { body, common, receipts }] of Object.entries(ROWS) as [ProviderName, Row][]) {
  test(`${name}: each status in a callback has this outcome`, () => {
    for (const [fields, outcome] of receipts) {
      const expected = { kind: 'receipt', carrierId: 'm-1', ...USUAL, ...common, ...outcome }
      const found = MESSAGES[name].readCallbacks(callbackTo('/', body(fields)))
      assert.deepEqual(found, [expected], JSON.stringify(fields))
    }
  })
}

test('what names no message is refused, and other events are acknowledged', () => {
  const read = (name: ProviderName, body: string) =>
    MESSAGES[name].readCallbacks(callbackTo('/', body))
  const event = (event_type: string, payload: object) =>
    JSON.stringify({ data: { event_type, payload } })
  assert.equal(read('telnyx', event('message.finalized', { to: [] })), null)
  assert.deepEqual(read('telnyx', event('call.hangup', { id: 'x' })), [])
  assert.deepEqual(read('telnyx', event('10dlc.brand.update', {})), [])
  assert.equal(read('bandwidth', '[{"message":{"id":"x"}}]'), null)
  assert.equal(read('bandwidth', '[{"type":"message-sent","message":{}}]'), null)
  assert.deepEqual(read('bandwidth', '[{"type":"call-ended","message":{"id":"x"}}]'), [])
  const two = '[{"type":"message-sent","message":{"id":"a"}},{"type":"message-sent"}]'
  assert.equal(read('bandwidth', two), null, 'all or nothing')
  assert.equal(read('twilio', 'MessageStatus=sent'), null)
  assert.equal(read('twilio', 'MessageSid=&MessageStatus=sent'), null)
  assert.deepEqual(read('twilio', 'MessageSid=x&MessageStatus=scheduled'), [])
  const [bySms] = read('twilio', 'SmsSid=x&MessageStatus=sent')!
  assert.equal(bySms?.kind === 'receipt' && bySms.carrierId, 'x')
})

test('bandwidth: with receipts of MMS, a delivered one is delivered', () => {
  const body = bandwidthBody({ type: 'message-delivered', media: ['https://x.test'] })
  const [one] = messagesOf('bandwidth', { mmsReceipts: true }).readCallbacks(callbackTo('/', body))!
  assert.equal(one?.kind === 'receipt' && one.status, 'DELIVERED')
})
