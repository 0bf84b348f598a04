// Campaigns in the console, in a real browser: registered with the pre-check next to the form, returned and
// resubmitted without a second fee, then keywords, opt-outs, limits, and ending.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { decideOnBrand, decideOnCampaign, newBrand } from '../api/campaign-bodies.js'
import { activeCampaign, buyNumber } from '../fixtures.js'
import { assertAccessible } from './axe.js'
import { visit } from './browser.js'
import { fitsAcross } from './until.js'

/** Only the test decides reviews. */
const env = { LONGCODE_REVIEW_SECONDS: '36000' }

test('a campaign is checked while typed, created, returned with notes, and resubmitted without a second fee', async (t) => {
  const visited = await visit(t, { env })
  if (!visited) return
  const { page, enter, service, url } = visited
  const brandId = await newBrand(service, { displayName: '<b>Kite</b>' })
  await decideOnBrand(service, brandId, { kind: 'verify' })
  await enter(`campaigns/new?brand=${brandId}`)
  const check = page.getByRole('region', { name: 'Pre-check' })
  await check.getByText('Required:').waitFor()
  await assertAccessible(page)
  await page.getByLabel('Marketing').check()
  await page.getByLabel('Name', { exact: false }).first().fill('Offers <img src=x>')
  await page
    .getByLabel('Description', { exact: true })
    .fill('Weekly offers of the shop to members of its text list.')
  await page.getByRole('textbox', { name: 'Consent flow' }).fill('opt in')
  await page.getByLabel('Sample 1').fill('Two for one today: https://bit.ly/abc')
  await check.getByText(/^A reviewer is likely to flag \d items/).waitFor()
  await check.getByText('which carriers block').waitFor()
  await assertAccessible(page)
  await check.getByRole('link', { name: 'Consent flow' }).click()
  await page.keyboard.press('Control+A')
  await page.keyboard.type(
    'Members check a box at https://kite.example/join that describes what we send. Privacy: https://kite.example/privacy',
  )
  await page.getByLabel('Sample 1').fill('<b>Kite</b>: two for one today. Reply STOP to opt out.')
  await page.getByLabel('Sample 2').fill('<b>Kite</b>: the new colors are here, 10% off.')
  await check.getByText('No problems found.').waitFor()
  await page.getByRole('button', { name: 'Create campaign · $20.00' }).click()
  await page.getByText('Waiting for the reviewer.').waitFor()
  assert.equal(await service.balance(), 80)
  await page.getByText('Assigned on approval').first().waitFor()
  await assertAccessible(page)

  const { campaigns } = (await service.get('/v1/campaign/list')).body
  const { id } = campaigns[0]
  const notes = [
    { field: 'sample1', note: 'Name a price.' },
    { field: 'usecase', note: 'Also say that you answer questions.' },
  ]
  await decideOnCampaign(service, id, { kind: 'return', notes })
  await page.getByText('Returned by the reviewer with 2 notes.').waitFor()
  await assertAccessible(page)
  await page.goto(`${url}start`)
  await page.getByText('Returned by the reviewer with 2 notes').waitFor()
  await page.getByRole('link', { name: 'Open form' }).click()
  await page.getByText('2 notes not addressed yet').waitFor()
  await page.getByLabel('Sample 1').fill('<b>Kite</b>: two for $5 today. Reply STOP to opt out.')
  await page.getByText('1 note not addressed yet').waitFor()
  await assertAccessible(page)
  await page.getByRole('button', { name: 'Save draft' }).click()
  await page.getByRole('link', { name: 'Fix and resubmit' }).click()
  await page.getByText('1 note not addressed yet').waitFor()
  await page.getByLabel('Customer care').check()
  await page.getByRole('button', { name: 'Resubmit campaign · free' }).click()
  await page.getByText('Waiting for the reviewer.').waitFor()
  assert.equal(await service.balance(), 80, 'no second fee')
  await decideOnCampaign(service, id, { kind: 'approve' })
  await page.getByText('Active', { exact: true }).waitFor()
  await page.getByText('0 / 240').waitFor()
  await assertAccessible(page)
  await page.getByRole('radio', { name: 'Hold' }).check()
  const isHeld = async () =>
    (await service.get(`/v1/campaign/${id}`)).body.campaign.holdAtDailyCap === true
  while (!(await isHeld())) await sleep(50)
  await page.setViewportSize({ width: 390, height: 844 })
  await fitsAcross(page)
})

