// The rules for delivery rates and error codes: thresholds, hysteresis, small numbers, and one alert for one cause.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { OutcomeCount } from '../messages/usage/outcome-queries.js'
import { type Alert, type AlertFigures, type AlertFinding, keyOf } from './alert.js'
import { findDeliveryTrouble } from './delivery-rules.js'

const NOW = new Date('2026-11-15T12:30:00Z')
const HOUR = new Date('2026-11-15T12:00:00Z')

type Key = [campaignId: string, carrier: OutcomeCount['carrier']]

/** `failed` messages have error 1370. The week before had 95% of 1,000 unless said otherwise. */
function counts(
  [campaignId, carrier]: Key,
  delivered: number,
  failed: number,
  { code = 1370, before = [950, 50] } = {},
): OutcomeCount[] {
  const row = { campaignId, carrier, firstAt: HOUR, firstRecentAt: HOUR }
  const [well, badly] = before as [number, number]
  return [
    { ...row, errorCode: 0, recent: delivered, day: delivered, before: well },
    { ...row, errorCode: code, recent: failed, day: failed, before: badly },
  ]
}

function openAlert(kind: Alert['kind'], subject: string, figures: AlertFigures = {}): Alert {
  const texts = { whatHappened: '', whatToDo: '' }
  const times = { since: HOUR, raisedAt: HOUR, updatedAt: HOUR, clearedAt: null }
  return { kind, subject, campaignId: null, ...texts, figures, ...times, accountId: 'a', id: 'alr' }
}

function found(rows: OutcomeCount[], open: Alert[] = []) {
  const byKey = new Map(open.map((alert) => [keyOf(alert), alert]))
  return findDeliveryTrouble({ rows, open: byKey, nameOf: (id) => `“${id}”`, now: NOW })
}

/** Half of the failures have another code, so none is a spike. */
function mixed(key: Key, delivered: number, failed: number, before = [950, 50]): OutcomeCount[] {
  const [well, badly] = before as [number, number]
  const half = Math.floor(failed / 2)
  const [ok, one] = counts(key, delivered, failed - half, { before: [well, badly / 2] })
  const [, other] = counts(key, 0, half, { code: 1380, before: [0, badly / 2] })
  return [ok!, one!, other!]
}

const keys = (findings: AlertFinding[]) => findings.map(keyOf)

test('AT&T at 25% of 1,255 messages is one alert with the rate, the start, and the error', () => {
  const rows = [...counts(['one', 'att'], 314, 941), ...counts(['one', 'tmo'], 980, 20)]
  const { findings } = found(rows)
  assert.deepEqual(keys(findings), ['network_delivery att'])
  const [alert] = findings
  assert.match(alert!.whatHappened, /^AT&T: 25\.0% of 1,255 finished messages were delivered\./)
  assert.match(alert!.whatHappened, /Normal is 95\.0%\. Most frequent error: 1370/)
  assert.match(alert!.whatToDo, /Send only what the campaign is registered for/)
  assert.equal(alert!.since.getTime(), HOUR.getTime())
})

test('a few messages raise nothing, however many of them failed', () => {
  assert.deepEqual(found(counts(['one', 'att'], 0, 49)).findings, [])
  assert.deepEqual(keys(found(counts(['one', 'att'], 0, 50)).findings), ['network_delivery att'])
})

test('an alert is raised 15 points below normal, and cleared only 5 points above that', () => {
  assert.deepEqual(found(mixed(['one', 'att'], 800, 200)).findings, [])
  const low = found(mixed(['one', 'att'], 799, 201)).findings
  assert.deepEqual(keys(low), ['network_delivery att'])
  const open = [openAlert('network_delivery', 'att', low[0]!.figures)]
  assert.equal(found(mixed(['one', 'att'], 840, 160), open).findings.length, 1)
  assert.deepEqual(found(mixed(['one', 'att'], 850, 150), open), { findings: [], kept: [] })
})

