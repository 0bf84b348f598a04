// Runs the programs in examples/ against a real service, each as its own process.

import assert from 'node:assert/strict'
import { execFile, spawn } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import path from 'node:path'
import { type TestContext, test } from 'node:test'
import twilio from 'twilio'
import { numberSid } from '../../src/twilio/sids.js'
import { temporaryFolder } from '../commands/run-command.js'
import { activeCampaign, buyNumber } from '../fixtures.js'
import { eventually, type TestService, testService } from '../harness.js'

const GUEST = '+14155550123'

interface Scene {
  service: TestService
  campaignId: string
  number: string
  env: Record<string, string>
}

async function stage(t: TestContext): Promise<Scene> {
  const service = await testService(t, { roles: ['api', 'dispatch', 'deliver', 'schedule'] })
  await service.app.listen({ host: '127.0.0.1', port: 0 })
  const { port } = service.app.server.address() as AddressInfo
  const { campaignId } = await activeCampaign(service)
  const number = await buyNumber(service, campaignId)
  const env = {
    PATH: process.env.PATH ?? '',
    LONGCODE_URL: `http://127.0.0.1:${port}`,
    LONGCODE_TOKEN: service.token,
    CAMPAIGN: campaignId,
    PORT: '0',
  }
  return { service, campaignId, number, env }
}

function run(env: Record<string, string>, file: string, ...args: string[]): Promise<string> {
  return new Promise((resolve, reject) => {
    execFile(process.execPath, [`examples/${file}`, ...args], { env }, (error, stdout, stderr) =>
      error ? reject(new Error(stderr)) : resolve(stdout),
    )
  })
}

/** Starts a server of the examples. It prints its address first. */
async function start(t: TestContext, env: Record<string, string>, file: string, ...args: string[]) {
  const child = spawn(process.execPath, [`examples/${file}`, ...args], { env })
  t.after(() => child.kill())
  let output = ''
  child.stdout.on('data', (chunk) => {
    output += String(chunk)
  })
  const address = () => /http:\S+/.exec(output)?.[0]
  await eventually(async () => address() !== undefined, 'the address')
  return { url: address()!, output: () => output }
}

test('reminders are scheduled once each, however often the program runs', async (t) => {
  const { service, env, campaignId } = await stage(t)
  const file = path.join(temporaryFolder(t), 'reservations.json')
  const at = new Date(service.world.clock.now().getTime() + 3 * 24 * 60 * 60 * 1000).toISOString()
  writeFileSync(file, JSON.stringify([{ id: 'r1', phone: GUEST, name: 'Ana', at }]))
  const first = await run(env, 'reminders/remind.mjs', file)
  assert.match(first, /^r1: msg_/)
  assert.equal(await run(env, 'reminders/remind.mjs', file), first)
  const { body } = await service.get(`/v1/message/list?campaign=${campaignId}`)
  assert.equal(body.messages.length, 1)
  assert.equal(body.messages[0].status, 'SCHEDULED')
})

test('the inbox lists conversations, shows one, and replies', async (t) => {
  const { service, env, number } = await stage(t)
  await service.post('/sandbox/inbound', { from: GUEST, to: number, body: 'Are you open?' })
  assert.equal(await run(env, 'inbox/inbox.mjs'), `${GUEST}: Are you open?\n`)
  const shown = await run(env, 'inbox/inbox.mjs', GUEST, 'Until ten tonight.')
  assert.equal(shown, `${GUEST}: Are you open?\nYou: Until ten tonight.\n`)
})

test('a one-time code arrives, a wrong one is refused, and the right one confirms the phone', async (t) => {
  const { service, env, campaignId } = await stage(t)
  const { url } = await start(t, env, 'codes/server.mjs')
  const post = async (place: string, form: Record<string, string>) =>
    (await fetch(url + place, { method: 'POST', body: new URLSearchParams(form) })).text()
  assert.match(await (await fetch(url)).text(), /Send code/)
  assert.match(await post('/send', { phone: '415' }), /Enter a US number/)
  assert.match(await post('/send', { phone: GUEST }), /Code sent\./)
  assert.match(await post('/send', { phone: GUEST }), /Wait a minute\./)
  const { body } = await service.get(`/v1/message/list?campaign=${campaignId}`)
  const [, code] = /code is (\d{6})/.exec(body.messages[0].body)!
  assert.match(await post('/check', { phone: GUEST, code: 'what' }), /Wrong code\./)
  assert.match(await post('/check', { phone: GUEST, code: code! }), /confirmed/)
  assert.match(await post('/check', { phone: GUEST, code: code! }), /Request a new code\./)
})

