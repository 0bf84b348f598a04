// The rules for webhooks, the balance, campaigns, numbers, and links.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Alert, keyOf } from './alert.js'
import { findLinkTrouble, type WatchedLink } from './link-rules.js'
import { compareAlerts } from './record-alerts.js'
import {
  findFailingWebhooks,
  findLowBalance,
  findTroubledCampaigns,
  findTroubledNumbers,
  type NumberState,
  type WebhookState,
} from './state-rules.js'

const NOW = new Date('2026-11-15T12:30:00Z')
const ago = (minutes: number) => new Date(NOW.getTime() - minutes * 60_000)
const NONE = new Map<string, Alert>()

function openAlert(kind: Alert['kind'], subject: string, change: Partial<Alert> = {}): Alert {
  const texts = { whatHappened: 'old', whatToDo: '', figures: {} }
  const times = { since: ago(60), raisedAt: ago(60), updatedAt: ago(60), clearedAt: null }
  return { kind, subject, campaignId: null, ...texts, ...times, accountId: 'a', id: 'i', ...change }
}

const opened = (...alerts: Alert[]) => new Map(alerts.map((alert) => [keyOf(alert), alert]))

const WEBHOOK: WebhookState = {
  id: 'whk_1',
  name: null,
  url: 'https://hooks.test/a',
  campaignId: 'cmp_1',
  isEnabled: true,
  isDisabledByOwner: false,
  disabledReason: null,
  failingSince: null,
  updatedAt: ago(600),
}

test('webhooks of one server are one alert, after five minutes of failures', () => {
  const failing = (url: string, minutes: number) => ({
    ...WEBHOOK,
    url,
    failingSince: ago(minutes),
  })
  const found = findFailingWebhooks(
    [
      failing('https://hooks.test/a', 5),
      failing('https://hooks.test/b', 90),
      failing('https://new.test/', 4),
      WEBHOOK,
    ],
    NOW,
  )
  assert.deepEqual(found.map(keyOf), ['webhook_failing https://hooks.test'])
  assert.match(found[0]!.whatHappened, /^2 webhooks are failing/)
  assert.equal(found[0]!.since.getTime(), ago(90).getTime())
})

test('a webhook that the service disabled is an alert, and one that its owner disabled is not', () => {
  const off = {
    ...WEBHOOK,
    isEnabled: false,
    disabledReason: 'Every delivery has failed for 5 days',
  }
  assert.match(findFailingWebhooks([off], NOW)[0]!.whatHappened, /is disabled\. Every delivery/)
  assert.deepEqual(findFailingWebhooks([{ ...off, isDisabledByOwner: true }], NOW), [])
})

test('a balance for fewer days than set is an alert, which clears with a day more', () => {
  const week = { weekCostMicros: 70_000_000n, createdAt: new Date(0), daysMin: 3 }
  const days = (dollars: number, open = NONE) =>
    findLowBalance({ ...week, balanceMicros: BigInt(dollars * 1_000_000) }, open, NOW)
  assert.deepEqual(days(30), [])
  const [low] = days(29)
  assert.equal(low!.whatHappened, 'The balance of $29.00 lasts about 3 days at $10.00 per day.')
  assert.equal(low!.figures.days, 2.9)
  const open = opened(openAlert('balance_low', 'balance'))
  assert.equal(days(39, open).length, 1)
  assert.deepEqual(days(40, open), [])
  const little = { ...week, weekCostMicros: 900_000n, balanceMicros: 0n }
  assert.deepEqual(findLowBalance(little, NONE, NOW), [])
})

test('an account younger than a week is averaged over its age', () => {
  const state = { balanceMicros: 20_000_000n, weekCostMicros: 10_000_000n, daysMin: 3 }
  assert.equal(findLowBalance({ ...state, createdAt: ago(60) }, NONE, NOW).length, 1)
  assert.equal(findLowBalance({ ...state, createdAt: new Date(0) }, NONE, NOW).length, 0)
})

