// Runs the receivers that the console shows, exactly as shown, and checks its signature checker, against real
// deliveries.

import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { type TestContext, test } from 'node:test'
import { activeCampaign } from '../fixtures.js'
import { createWebhook, webhookReceiver } from '../flows/webhook-receiver.js'
import { freePort } from '../free-port.js'
import { eventually, type TestService } from '../harness.js'
import { assertAccessible } from './axe.js'
import { visit } from './browser.js'

const PROGRAMS = [
  { tab: 'Node', command: process.execPath, file: 'receiver.mjs' },
  { tab: 'Python', command: 'python3', file: 'receiver.py' },
]

test('the receivers in the console accept genuine deliveries and refuse others', async (t) => {
  const visited = await visit(t)
  if (!visited) return
  const { page, enter, service } = visited
  const { campaignId } = await activeCampaign(service)
  const address = 'http://127.0.0.1:9/'
  const { id, secret } = await createWebhook(service, campaignId, address, { name: 'checked' })
  await enter(`webhooks/${id}`)
  for (const { tab, command, file } of PROGRAMS) {
    if (spawnSync(command, ['--version']).status !== 0) {
      t.diagnostic(`${command} is not installed: its receiver was not run`)
      continue
    }
    await page.getByRole('tab', { name: tab }).click()
    // The previous panel may still be visible for a moment, so look only in this tab's panel.
    const panel = page.getByRole('tabpanel', { name: tab, exact: true })
    await panel.getByRole('button', { name: `Copy ${tab} receiver` }).waitFor()
    const text = await panel.locator('pre').filter({ hasText: 'WEBHOOK_SECRET' }).innerText()
    for (const [given, code] of [
      [secret, 204],
      [`whsec_${Buffer.from('another secret').toString('base64')}`, 400],
    ] as const) {
      const url = await runReceiver(t, command, file, text, given)
      assert.equal(await firstAnswer(service, id, url), code, `${tab} answers ${code}`)
    }
  }
  await page.getByRole('tab', { name: 'Go' }).click()
  await page.getByText('package main').waitFor()
})

/** Starts a copied program and returns the URL it listens on. */
async function runReceiver(
  t: TestContext,
  command: string,
  file: string,
  text: string,
  secret: string,
): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), 'longcode-receiver-'))
  await writeFile(path.join(folder, file), text)
  const port = await freePort()
  const env = { ...process.env, WEBHOOK_SECRET: secret, PORT: String(port) }
  const child = spawn(command, [path.join(folder, file)], { env, stdio: 'inherit' })
  t.after(async () => {
    child.kill()
    await rm(folder, { recursive: true })
  })
  const url = `http://127.0.0.1:${port}/`
  const isUp = () =>
    fetch(url, { method: 'POST', body: 'x' }).then(
      ({ status }) => status === 400,
      () => false,
    )
  await eventually(isUp, 'it listens and refuses unsigned requests')
  return url
}

/** A receiver's response to a test event. */
async function firstAnswer(service: TestService, id: string, url: string): Promise<number> {
  await service.call('PATCH', `/v1/webhook/${id}`, { url })
  const { delivery } = (await service.post(`/v1/webhook/${id}/test`, {})).body
  const { attempts } = await eventually(async () => {
    const { body } = await service.get(`/v1/webhook/${id}/deliveries/${delivery.id}`)
    return body.delivery.attempts.length > 0 && body.delivery
  }, 'an attempt')
  return attempts[0].responseCode
}

test('a pasted delivery is checked in the page: valid, changed, or signed with a different secret', async (t) => {
  const visited = await visit(t)
  if (!visited) return
  const { page, enter, service } = visited
  const { campaignId } = await activeCampaign(service)
  const receiver = await webhookReceiver(t)
  const webhook = await createWebhook(service, campaignId, receiver.url)
  await service.post(`/v1/webhook/${webhook.id}/test`, {})
  await eventually(async () => receiver.received.length > 0, 'it arrives')
  const { text, rawHeaders } = receiver.received[0]!
  await enter(`webhooks/${webhook.id}`)
  const asked: string[] = []
  page.on('request', (request) => asked.push(`${request.url()} ${request.postData() ?? ''}`))
  const lines = rawHeaders.map((one, i) => (i % 2 === 0 ? `${one}: ` : `${one}\n`)).join('')
  await page.getByLabel('Headers').fill(lines)
  await page.getByLabel('Body').fill(text)
  await page.getByText(/^Valid, signed/).waitFor()
  await assertAccessible(page)
  const bytes = Buffer.byteLength(text)
  const number = (count: number) => count.toLocaleString('en-US')
  await page.getByLabel('Body').fill(`${text}x`)
  await page
    .getByText(
      `The body was changed: ${number(bytes)} bytes were sent, but this body has ${number(bytes + 1)}`,
    )
    .waitFor()
  await page.getByLabel('Body').fill(JSON.stringify(JSON.parse(text), null, 2))
  await page.getByText('A JSON parser rewrote the body').waitFor()
  await page.getByLabel('Body').fill(text)
  await page.getByLabel('Secret', { exact: true }).fill('whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD')
  await page.getByText('Signed with a different secret').waitFor()
  await assertAccessible(page)
  assert.ok(!asked.some((one) => /whsec_|C2FVsBQI/.test(one)), 'the secret stays in the page')
})
