// What the overview shows of alerts, and when a delivery rate is bad.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ListedAlert, MessageGroup, Notice } from '../../generated/types.gen'
import { alertsToShow, rateTone, unreportedGroups } from './attention'

const SINCE = '2026-11-15T00:00:00.000Z'

function alert(change: Partial<ListedAlert>): ListedAlert {
  const base = { kind: 'network_delivery', subject: 'att', campaignId: null, clearedAt: null }
  return { ...base, muted: false, ...change } as ListedAlert
}

function group(delivered: number, failed: number): MessageGroup {
  const statuses = { DELIVERED: delivered, READ: 0, FAILED: failed, EXPIRED: 0 }
  const deliveryRate = delivered / (delivered + failed)
  return { key: 'att', statuses, deliveryRate } as MessageGroup
}

test('25% is bad, 80% is a warning, and 95% is good', () => {
  assert.deepEqual([0.25, 0.8, 0.95].map(rateTone), ['bad', 'warn', 'ok'])
})

test('a bad rate needs attention even before an alert is raised, and small numbers do not', () => {
  assert.equal(unreportedGroups([group(314, 941)], [], SINCE).length, 1)
  assert.equal(unreportedGroups([group(0, 49)], [], SINCE).length, 0)
  assert.equal(unreportedGroups([group(314, 941)], [alert({})], SINCE).length, 0)
  const old = alert({ clearedAt: '2026-11-14T00:00:00.000Z' })
  assert.equal(unreportedGroups([group(314, 941)], [old], SINCE).length, 1)
})

test('muted and cleared alerts, and those that a notice reports, are not shown again', () => {
  const notice = { kind: 'campaign_returned', campaignId: 'cmp_1' } as Notice
  const low = { kind: 'low_balance', campaignId: null } as Notice
  const shown = (alerts: ListedAlert[]) => alertsToShow(alerts, [notice, low]).length
  assert.equal(shown([alert({}), alert({ muted: true }), alert({ clearedAt: SINCE })]), 1)
  assert.equal(shown([alert({ kind: 'campaign_trouble', campaignId: 'cmp_1' })]), 0)
  assert.equal(shown([alert({ kind: 'campaign_trouble', campaignId: 'cmp_2' })]), 1)
  assert.equal(shown([alert({ kind: 'balance_low' }), alert({ kind: 'webhook_failing' })]), 0)
})