test('suspended and returned campaigns say what to do', () => {
  const campaign = { id: 'cmp_1', displayName: 'Acme', suspendedFor: null, updatedAt: NOW }
  const [suspended, returned] = findTroubledCampaigns([
    { ...campaign, status: 'SUSPENDED', suspendedFor: 'renewal' },
    { ...campaign, status: 'DRAFT' },
  ])
  assert.match(suspended!.whatToDo, /Add money/)
  assert.match(returned!.whatHappened, /was returned by the reviewer/)
})

test('a number that failed, is refused, or is not ready after a day is an alert', () => {
  const number: NumberState = {
    phoneNumber: '+14155550100',
    campaignId: 'cmp_1',
    status: 'ACTIVE',
    statusReason: null,
    refusedAt: null,
    purchasedAt: ago(60),
  }
  const texts = (change: Partial<NumberState>) =>
    findTroubledNumbers([{ ...number, ...change }], NOW).map(({ whatHappened }) => whatHappened)
  assert.deepEqual(texts({}), [])
  assert.deepEqual(texts({ status: 'PENDING' }), [])
  assert.match(texts({ status: 'PENDING', purchasedAt: ago(1441) })[0]!, /still not ready/)
  assert.match(
    texts({ status: 'FAILED', statusReason: 'Sold.' })[0]!,
    /could not be set up\. Sold\./,
  )
  assert.match(texts({ refusedAt: ago(5) })[0]!, /does not accept messages from/)
})

const LINK: WatchedLink = {
  link: 'main',
  state: 'up',
  since: ago(600),
  detail: null,
  delivered: 0,
  failed: 0,
  minutes: 15,
}

test('a link that is down for a minute is one alert, without a second one about its rate', () => {
  const down = { ...LINK, state: 'down' as const, delivered: 10, failed: 190 }
  const seconds = (count: number) => new Date(NOW.getTime() - count * 1000)
  const found = (link: WatchedLink, open = NONE) => findLinkTrouble([link], open, NOW)
  assert.deepEqual(found({ ...down, since: seconds(59) }), { findings: [], kept: [] })
  assert.deepEqual(found({ ...down, since: seconds(60) }).findings.map(keyOf), ['link_down main'])
  const open = opened(openAlert('link_down', 'main'))
  assert.equal(found({ ...down, since: seconds(5) }, open).findings.length, 1)
  // It clears after a minute up.
  assert.deepEqual(found({ ...LINK, since: seconds(30) }, open).kept, ['link_down main'])
  assert.deepEqual(found({ ...LINK, since: seconds(60) }, open), { findings: [], kept: [] })
  assert.deepEqual(found({ ...down, state: 'paused by an operator' }).findings.map(keyOf), [
    'link_delivery main',
  ])
})

test('a link that delivers less than 70% is an alert until it delivers 80%', () => {
  const found = (delivered: number, failed: number, open = NONE) =>
    findLinkTrouble([{ ...LINK, delivered, failed }], open, NOW).findings.map(keyOf)
  assert.deepEqual(found(0, 99), [])
  assert.deepEqual(found(70, 30), [])
  assert.deepEqual(found(69, 31), ['link_delivery main'])
  const open = opened(openAlert('link_delivery', 'main'))
  assert.deepEqual(found(79, 21, open), ['link_delivery main'])
  assert.deepEqual(found(80, 20, open), [])
})

test('without a report of any link, open alerts stay', () => {
  const open = opened(openAlert('link_down', 'main'))
  assert.deepEqual(findLinkTrouble([], open, NOW), { findings: [], kept: ['link_down main'] })
})

test('values of an open alert are written every five minutes, and only if they changed', () => {
  const finding = (whatHappened: string) => ({ ...openAlert('link_down', 'main'), whatHappened })
  const compare = (text: string, updatedAt: Date) =>
    compareAlerts(
      {
        found: { findings: [finding(text)], kept: [] },
        open: opened(openAlert('link_down', 'main', { updatedAt })),
      },
      NOW,
    )
  assert.equal(compare('new', ago(6)).updated.length, 1)
  assert.equal(compare('new', ago(4)).updated.length, 0)
  assert.equal(compare('old', ago(6)).updated.length, 0)
  assert.deepEqual([compare('new', ago(6)).raised, compare('new', ago(6)).cleared], [[], []])
})
