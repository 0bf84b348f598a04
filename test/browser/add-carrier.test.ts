// The operator adds a carrier in the console: provider, account, the steps with their results, and what is still
// missing.

import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'
import { temporaryFolder } from '../commands/run-command.js'
import { telnyxFace } from '../providers/faces.js'
import { FakeProvider } from '../providers/fake-provider.js'
import { assertAccessible } from './axe.js'
import { operatorVisit } from './operator-visit.js'
import { untilHolds } from './until.js'

const PUBLIC_URL = 'https://sms.ours.test'
const KEY = 'KEY-hush-hush'
const NUMBER = '+14152000001'

test('an operator enters a key and sees each step and what is missing, and the key is never shown', async (t) => {
  const face = telnyxFace()
  const called = () => async () => ({ status: 200 })
  const fake = new FakeProvider(face, `${PUBLIC_URL}/carrier/telnyx`, called)
  await fake.start()
  t.after(() => fake.stop())
  Object.assign(fake.account, { authorization: `Bearer ${KEY}`, publicKey: face.publicKey })
  const held = { id: `PN${'1'.repeat(32)}`, phoneNumber: NUMBER, profileId: null, forwardsTo: null }
  fake.numbers.purchased.set(NUMBER, held)
  // The carriers file names the provider's URL, so no request leaves this machine.
  const file = path.join(temporaryFolder(t), 'carriers.yaml')
  const link = `  - name: telnyx\n    kind: telnyx\n    url: ${fake.url}\n    apiKey: OLD\n`
  writeFileSync(file, `links:\n${link}    publicKey: ${face.publicKey}\n`)
  const visited = await operatorVisit(t, {
    LONGCODE_CARRIERS: file,
    LONGCODE_PUBLIC_URL: PUBLIC_URL,
  })
  if (!visited) return
  const { page, openOperatorPage } = visited
  await openOperatorPage('carriers')
  await page.getByRole('link', { name: 'Add carrier' }).click()
  await page.getByText('Setup steps').waitFor()
  await assertAccessible(page)

  await page.getByLabel('API key', { exact: true }).fill('KEY-wrong')
  await page.getByRole('button', { name: 'Set up Telnyx' }).click()
  await page
    .getByText(/Telnyx rejected this key \(HTTP 401/)
    .first()
    .waitFor()
  await assertAccessible(page)

  await page.getByLabel('API key', { exact: true }).fill(KEY)
  await page.getByRole('button', { name: 'Preview' }).click()
  await page.getByText('Nothing was changed. Setup would do this:').waitFor()
  assert.equal(fake.account.containers.size, 0)

  await page.getByRole('textbox', { name: 'Number' }).fill(NUMBER)
  await page.getByRole('button', { name: 'Set up Telnyx' }).click()
  await page.getByText('telnyx is set up but not ready for traffic yet.').waitFor()
  await page.getByText(`Added ${NUMBER} to the messaging profile.`).waitFor()
  await page.getByText(`${NUMBER} is not in a registered 10DLC campaign at Telnyx`).waitFor()
  await assertAccessible(page)
  assert.equal(fake.account.containers.size, 1)
  assert.ok(readFileSync(file, 'utf8').includes(`apiKey: ${KEY}`))
  assert.ok(!(await page.locator('body').innerText()).includes(KEY))
  await untilHolds(page.getByLabel('API key', { exact: true }), '')

  await page.getByRole('radio', { name: /Twilio/ }).click()
  await page.getByLabel('Auth token', { exact: true }).waitFor()
  await page.getByRole('button', { name: 'Set up Twilio' }).click()
  await page
    .getByText(/accountSid is required/)
    .first()
    .waitFor()
  await assertAccessible(page)
})
