// People in a real browser: from an invitation to the first sign-in, roles, an authenticator app, a passkey, and the
// sign-in page of a company.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { totpCode } from '../../src/people/totp.js'
import { freePort } from '../free-port.js'
import { oidcEnv, startProvider } from '../identity-provider.js'
import { codeOf, cookiesOf, PASSWORD, personWith, signInAs } from '../people-fixtures.js'
import { assertAccessible } from './axe.js'
import { visit } from './browser.js'
import { fitsAcross } from './until.js'

async function fillSignIn(page: Page, email: string): Promise<void> {
  await page.getByRole('button', { name: 'Use your email instead' }).click()
  await page.getByLabel('Email').fill(email)
  await page.getByLabel('Password', { exact: true }).fill(PASSWORD)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
}

test('an owner invites an agent, who joins, signs in again, and sees what the role allows', async (t) => {
  const visited = await visit(t)
  if (!visited) return
  const { page, enter, url, context, service } = visited
  await personWith(service, 'owner')
  await enter('settings/people')
  await page.getByRole('table', { name: 'People' }).getByText('The owner').waitFor()
  await assertAccessible(page)
  await page.getByRole('button', { name: 'Invite a person' }).click()
  const form = page.getByRole('dialog', { name: 'Invite a person' })
  await form.getByLabel('Email').fill('ben@example.com')
  await form.getByLabel('Agent').check()
  await assertAccessible(page)
  await form.getByRole('button', { name: 'Invite', exact: true }).click()
  const once = page.getByRole('dialog', { name: 'Invitation for ben@example.com' })
  const link = (await once.getByText(/#k=lci_/).textContent())!
  await once.getByLabel('I saved it').check()
  await once.getByRole('button', { name: 'Done' }).click()
  await page.getByRole('table', { name: 'Open invitations' }).getByText('ben@example.com').waitFor()
  await page.setViewportSize({ width: 390, height: 844 })
  await page.getByRole('list', { name: 'People' }).waitFor()
  await fitsAcross(page)
  await context.clearCookies()
  await page.setViewportSize({ width: 1440, height: 900 })

  const place = `join#k=${link.split('#k=')[1]}`
  await page.goto('about:blank')
  await page.goto(`${url}${place}`)
  await page.getByText('invited ben@example.com as Agent').waitFor()
  assert.ok(!page.url().includes('lci_'), 'the code is not in the address')
  await assertAccessible(page)
  await page.getByLabel('Your name').fill('Ben Okafor')
  await page.getByLabel('New password').fill('short')
  await page.getByRole('button', { name: 'Join' }).click()
  await page.getByText('It must have at least 10 characters.').waitFor()
  await page.getByLabel('New password').fill(PASSWORD)
  await page.getByRole('button', { name: 'Join' }).click()
  await page.getByRole('link', { name: 'My profile (Ben Okafor)' }).waitFor()
  await page.goto(`${url}settings/people`)
  await page.getByRole('table', { name: 'People' }).getByText('Ben Okafor').waitFor()
  assert.equal(await page.getByRole('button', { name: 'Invite a person' }).count(), 0)
  await page.goto(`${url}settings/tokens`)
  await page.getByText('Your role (agent) does not allow this').waitFor()

  await page.getByRole('button', { name: 'Sign out' }).click()
  await page.getByRole('heading', { name: 'Sign in to Longcode' }).waitFor()
  await page.goto('about:blank')
  await page.goto(`${url}${place}`)
  await page.getByText('This link was already used').waitFor()
  await assertAccessible(page)
  await page.getByRole('link', { name: 'Sign in' }).click()
  await fillSignIn(page, 'ben@example.com')
  await page.getByRole('link', { name: 'My profile (Ben Okafor)' }).waitFor()
})

test('a person adds an authenticator app and signs in with its code', async (t) => {
  const visited = await visit(t)
  if (!visited) return
  const { page, url, service } = visited
  await personWith(service, 'owner')
  await page.goto(`${url}sign-in`)
  await page.getByRole('button', { name: 'Use your email instead' }).click()
  await page.getByLabel('Email').fill('owner@example.com')
  await page.getByLabel('Password', { exact: true }).fill('a wrong password')
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await page.getByText('The email or password is wrong').waitFor()
  await assertAccessible(page)
  await page.getByLabel('Password', { exact: true }).fill(PASSWORD)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await page.getByRole('link', { name: /^My profile/ }).click()
  await page.getByRole('heading', { name: 'My profile' }).waitFor()
  await page.reload()
  await page.getByText('This session').waitFor()
  await assertAccessible(page)
  await page.getByRole('button', { name: 'Add authenticator app' }).click()
  const form = page.getByRole('dialog', { name: 'Add an authenticator app' })
  await form.getByLabel('Current password').fill(PASSWORD)
  await form.getByRole('button', { name: 'Continue' }).click()
  const secret = (await form.getByText(/^[A-Z2-7]{32}$/).textContent())!
  await assertAccessible(page)
  const step = () => Math.floor(Date.now() / 30_000)
  await form.getByLabel('Code', { exact: true }).fill(totpCode(secret, step() - 1))
  await form.getByRole('button', { name: 'Confirm' }).click()
  await form.waitFor({ state: 'detached' })
  await page.getByText('Set up', { exact: true }).waitFor()
  await page.setViewportSize({ width: 390, height: 844 })
  await fitsAcross(page)
  await page.getByRole('button', { name: 'Sign out' }).click()
  await page.getByRole('heading', { name: 'Sign in to Longcode' }).waitFor()
  await fillSignIn(page, 'owner@example.com')
  await page.getByLabel('Code').fill('000000')
  await page.getByRole('button', { name: 'Continue' }).click()
  await page.getByText('The code is wrong or was already used').waitFor()
  await assertAccessible(page)
  await page.getByLabel('Code').fill(totpCode(secret, step()))
  await page.getByRole('button', { name: 'Continue' }).click()
  await page.getByRole('heading', { level: 1, name: /Start|Overview|Welcome|first/i }).waitFor()
})

test('a person adds a passkey and signs in with it, without a password', async (t) => {
  const visited = await visit(t)
  if (!visited) return
  const { page, url, service, context } = visited
  await personWith(service, 'owner')
  const local = url.replace('127.0.0.1', 'localhost')
  const cdp = await context.newCDPSession(page)
  await cdp.send('WebAuthn.enable')
  await cdp.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  })
  await page.goto(`${local}sign-in`)
  await fillSignIn(page, 'owner@example.com')
  await page.getByRole('link', { name: /^My profile/ }).click()
  await page.getByRole('button', { name: 'Add a passkey' }).click()
  const form = page.getByRole('dialog', { name: 'Add a passkey' })
  await form.getByLabel('Name').fill('Laptop')
  await form.getByLabel('Current password').fill(PASSWORD)
  await form.getByRole('button', { name: 'Continue' }).click()
  await form.waitFor({ state: 'detached' })
  await page.getByText('Passkey: Laptop').waitFor()
  await page.getByRole('button', { name: 'Sign out' }).click()
  await page.getByRole('heading', { name: 'Sign in to Longcode' }).waitFor()
  await page.getByRole('button', { name: 'Use your email instead' }).click()
  await page.getByRole('button', { name: 'Sign in with a passkey' }).click()
  await page.getByRole('link', { name: 'My profile (The owner)' }).waitFor()
  await page.getByRole('button', { name: 'Sign out' }).click()
  await page.getByRole('heading', { name: 'Sign in to Longcode' }).waitFor()
  await fillSignIn(page, 'owner@example.com')
  await page.getByText('Now use your passkey').waitFor()
  await page.getByRole('button', { name: 'Use a passkey' }).click()
  await page.getByRole('link', { name: 'My profile (The owner)' }).waitFor()
})

