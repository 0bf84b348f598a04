// Which name is suggested for an unknown one.

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

test('another spelling leads to the name', () => {
  for (const given of ['areacode', 'area_code', 'Area-Code', 'AREA CODE', ' areaCode ']) {
    assert.equal(nearestName(given, known), 'areaCode', given)
  }
})

test('a synonym leads to the name, in any spelling', () => {
  for (const given of ['sendAt', 'send_at', 'SEND-AT']) {
    assert.equal(nearestName(given, known), 'scheduledAt', given)
  }
  assert.equal(nearestName('text', known), 'body')
  assert.equal(nearestName('recipient', known), 'to')
})

test('typos are recognized', () => {
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

test('a shortened or extended name leads to the name', () => {
  assert.equal(nearestName('screenshot', known), 'screenshotUrl')
  assert.equal(nearestName('bodyOfTheMessage', known), 'body')
})

test('an unrelated name gets no suggestion', () => {
  for (const given of ['foo', 'x', 'id', '', '---', '__proto__', 'constructor', 'z'.repeat(60)]) {
    assert.equal(nearestName(given, known), null, given)
  }
})

test('two swapped letters count as one typo', () => {
  assert.equal(distanceOf('', ''), 0)
  assert.equal(distanceOf('abc', ''), 3)
  assert.equal(distanceOf('form', 'from'), 1)
  assert.equal(distanceOf('kitten', 'sitting'), 3)
})