test('a low balance is reported with the cost, and nothing typed is lost', async (t) => {
  const visited = await visit(t, { env, balance: '12.40' })
  if (!visited) return
  const { page, enter, service, url } = visited
  await newBrand(service)
  await enter('campaigns')
  await page.getByText('No campaigns yet').waitFor()
  await assertAccessible(page)
  await page.getByRole('link', { name: 'Create campaign · $20.00' }).click()
  await page.getByRole('button', { name: 'Fill with example data' }).click()
  await page.getByRole('button', { name: 'Create campaign · $20.00' }).click()
  const alert = page.getByRole('alert')
  await alert.getByText('Insufficient account balance.').waitFor()
  await alert.getByText('This costs $20.00. The balance is $12.40.').waitFor()
  await alert.getByText(/^npx longcode credit acc_/).waitFor()
  await assertAccessible(page)
  assert.equal(
    await page
      .getByLabel('Sample 1')
      .inputValue()
      .then((text) => text.slice(0, 4)),
    'Acme',
  )
  await page.getByRole('button', { name: 'Save draft' }).click()
  await page.getByText('Draft. When you submit it, the creation fee is charged').waitFor()
  await page.goto(`${url}campaigns`)
  await page.getByRole('link', { name: 'Table reminders' }).waitFor()
  await page.getByLabel('Status').selectOption('ACTIVE')
  await page.getByText('No results').waitFor()
  await assertAccessible(page)
})

test('a reply is changed, a number is opted out and in again manually, and the campaign is ended', async (t) => {
  const visited = await visit(t, { env })
  if (!visited) return
  const { page, enter, service } = visited
  const { campaignId } = await activeCampaign(service, {
    campaign: { displayName: 'Club <b>1</b>' },
  })
  const number = await buyNumber(service, campaignId)
  await enter(`campaigns/${campaignId}/keywords`)
  await page.getByText('requires these seven').waitFor()
  await assertAccessible(page)
  await page.getByLabel('Help keywords', { exact: true }).last().fill('AYUDA')
  await page.keyboard.press('Enter')
  await page.getByRole('button', { name: 'Remove AYUDA' }).waitFor()
  assert.equal(await page.getByRole('button', { name: 'Remove STOP', exact: true }).count(), 0)
  await page.getByLabel('Help reply').fill('Acme: call us at 415 555 0123 🎉')
  await page.getByText('of 70 · 1 segment · free').waitFor()
  await page.getByRole('region', { name: 'Phone preview' }).getByText('call us').waitFor()
  await page.getByRole('button', { name: 'Save keywords and replies' }).click()
  await page.getByText('Draft saved in this browser').waitFor({ state: 'detached' })
  const { details } = (await service.get(`/v1/campaign/${campaignId}`)).body.campaign
  assert.deepEqual(details.helpKeywords, ['HELP', 'INFO', 'AYUDA'])
  assert.equal(details.helpMessage, 'Acme: call us at 415 555 0123 🎉')

  await page.getByRole('link', { name: 'Opt-outs' }).click()
  await page.getByText('No opt-outs yet').waitFor()
  await assertAccessible(page)
  await page.getByRole('button', { name: 'Add opt-out' }).click()
  await page.getByLabel('Number', { exact: true }).fill('(415) 555-0142')
  await assertAccessible(page)
  await page.getByLabel('Reason').fill('Asked <b>by phone</b>')
  await page.getByRole('button', { name: 'Opt out', exact: true }).click()
  await page.getByRole('link', { name: '(415) 555-0142' }).click()
  const open = page.getByRole('complementary', { name: 'Opt-out details' })
  await open.getByText('Asked <b>by phone</b>').waitFor()
  await assertAccessible(page)
  const download = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Export 1 row' }).click()
  assert.match((await download).suggestedFilename(), /^opt-outs-cmp_\w+\.csv$/)
  await open.getByRole('button', { name: 'Record consent…' }).click()
  await page.getByLabel('How they agreed').fill('Signed up again at the counter')
  await page.getByLabel(/last four digits/).fill('0142')
  await page.getByRole('button', { name: 'Record consent', exact: true }).click()
  await open.getByText('Opted in by you').waitFor()
  await page.getByText('No opt-outs yet').waitFor()

  await page.getByRole('link', { name: 'Numbers 1' }).click()
  await page.getByText('Default').waitFor()
  await assertAccessible(page)
  await page.getByRole('button', { name: 'More actions' }).click()
  await page.getByRole('menuitem', { name: 'End campaign…' }).click()
  await page.getByText('1 number is released and can be bought by others').waitFor()
  await assertAccessible(page)
  await page.getByLabel('Type Club <b>1</b> to confirm').fill('Club <b>1</b>')
  await page.getByRole('button', { name: 'End campaign', exact: true }).click()
  await page.getByText('This cannot be undone.').waitFor()
  await page.getByText('1 number was released.').waitFor()
  assert.equal((await service.get(`/v1/number/${number.slice(1)}`)).status, 404)
  await page.setViewportSize({ width: 390, height: 844 })
  await fitsAcross(page)
})
