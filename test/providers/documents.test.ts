// The check of requests against the providers' published documents: it finds errors, and every request that our links
// can make passes it.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createBandwidth } from '../../src/carriers/providers/bandwidth/messages.js'
import type { MessageApi, ProviderRequest } from '../../src/carriers/providers/provider.js'
import { createTelnyx } from '../../src/carriers/providers/telnyx/messages.js'
import { createTwilio } from '../../src/carriers/providers/twilio/messages.js'
import type { Submission } from '../../src/messages/carrier-port.js'
import { type DocumentName, faultsOf } from './check-request.js'

const NOW = new Date('2026-11-16T12:00:00Z')
const CAMPAIGN = 'cmp_01j8zq4m5n6p7r8s9t0v1w2x3y'
const SID = '0123456789abcdef'.repeat(2)
const KEY = Buffer.alloc(32, 1).toString('base64')
const STATUS_URL = 'https://ours.test/carrier/acme/status/acc_1/msg_1/seal'

const PROVIDERS: Record<DocumentName, MessageApi> = {
  telnyx: createTelnyx({
    ...{ baseUrl: 'https://t.test', key: 'KEY', publicKey: KEY },
    profiles: new Map([[CAMPAIGN, 'profile-1']]),
    answersKeywords: true,
  }),
  bandwidth: createBandwidth({
    ...{ baseUrl: 'https://b.test', accountId: '55', user: 'u', password: 'p', application: 'app' },
    ...{ applications: new Map(), callbackUser: 'cu', callbackPassword: 'cp' },
    hasMmsReceipts: false,
    lookUpUrl: 'https://l.test',
  }),
  twilio: createTwilio({
    ...{ baseUrl: 'https://w.test', accountSid: `AC${SID}`, authToken: 'tok', user: 'SK' },
    ...{ password: 's', services: new Map([[CAMPAIGN, `MG${SID}`]]), answersKeywords: true },
    now: () => NOW,
    lookUpUrl: 'https://l.test',
  }),
}

const TEXT: Submission = {
  ...{ accountId: 'acc_1', id: 'msg_1', campaignId: CAMPAIGN, type: 'SMS', attempt: 1 },
  ...{ from: '+14152000001', to: '+14155550107', body: 'Grüße 😀', mediaUrls: [] },
  expiresAt: new Date(NOW.getTime() + 3_600_000),
}
const PICTURE: Submission = {
  ...TEXT,
  ...{ type: 'MMS', body: '', mediaUrls: ['https://m.test/1.png', 'https://m.test/2.png'] },
}

function held(name: DocumentName, { method, url, headers, body }: ProviderRequest): string[] {
  return faultsOf(name, { method, url, contentType: headers['content-type'], body: body ?? '' })
}

for (const name of ['telnyx', 'bandwidth', 'twilio'] as const) {
  test(`${name}: text, media, lookup, and query requests match the published document`, () => {
    const provider = PROVIDERS[name]
    const requests = [
      provider.probe(),
      provider.submit(TEXT, STATUS_URL),
      provider.submit({ ...TEXT, campaignId: 'cmp_other' }, STATUS_URL),
      provider.submit(PICTURE, STATUS_URL),
      provider.lookUp!('+14155550107'),
      ...(provider.query ? [provider.query(TEXT, new Date(0))] : []),
    ]
    for (const request of requests) assert.deepEqual(held(name, request), [], request.url)
  })
}

test('the check finds misspelled, mistyped, and missing fields, and unknown paths', () => {
  const json = (name: DocumentName, url: string, fields: object) =>
    held(name, {
      ...{ method: 'POST', url, headers: { 'content-type': 'application/json' } },
      body: JSON.stringify(fields),
    })
  const telnyx = (fields: object) => json('telnyx', 'https://t.test/v2/messages', fields)
  assert.deepEqual(telnyx({ to: '+1' }), [])
  assert.match(telnyx({ to: '+1', body: 'x' })[0]!, /must NOT have additional properties: body/)
  assert.match(telnyx({ to: '+1', media_urls: 'x' })[0]!, /media_urls must be array/)
  assert.match(telnyx({ from: '+1' })[0]!, /required property 'to'/)

  const bandwidth = (fields: object) =>
    json('bandwidth', 'https://b.test/api/v2/users/5/messages', fields)
  const wrongs = bandwidth({ applicationId: 'a', from: '+1', to: '+1', expiration: 'soon' })
  assert.match(wrongs.join(), /to must be array.*expiration must match format "date-time"/)

  const url = `https://w.test/2010-04-01/Accounts/AC${SID}/Messages.json`
  const headers = { 'content-type': 'application/x-www-form-urlencoded' }
  const twilio = (body: string) => held('twilio', { method: 'POST', url, headers, body })
  assert.deepEqual(twilio('To=%2B14155550107&MediaUrl=https%3A%2F%2Fa.test%2F1'), [])
  assert.match(twilio('To=%2B14155550107&from=%2B1')[0]!, /additional properties: from/)
  assert.match(twilio('To=nobody')[0]!, /To must match format/)
  assert.match(twilio('To=%2B14155550107&ValidityPeriod=abc')[0]!, /must be integer/)
  assert.match(twilio('To=%2B14155550107&To=%2B14155550108')[0]!, /To must be string/)

  const look = { method: 'GET' as const, headers: {} }
  const foreign = held('telnyx', { ...look, url: 'https://t.test/v2/mesages' })
  assert.match(foreign[0]!, /is not an operation of telnyx/)
  const filter = (query: string) =>
    held('telnyx', { ...look, url: `https://t.test/v2/available_phone_numbers?${query}` })
  assert.deepEqual(filter('filter[features][]=sms&filter[features][]=mms&filter[limit]=10'), [])
  assert.match(filter('filter[limt]=10')[0]!, /additional properties: filter\[limt\]/)
})