test('a person in two accounts reads the names in the switcher, and switches', async (t) => {
  const visited = await visit(t)
  if (!visited) return
  const { context, page, url, service } = visited
  const owner = await personWith(service, 'owner')
  const { token } = await service.otherAccount()
  const body = { email: 'owner@example.com', role: 'read-only' }
  const invited = await service.post('/console/people/invitation', body, { token })
  const code = codeOf(invited.body.url)
  const joined = await owner.request('POST', '/console/invitation/accept', { code })
  await signInAs(context, url, { ...owner, cookie: cookiesOf(joined) })
  await page.goto(`${url}settings/account`)
  const switcher = page.getByLabel('Account', { exact: true })
  await assertAccessible(page)
  const box = await switcher.boundingBox()
  assert.ok(box && box.width >= 120, `the switcher is ${box?.width} px wide`)
  await switcher.selectOption(service.accountId)
  await page.getByRole('link', { name: 'Billing' }).waitFor()
})

test('a person signs in by the identity provider of a company', async (t) => {
  const port = await freePort()
  const publicUrl = `http://127.0.0.1:${port}`
  const redirectUri = `${publicUrl}/console/session/company/callback`
  const issuer = await startProvider(t, { redirectUri, groups: ['ops'] })
  const env = { ...oidcEnv(issuer, 'ops=operator'), LONGCODE_PUBLIC_URL: publicUrl }
  const visited = await visit(t, { env }, port)
  if (!visited) return
  const { page, url } = visited
  // The page of the provider asks for a font.
  await page.route('https://fonts.googleapis.com/**', (route) => route.fulfill({ body: '' }))
  await page.goto(`${url}sign-in`)
  await page.getByRole('button', { name: 'Use your email instead' }).click()
  await page.getByRole('button', { name: 'Sign in with Acme' }).click()
  await page.locator('input[name=login]').fill('cora@acme.example')
  await page.locator('input[name=password]').fill('any')
  await page.locator('[type=submit]').click()
  await page.locator('form [type=submit], form button').first().click()
  await page.getByRole('banner').getByText('Cora Diaz').waitFor()
  await page.goto(`${url}sign-in?problem=oidc_refused`)
  await page.getByText('identity provider was not accepted').waitFor()
  await assertAccessible(page)
})
