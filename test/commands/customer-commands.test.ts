// `longcode number …`, `send`, `inbound`, `call`, and `listen`, each run as a program against a service.

import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { test } from 'node:test'
import { activeCampaign, addInventory, buyNumber } from '../fixtures.js'
import { freePort } from '../free-port.js'
import { eventually } from '../harness.js'
import {
  commandStage,
  ON_TERMINAL,
  runCommand,
  startCommand,
  temporaryFolder,
} from './run-command.js'

test('number search, buy, list, and release manage numbers', async (t) => {
  const stage = await commandStage(t)
  const { campaignId } = await activeCampaign(stage)
  await addInventory(stage, ['+14152003000'])
  const search = await stage.run('number', 'search', '--area-code', '415')
  assert.equal(
    search.out,
    'NUMBER        LOCATION           MONTHLY PRICE\n+14152003000  San Francisco, CA  1\n',
  )
  const bought = await stage.run('number', 'buy', '+14152003000', '--campaign', campaignId)
  assert.equal(bought.out, `Bought +14152003000 for ${campaignId}.\n`)
  const list = await stage.runJson('number', 'list')
  assert.deepEqual([list.length, list[0].phoneNumber], [1, '+14152003000'])
  assert.equal(
    (await stage.run('number', 'release', '+14152003000')).out,
    'Released +14152003000.\n',
  )
})

test('number hosts accepts only links of the carriers file', async (t) => {
  const stage = await commandStage(t)
  await addInventory(stage, ['+14152003000'])
  const file = path.join(temporaryFolder(t), 'carriers.json')
  const smpp = { kind: 'smpp', host: 'smpp.acme.invalid', systemId: 'a', password: 'b' }
  const links = ['acme', 'other'].map((name) => ({ name, ...smpp }))
  writeFileSync(file, JSON.stringify({ links, routes: [{ links: ['acme', 'other'] }] }))
  const state = (names: string) =>
    runCommand(['number', 'hosts', '+14152003000', '--links', names], {
      ...stage.env,
      LONGCODE_CARRIERS: file,
    })
  const unknown = await state('acme,acne')
  assert.equal(unknown.code, 2)
  assert.equal(unknown.err, `${file} has no link named acne. Its links are acme, other.\n`)
  const stated = await state('acme,other')
  assert.equal(stated.out, '1 number is hosted by acme, other.\n', stated.err)
})

test('number import and withdraw refuse a whole file with a bad row', async (t) => {
  const stage = await commandStage(t)
  const file = path.join(temporaryFolder(t), 'numbers.csv')
  writeFileSync(file, 'number,monthlyPrice\n+14152003000,1\n+14152003001,1\n')
  const imported = await stage.run('number', 'import', file)
  assert.equal(imported.out, 'Imported 2 numbers.\n')
  const input = 'number,monthlyPrice\n+14152003002,1\n+14152003000,1\nwhat,1\n'
  const [again, missing, withdrawn] = await Promise.all([
    runCommand(['number', 'import', '-'], stage.env, { input }),
    stage.run('number', 'import', '/nowhere.csv'),
    stage.run('number', 'withdraw', '+14152003001', '+14152009999'),
  ])
  assert.equal(again.code, 1)
  assert.equal(
    again.err,
    `Nothing was changed, because 2 rows cannot be used. row 3: +14152003000 is already for sale
  row 3: +14152003000 is already for sale
  row 4: "what" must be a phone number in E.164 format, for example +14155550123
`,
  )
  assert.equal(missing.code, 2)
  assert.match(withdrawn.err, /numbers\[1\]: \+14152009999 is not for sale/)
  const both = await stage.run('number', 'withdraw', '+14152003000', '+14152003001')
  assert.equal(both.out, 'Withdrew 2 numbers.\n')
})

test('number import puts 30,000 numbers up for sale in one file and shows its progress', async (t) => {
  const stage = await commandStage(t)
  const rows = Array.from({ length: 30_000 }, (_, i) => `+1415${2_000_000 + i},1.00`)
  const file = path.join(temporaryFolder(t), 'numbers.csv')
  writeFileSync(file, ['number,monthlyPrice', ...rows, ''].join('\n'))
  const command = ['number', 'import', file]
  const imported = await runCommand(command, stage.env, { nodeArgs: ON_TERMINAL })
  assert.equal(imported.out, 'Imported 30,000 numbers.\n', `${imported.code}: ${imported.err}`)
  assert.match(imported.err, /Importing [█░]+ +\d+% {2}2,000 \/ 30,000/)
  assert.match(imported.err, /Importing █+ 100% {2}30,000 \/ 30,000\n/)
  const again = await stage.run(...command, '--skip-existing')
  assert.equal(again.out, 'Imported 0 numbers.\nSkipped 30,000 already for sale.\n', again.err)
  assert.equal(again.err, '')
})

test('send --wait waits for the final status and reports a failure, and inbound delivers a message', async (t) => {
  const stage = await commandStage(t, { roles: ['dispatch'] })
  const { campaignId } = await activeCampaign(stage)
  const number = await buyNumber(stage, campaignId)
  const toVerizon = ['--campaign', campaignId, '--to', '+14155550107', '--body', 'Hi']
  const [sent, failed, refused, received, timely] = await Promise.all([
    stage.run('send', '--campaign', campaignId, '--to', '+14155550101', '--body', 'Hi', '--wait'),
    stage.run('send', '--from', number, '--to', '+14155550110', '--body', 'Hi', '--wait'),
    stage.run('send', '--campaign', campaignId, '--to', '415', '--body', 'Hi'),
    stage.run('inbound', '--from', '+14155550102', '--to', number, '--body', 'HELP'),
    stage.run('send', ...toVerizon, '--validity', '600', '--json'),
  ])
  assert.equal(JSON.parse(timely.out).validitySeconds, 600)
  assert.match(sent.out, /^msg_\w+ DELIVERED\n$/)
  assert.match(failed.out, /^msg_\w+ FAILED\n$/)
  assert.deepEqual([failed.code, failed.err.slice(0, 5)], [1, '1350 '])
  assert.deepEqual(
    [refused.code, refused.err],
    [1, 'to must be a phone number in E.164 format, for example +14155550123\n'],
  )
  assert.match(received.out, /^msg_\w+ received\n$/)
})

