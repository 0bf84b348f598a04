// Test events look like real ones, and belong to the tested webhook and to no real phone.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { EVENT_TYPES } from '../events/event.js'
import { isId } from '../kit/ids.js'
import { sampleData } from './sample-event.js'
import type { Webhook } from './webhook.js'

const NOW = new Date('2026-11-15T12:00:00.000Z')
const AT = NOW.toISOString()
const [OURS, THEIRS] = ['+14155550100', '+14155550199']
const WEBHOOK = { campaignId: 'cmp_01km3v9w8m0000pqv3t5x7z9zz' } as Webhook

// biome-ignore lint/suspicious/noExplicitAny: the test reads events without types
const sample = (type: (typeof EVENT_TYPES)[number]): any => sampleData(type, WEBHOOK, NOW)

test('every test event is marked as one', () => {
  for (const type of EVENT_TYPES) assert.equal(sample(type).test, true, type)
})

test('an incoming test message comes from the sample phone, a sent one goes to it', () => {
  const { message, ...rest } = sample('message.incoming')
  const said = { keyword: null, match: null, replyId: null, optoutSuspected: false, test: true }
  assert.deepEqual(rest, said)
  const shared = {
    createdAt: AT,
    updatedAt: AT,
    body: 'This is a test event.',
    mediaUrls: [],
    metadata: {},
    numSegments: 1,
    campaignId: WEBHOOK.campaignId,
    status: 'DELIVERED',
    automatic: null,
    price: 0,
  }
  const inbound = { direction: 'INBOUND', from: THEIRS, to: OURS, sentAt: null, ...shared }
  assert.deepEqual({ ...message, ...inbound }, message)
  assert.ok(isId('msg', message.id))

  const { message: sent, ...status } = sample('message.status')
  assert.deepEqual(status, { previousStatus: 'SENT', sequence: 3, test: true })
  const outbound = { direction: 'OUTBOUND', from: OURS, to: THEIRS, sentAt: AT, ...shared }
  assert.deepEqual({ ...sent, ...outbound }, sent)
})

test('a test opt-out comes from the sample phone, by STOP, now', () => {
  const { messageId, ...rest } = sample('recipient.optout')
  assert.ok(isId('msg', messageId))
  assert.deepEqual(rest, {
    recipient: THEIRS,
    number: OURS,
    campaignId: WEBHOOK.campaignId,
    keyword: 'STOP',
    match: 'exact',
    optedOutAt: AT,
    test: true,
  })
})

test('a change lists what changed, and the current record', () => {
  const { brand, ...verified } = sample('brand.changed')
  const changed = { previousStatus: 'PENDING', changed: ['status'], test: true }
  assert.deepEqual(verified, { change: 'verified', ...changed })
  assert.deepEqual([brand.status, brand.createdAt, brand.updatedAt], ['VERIFIED', AT, AT])

  const { campaign, ...returned } = sample('campaign.changed')
  const both = ['status', 'reviewNotes']
  assert.deepEqual(returned, { ...changed, change: 'returned', changed: both })
  assert.deepEqual(
    [campaign.id, campaign.status, campaign.updatedAt],
    [WEBHOOK.campaignId, 'DRAFT', AT],
  )
  assert.deepEqual(campaign.reviewNotes, [
    { field: 'sample1', note: 'Begin the message with the brand’s name.' },
  ])

  const { number, ...bought } = sample('number.changed')
  assert.deepEqual(bought, { change: 'bought', changed: [], test: true })
  assert.deepEqual(
    [number.phoneNumber, number.purchasedAt, number.campaignId],
    [OURS, AT, WEBHOOK.campaignId],
  )
})
