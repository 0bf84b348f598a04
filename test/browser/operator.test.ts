// The operator's reviews in the console, in a real browser: by keyboard only, with notes that the customer sees, two
// reviewers at once, and the separation between operator pages and account pages.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { saveLinkReport } from '../../src/carriers/link-queries.js'
import type { LinkReport } from '../../src/carriers/link-reporter.js'
import { newBrand, newCampaign } from '../api/campaign-bodies.js'
import { assertAccessible } from './axe.js'
import { operatorVisit } from './operator-visit.js'
import { fitsAcross } from './until.js'

const NOTE =
  'Describe where people agree (web form, checkout, keyword, paper) and what they read there.'

const SINCE = '2026-11-15T12:00:00.000Z'

/** What a process on another machine reports about its link. */
const FAR: LinkReport = {
  process: 'longcode-2:4711:9f3a1c',
  loadedAt: new Date(SINCE),
  reloadId: null,
  reloadError: 'carriers.yaml, line 7: port must be a number from 1 to 65535',
  links: [
    {
      link: 'aggregator',
      kind: 'smpp',
      isUp: false,
      since: SINCE,
      detail: 'The carrier refused the bind: ESME_RINVPASWD',
      connections: [{ name: '1', state: 'waiting', since: SINCE, peer: '192.0.2.7:2775' }],
      window: { used: 3, size: 10 },
      rate: { perSecond: 19.7, contract: 50 },
      counts: {
        minutes: 15,
        answers: { sent: 1180, slow_down: 2, failed: 3, down: 0, unknown: 1 },
        receipts: { SENT: 0, DELIVERED: 1100, READ: 0, FAILED: 1 },
        inbound: 4,
      },
      errors: [
        {
          of: 'answer',
          errorCode: 1350,
          carrierCode: 'ESME_RINVDSTADR',
          count: 3,
          lastAt: SINCE,
        },
      ],
    },
  ],
}

test('a campaign is reviewed by keyboard only: returned with a note, resubmitted, approved', async (t) => {
  const visited = await operatorVisit(t)
  if (!visited) return
  const { page, service, openOperatorPage, operate } = visited
  await openOperatorPage('reviews')
  await page.getByText('All caught up').first().waitFor()
  await assertAccessible(page)
  const campaign = await newCampaign(service, {
    displayName: 'Offers <b>now</b>',
    sample2: 'The new roast is here, 10% off this week.',
  })
  const id = String(campaign.id)
  await page.reload()
  await page.getByText('waiting for brand').waitFor()
  // The brand comes first: j moves to it, Enter opens, a asks, Enter confirms.
  await page.keyboard.press('j')
  await page.keyboard.press('Enter')
  await page.getByRole('article').getByText('12-3456789').waitFor()
  await assertAccessible(page)
  await page.keyboard.press('a')
  await page.getByRole('button', { name: 'Verify ⏎' }).waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'Verify a' }).waitFor()
  await page.keyboard.press('a')
  await page.keyboard.press('Enter')

  // The next record opens automatically.
  const record = page.getByRole('article', { name: 'Offers <b>now</b>' })
  await record.getByText('Pre-check: 1 finding').waitFor()
  await record.getByText('Sample 2 does not name the brand').waitFor()
  await page.keyboard.press('r')
  await record.getByText('Write at least one note').waitFor()
  await record.getByRole('button', { name: 'Add note on Consent flow' }).focus()
  await page.keyboard.press('Enter')
  await record.getByRole('textbox', { name: 'Note on Consent flow' }).waitFor()
  await page.keyboard.press('Tab')
  await page.keyboard.press('Enter')
  await page.keyboard.press('Escape')
  await assertAccessible(page)
  await page.reload() // the note is saved in this browser
  await page.getByRole('button', { name: 'Return with 1 note r' }).waitFor()
  await page.keyboard.press('r')
  await page.getByRole('button', { name: 'Return with 1 note ⏎' }).waitFor()
  await page.keyboard.press('Enter')
  await page.getByText('All caught up').first().waitFor()
  const returned = await service.get(`/v1/campaign/${id}`)
  assert.deepEqual(returned.body.campaign.reviewNotes, [{ field: 'consentFlow', note: NOTE }])

  const consentFlow = 'Members check an unchecked box at https://acme.example/club before they pay.'
  await service.call('PATCH', `/v1/campaign/${id}`, { consentFlow })
  await service.post(`/v1/campaign/${id}/submit`)
  await page.reload()
  await page.getByText('2nd submission').first().waitFor()
  await page.keyboard.press('j')
  await page.keyboard.press('Enter')
  await record.getByText(consentFlow).waitFor()
  await record.getByText(`Previous note: ${NOTE}`).waitFor()
  await assertAccessible(page)
  await page.keyboard.press('a')
  await page
    .getByText(
      'Approve with limits 240 / 150 / 2,000 and $10.00/month? The first month is already paid.',
    )
    .waitFor()
  await page.keyboard.press('Enter')
  await page.getByText('All caught up').first().waitFor()
  await page.getByText('Last 24 hours: 3 decisions').first().waitFor()
  const { body } = await operate('GET', `/campaign/${id}`)
  assert.equal(body.campaign.status, 'ACTIVE')
})