test('call shows what the caller hears', async (t) => {
  const stage = await commandStage(t, { roles: ['voice'] })
  const { campaignId } = await activeCampaign(stage)
  const number = await buyNumber(stage, campaignId)
  const url = `/v1/number/${number.slice(1)}/forwarding`
  await stage.call('PATCH', url, { forwardNumber: '+14155550188' })
  await eventually(
    async () => (await stage.post('/sandbox/call', { to: number })).body.status === 302,
  )
  const [called, json, refused] = await Promise.all([
    stage.run('call', number),
    stage.runJson('call', '+14155550199', '--from', '+12125550123'),
    stage.run('call', '415'),
  ])
  assert.deepEqual(
    [called.code, called.out],
    [0, '302 The caller is redirected to +14155550188.\n'],
  )
  assert.equal(json.status, 404)
  assert.match(json.request, /From: <sip:\+12125550123@/)
  assert.deepEqual(
    [refused.code, refused.err],
    [1, 'to must be a phone number in E.164 format, for example +14155550123\n'],
  )
})

test('a missing service and an unknown token are each reported in one sentence', async (t) => {
  const stage = await commandStage(t)
  const nowhere = `http://127.0.0.1:${await freePort()}`
  const [away, stranger] = await Promise.all([
    stage.run('number', 'list', '--url', nowhere),
    stage.run('number', 'list', '--token', `lc_${'x'.repeat(43)}`),
  ])
  assert.deepEqual([away.code, stranger.code], [1, 1])
  assert.equal(
    away.err,
    `No service answers at ${nowhere} (ECONNREFUSED). Start it with \`longcode serve\`, or use --url.\n`,
  )
  assert.equal(stranger.err, 'Access token is unknown, expired, or revoked\n')
})

test('listen shows events as they happen and forwards them, signed', async (t) => {
  const stage = await commandStage(t, { roles: ['dispatch'] })
  const { campaignId } = await activeCampaign(stage)
  await buyNumber(stage, campaignId)
  const received: { headers: IncomingHttpHeaders; body: string }[] = []
  const hook = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    received.push({ headers: request.headers, body: Buffer.concat(chunks).toString() })
    response.writeHead(204).end()
  })
  await new Promise<void>((resolve) => hook.listen(0, '127.0.0.1', resolve))
  t.after(() => hook.close())
  const forward = `http://127.0.0.1:${(hook.address() as AddressInfo).port}/hook`

  const child = startCommand(
    [
      'listen',
      '--forward',
      forward,
      '--secret',
      'whsec_c2VjcmV0',
      '--events',
      'message.status',
      '--count',
      '3',
    ],
    stage.env,
  )
  t.after(() => child.kill('SIGKILL'))
  const ended = new Promise<number | null>((resolve) => child.on('close', resolve))
  const shown: string[] = []
  createInterface(child.stdout!).on('line', (line) => shown.push(line))
  // It prints this before it connects. The stream may begin between the two events of a message.
  for await (const line of createInterface(child.stderr!)) {
    if (line.startsWith('Listening at')) break
  }
  const sending = setInterval(() => {
    void stage.post('/v1/message/send', { campaign: campaignId, to: '+14155550101', body: 'Hi' })
  }, 500)
  const code = await ended
  clearInterval(sending)
  assert.equal(code, 0)
  assert.equal(shown.length, 3)
  for (const line of shown) {
    assert.match(line, /^\S+Z {2}message\.status {5}msg_\w+ {2}(?:SENT|DELIVERED) {2}→ 204$/)
  }
  assert.ok(shown.some((line) => line.includes(' SENT ')))
  const [first] = received
  const { eventType, data } = JSON.parse(first!.body)
  assert.deepEqual([eventType, data.message.body], ['message.status', 'Hi'])
  assert.match(String(first!.headers['webhook-id']), /^evt_/)
  assert.match(String(first!.headers['webhook-signature']), /^v1,/)
})

test('listen shows events but not heartbeats', async (t) => {
  const stage = await commandStage(t)
  const { campaignId } = await activeCampaign(stage)
  const child = startCommand(['listen', '--count', '1', '--json'], stage.env)
  t.after(() => child.kill('SIGKILL'))
  const ended = new Promise<number | null>((resolve) => child.on('close', resolve))
  const shown: string[] = []
  createInterface(child.stdout!).on('line', (line) => shown.push(line))
  for await (const line of createInterface(child.stderr!)) {
    if (line.startsWith('Listening at')) break
  }
  let renamed = 0
  const renaming = setInterval(() => {
    renamed += 1
    void stage.call('PATCH', `/v1/campaign/${campaignId}`, { displayName: `Offers ${renamed}` })
  }, 500)
  const code = await ended
  clearInterval(renaming)
  assert.equal(code, 0)
  assert.deepEqual(
    shown.map((line) => JSON.parse(line).eventType),
    ['campaign.changed'],
  )
})