test('a rate that was always low is still a problem, and does not become normal', () => {
  const always = { before: [250, 750] }
  const { findings } = found(counts(['one', 'att'], 250, 750, always))
  assert.deepEqual(keys(findings), ['network_delivery att'])
  // The normal rate of an open alert stays as it was.
  const open = [openAlert('network_delivery', 'att', { normalRate: 0.95 })]
  assert.equal(found(counts(['one', 'att'], 800, 200, always), open).findings.length, 1)
})

test('an account without history is compared with the usual rate', () => {
  assert.deepEqual(found(mixed(['one', 'att'], 80, 20, [0, 0])).findings, [])
  assert.equal(found(mixed(['one', 'att'], 79, 21, [0, 0])).findings.length, 1)
})

test('an open alert stays while too few messages finish, and clears after a day without any', () => {
  const open = [openAlert('network_delivery', 'att', { normalRate: 0.95 })]
  assert.deepEqual(found(counts(['one', 'att'], 3, 2), open).kept, ['network_delivery att'])
  assert.deepEqual(found([], open), { findings: [], kept: [] })
})

test('fifty campaigns that fail on one carrier are one alert about the carrier', () => {
  const rows = Array.from({ length: 50 }, (_, i) => [
    ...counts([`c${i}`, 'att'], 20, 80),
    ...counts([`c${i}`, 'tmo'], 98, 2),
  ]).flat()
  assert.deepEqual(keys(found(rows).findings), ['network_delivery att'])
})

test('several carriers that fail together are one alert', () => {
  const rows = [
    ...counts(['one', 'att'], 20, 80),
    ...counts(['two', 'att'], 20, 80),
    ...counts(['one', 'tmo'], 20, 80),
    ...counts(['two', 'tmo'], 20, 80),
  ]
  assert.deepEqual(keys(found(rows).findings), ['network_delivery all'])
})

test('a campaign that fails everywhere is one alert about the campaign', () => {
  const rows = [
    ...counts(['bad', 'att'], 10, 190),
    ...counts(['bad', 'tmo'], 10, 190),
    ...counts(['good', 'att'], 196, 4),
    ...counts(['good', 'tmo'], 196, 4),
  ]
  const { findings } = found(rows)
  assert.deepEqual(keys(findings), ['campaign_delivery bad'])
  assert.match(findings[0]!.whatHappened, /^Campaign “bad”: 5\.0% of 400/)
  assert.equal(findings[0]!.campaignId, 'bad')
})

test('many failing campaigns are one alert', () => {
  const rows = ['a', 'b', 'c', 'd'].flatMap((id) => [
    ...counts([id, 'att'], 50, 50),
    ...counts([id, 'tmo'], 50, 50),
  ])
  const healthy = Array.from({ length: 20 }, (_, i) => [
    ...counts([`ok${i}`, 'att'], 100, 0),
    ...counts([`ok${i}`, 'tmo'], 100, 0),
  ]).flat()
  assert.deepEqual(keys(found([...rows, ...healthy]).findings), ['network_delivery all'])
})

test('a new error code is a spike only if no carrier or campaign explains it', () => {
  const usual = { before: [999, 1], code: 1350 }
  const rows = [
    ...counts(['one', 'att'], 870, 130, usual),
    ...counts(['two', 'tmo'], 870, 130, usual),
  ]
  const { findings } = found(rows)
  assert.deepEqual(keys(findings), ['error_spike 1350'])
  assert.match(findings[0]!.whatHappened, /^Error 1350 .*: 260 of 2,000 finished messages, 13\.0%/)
  assert.deepEqual(keys(found([...counts(['one', 'att'], 100, 900, usual)]).findings), [
    'network_delivery att',
  ])
  // It stays until its share is less than 6 points above normal.
  const open = [openAlert('error_spike', '1350')]
  const fewer = (failed: number) => counts(['one', 'att'], 1000 - failed, failed, usual)
  assert.equal(found(fewer(70), open).findings.length, 1)
  assert.deepEqual(found(fewer(50), open).findings, [])
  // The same share as in the week before is no spike.
  assert.deepEqual(found(counts(['one', 'att'], 870, 130, { before: [870, 130] })).findings, [])
})
