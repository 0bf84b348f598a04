// Which name callers are led to when theirs is not known.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { distanceOf, nearestName } from './nearest-name.js'

const known = new Map(
  Object.entries({
    body: ['text', 'message'],
    to: ['recipient'],
    from: [],
    mediaUrls: ['media'],
    scheduledAt: ['sendAt'],
    campaign: [],
    areaCode: [],
    screenshotUrl: [],
    enabled: [],
  }).map(([name, also]) => [name, { also }]),
)

test('a name in another spelling is the name', () => {
  for (const given of ['areacode', 'area_code', 'Area-Code', 'AREA CODE', ' areaCode ']) {
    assert.equal(nearestName(given, known), 'areaCode', given)
  }
})

test('another word for it is led to the name, in any spelling', () => {
  for (const given of ['sendAt', 'send_at', 'SEND-AT']) {
    assert.equal(nearestName(given, known), 'scheduledAt', given)
  }
  assert.equal(nearestName('text', known), 'body')
  assert.equal(nearestName('recipient', known), 'to')
})

test('slips of the keys are seen through', () => {
  const slips = {
    bdoy: 'body',
    bod: 'body',
    form: 'from',
    enable: 'enabled',
    campagin: 'campaign',
    campaignId: 'campaign',
    scheduleAt: 'scheduledAt',
    recipent: 'to',
    messages: 'body',
  }
  for (const [given, wanted] of Object.entries(slips)) {
    assert.equal(nearestName(given, known), wanted, given)
  }
})

test('a name that is cut short, or goes on, is the name', () => {
  assert.equal(nearestName('screenshot', known), 'screenshotUrl')
  assert.equal(nearestName('bodyOfTheMessage', known), 'body')
})

test('what is near nothing has no nearest name', () => {
  for (const given of ['foo', 'x', 'id', '', '---', '__proto__', 'constructor', 'z'.repeat(60)]) {
    assert.equal(nearestName(given, known), null, given)
  }
})

test('a swap of two letters counts once', () => {
  assert.equal(distanceOf('', ''), 0)
  assert.equal(distanceOf('abc', ''), 3)
  assert.equal(distanceOf('form', 'from'), 1)
  assert.equal(distanceOf('kitten', 'sitting'), 3)
})