test('the slower of two reviewers sees who decided first, and the next record opens', async (t) => {
  const visited = await operatorVisit(t)
  if (!visited) return
  const { page, service, openOperatorPage, operate } = visited
  const first = await newBrand(service, { displayName: 'Kite & Co' })
  const long = `Nimbus ${'and a name that does not end '.repeat(6)}`.trim()
  await newBrand(service, { displayName: long })
  await openOperatorPage(`reviews/brand/${first}`)
  await page.getByRole('button', { name: 'Verify a' }).waitFor()
  await operate('POST', `/brand/${first}/verify`)
  await page.keyboard.press('a')
  await page.keyboard.press('Enter')
  await page
    .getByText(/^Already verified by LONGCODE_OPERATOR_TOKEN (just now|\d+ (sec|min) ago)\.$/)
    .waitFor()
  await page.getByRole('article', { name: long }).waitFor()

  // A verified brand gets its score on its own page.
  await page.goto(page.url().replace(/brd_\w+/, first))
  await page.getByLabel('Trust score').fill('82')
  await page.keyboard.press('Enter')
  await page.getByText('Vetted · 82').waitFor()

  await page.setViewportSize({ width: 390, height: 844 })
  await page.getByRole('link', { name: 'All reviews' }).click()
  await page.getByRole('link', { name: /Nimbus/ }).waitFor()
  await fitsAcross(page)
  await page.getByRole('link', { name: /Nimbus/ }).click()
  await page.getByRole('article', { name: long }).waitFor()
  await assertAccessible(page)
  await fitsAcross(page)
})

test('neither token opens the other’s pages, and an operator with both can switch', async (t) => {
  const visited = await operatorVisit(t)
  if (!visited) return
  const { page, enter, openOperatorPage, url, service, context } = visited
  await enter('overview')
  await page.getByRole('heading', { name: 'Overview' }).waitFor()
  assert.equal(await page.getByRole('link', { name: 'Operator pages' }).count(), 0)
  await page.goto(`${url}operator/accounts`)
  await page.getByRole('heading', { name: 'Sign in to Longcode' }).waitFor()
  assert.match(page.url(), /next=%2Foperator%2Faccounts|next=\/operator\/accounts/)
  await page.getByLabel('Access token').fill(service.token)
  await page.keyboard.press('Enter')
  await page.getByRole('alert').getByText('This token cannot access /operator/accounts').waitFor()
  await page.getByRole('heading', { name: 'Sign in to Longcode' }).waitFor()

  await context.clearCookies()
  await openOperatorPage('accounts')
  await page.getByRole('heading', { name: 'Accounts' }).waitFor()
  await page.goto(`${url}overview`)
  await page.getByRole('heading', { name: 'Sign in to Longcode' }).waitFor()
  await page.getByLabel('Access token').fill(service.token)
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'Overview' }).waitFor()
  await page.getByRole('link', { name: 'Operator pages' }).click()
  await page.getByRole('heading', { name: 'Reviews' }).waitFor()
  await page.keyboard.press('g')
  await page.keyboard.press('h')
  await page.getByText('Keeping up. No messages are waiting.').waitFor()
  await assertAccessible(page)
  await page.getByRole('button', { name: 'Show table' }).click()
  await page.getByRole('columnheader', { name: 'Accepted' }).waitFor()
  await page.keyboard.press('g')
  await page.keyboard.press('t')
  await page.getByRole('heading', { name: 'T-Mobile' }).waitFor()
  await page.getByRole('heading', { name: 'simulator' }).waitFor()
  await assertAccessible(page)
  const { db, clock } = service.world
  await saveLinkReport(db, FAR, clock.machineNow())
  await page.getByRole('heading', { name: 'aggregator' }).waitFor()
  await page.getByText('The carrier refused the bind: ESME_RINVPASWD').waitFor()
  await page.getByText('No response to 1 message').waitFor()
  await page.getByLabel('Recent errors on aggregator').getByText('ESME_RINVDSTADR').waitFor()
  await page.getByRole('button', { name: 'Reload file' }).waitFor()
  await assertAccessible(page)
  await page.setViewportSize({ width: 390, height: 844 })
  await fitsAcross(page)
  await page.setViewportSize({ width: 1440, height: 900 })
  await page.getByRole('button', { name: 'Sign out' }).click()
  await page.getByRole('heading', { name: 'Sign in to Longcode' }).waitFor()
  await page.goto(`${url}overview`)
  await page.getByRole('heading', { name: 'Overview' }).waitFor()
})

test('every list shows a warning while a database worker is down', async (t) => {
  const visited = await operatorVisit(t)
  if (!visited) return
  const { page, service, openOperatorPage } = visited
  await openOperatorPage('accounts')
  await page.getByRole('heading', { level: 1, name: 'Accounts' }).waitFor()
  const words = 'Some data is missing'
  assert.equal(await page.getByText(words).count(), 0)
  const { workers } = service.world.db
  const away = [{ name: 'worker-2:5432', since: new Date(SINCE), detail: null }]
  Object.defineProperty(workers, 'away', { value: away, configurable: true })
  t.after(() => Reflect.deleteProperty(workers, 'away'))
  await page.reload()
  await page.getByText(words).waitFor()
  await page.getByText('worker-2:5432 does not respond: its accounts are missing.').waitFor()
  await assertAccessible(page)
  await page.setViewportSize({ width: 390, height: 844 })
  await fitsAcross(page)
  Reflect.deleteProperty(workers, 'away')
  await page.reload()
  await page.getByRole('heading', { level: 1, name: 'Accounts' }).waitFor()
  await page.getByText(words).waitFor({ state: 'detached' })
})