test('the webhook example accepts signed events only', async (t) => {
  const { service, env, campaignId, number } = await stage(t)
  const secret = `whsec_${Buffer.from('not the right one').toString('base64')}`
  const stranger = await start(t, { ...env, WEBHOOK_SECRET: secret }, 'webhook/server.mjs')
  const refused = await fetch(stranger.url, { method: 'POST', body: '{}' })
  assert.equal(refused.status, 400)

  const eventTypes = ['message.incoming', 'message.status', 'recipient.optout']
  const placeholder = { url: stranger.url, eventTypes }
  const { body } = await service.post(`/v1/campaign/${campaignId}/webhooks`, placeholder)
  const receiver = await start(
    t,
    { ...env, WEBHOOK_SECRET: body.webhook.secret },
    'webhook/server.mjs',
  )
  const changed = await fetch(`${env.LONGCODE_URL}/v1/webhook/${body.webhook.id}`, {
    method: 'PATCH',
    headers: { authorization: `Bearer ${service.token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ url: receiver.url }),
  })
  assert.equal(changed.status, 200)
  await service.post('/sandbox/inbound', { from: GUEST, to: number, body: 'STOP' })
  await eventually(async () => receiver.output().includes(`${GUEST} opted out`), 'the opt-out')
  assert.match(receiver.output(), /\+14155550123: STOP/)
})

/** The code of an example, without its first comment. */
function codeOf(file: string): string[] {
  const lines = readFileSync(`examples/${file}`, 'utf8').split('\n')
  return lines.slice(lines.indexOf(''))
}

test('the bot for Twilio and the bot for Longcode differ in two lines', () => {
  const [before, after] = [codeOf('twilio-bot/before.mjs'), codeOf('twilio-bot/after.mjs')]
  const changed = after.filter((line) => !before.includes(line))
  assert.equal(changed.length, 2)
  assert.match(changed[0]!, /LONGCODE_ACCOUNT_SID/)
  assert.match(changed[1]!, /baseUrl/)
  assert.equal(after.length, before.length + 1)
})

test('the bot for Twilio answers a signed request', async (t) => {
  const token = 'f'.repeat(32)
  const account = { TWILIO_ACCOUNT_SID: `AC${'0'.repeat(32)}`, TWILIO_AUTH_TOKEN: token }
  const env = { PATH: process.env.PATH ?? '', PORT: '0', ...account }
  const { url } = await start(t, env, 'twilio-bot/before.mjs')
  const form = { From: GUEST, Body: 'hours' }
  const post = (signature: string) =>
    fetch(`${url}/sms`, {
      method: 'POST',
      headers: { 'x-twilio-signature': signature },
      body: new URLSearchParams(form),
    })
  const right = twilio.getExpectedTwilioSignature(token, `${url}/sms`, form)
  assert.match(await (await post(right)).text(), /<Message>We are open/)
  assert.equal((await post('wrong')).status, 403)
})

test('the bot on Longcode sends, follows the status, and answers a guest', async (t) => {
  const { service, env, campaignId, number } = await stage(t)
  const { body } = await service.post('/v1/account/twilio')
  const { accountSid, authToken } = body.twilio
  const account = { LONGCODE_ACCOUNT_SID: accountSid, LONGCODE_AUTH_TOKEN: authToken }
  const bot = await start(t, { ...env, ...account, NUMBER: number }, 'twilio-bot/after.mjs', GUEST)
  await eventually(async () => /SM\w+ is delivered/.test(bot.output()), 'the status')
  const client = twilio(accountSid, authToken)
  client.api.baseUrl = env.LONGCODE_URL!
  await client.incomingPhoneNumbers(numberSid(number)).update({ smsUrl: `${bot.url}/sms` })
  await service.post('/sandbox/inbound', { from: GUEST, to: number, body: 'menu' })
  const texts = async () => {
    const listed = await service.get(`/v1/message/list?campaign=${campaignId}`)
    return listed.body.messages.map((message: { body: string }) => message.body)
  }
  const expected = ['https://bluedoor.example/menu', 'menu', 'Your table is ready.']
  await eventually(async () => (await texts()).length === expected.length, 'the answer')
  assert.deepEqual(await texts(), expected)
  assert.match(bot.output(), /\+14155550123: menu/)
})
