// Runs the receivers and signature checks of docs/webhooks.md with real deliveries, and compares its sample events.

import assert from 'node:assert/strict'
import { execFile, spawn } from 'node:child_process'
import { symlinkSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { Webhook } from 'standardwebhooks'
import { temporaryFolder } from '../commands/run-command.js'
import { blocksOf } from '../documented-blocks.js'
import { createWebhook, webhookReceiver } from '../flows/webhook-receiver.js'
import { freePort } from '../free-port.js'
import { eventually } from '../harness.js'
import { hasTool } from '../ops/machine-tool.js'
import { sendingService, VZW } from '../sending.js'
import { RUN_BLOCKS } from './webhook-blocks.js'

const run = promisify(execFile)

function blockOf(page: string, firstLine: string): string {
  const found = blocksOf(page).find(({ text }) => text.startsWith(`${firstLine}\n`))
  assert.ok(found, `${page} has no block that starts with ${firstLine}`)
  return found.text
}

test('the code for receivers accepts a genuine event and refuses another body', async (t) => {
  const { service, campaignId, inbound } = await sendingService(t, { roles: ['deliver'] })
  const receiver = await webhookReceiver(t)
  const webhook = await createWebhook(service, campaignId, receiver.url)
  await inbound(VZW, 'Wrong number, please stop texting me')
  await eventually(async () => receiver.received.length >= 2)
  const { text: body, headers } = receiver.received[0]!
  const [listening, node, python, openssl] = RUN_BLOCKS.map((line) =>
    blockOf('docs/webhooks.md', line),
  )
  const folder = temporaryFolder(t)
  symlinkSync(path.resolve('node_modules'), path.join(folder, 'node_modules'))
  const fields = JSON.stringify({ headers, body, secret: webhook.secret })

  const check = [
    `const { headers, body, secret } = ${fields}`,
    'console.log(isGenuine(headers, body, secret), isGenuine(headers, body + " ", secret))',
  ].join('\n')
  writeFileSync(path.join(folder, 'check.mjs'), `${node}\n${check}`)
  assert.equal(
    (await run(process.execPath, [path.join(folder, 'check.mjs')])).stdout,
    'true false\n',
  )

  const pythonCheck = [
    'import json, sys',
    'sent = json.loads(sys.argv[1])',
    'body = sent["body"].encode()',
    'for data in (body, body + b" "): print(is_genuine(sent["headers"], data, sent["secret"]))',
  ].join('\n')
  const checked = await run('python3', ['-c', `${python}\n${pythonCheck}`, fields])
  assert.equal(checked.stdout, 'True\nFalse\n')

  const env = {
    PATH: process.env.PATH,
    SECRET: webhook.secret,
    ID: String(headers['webhook-id']),
    TIMESTAMP: String(headers['webhook-timestamp']),
    BODY: body,
  }
  const { stdout } = await run('bash', ['-euc', openssl!], { env })
  assert.equal(`v1,${stdout.trim()}`, headers['webhook-signature'])

  const port = await freePort()
  writeFileSync(path.join(folder, 'server.mjs'), listening!.replace('3000', String(port)))
  const child = spawn(process.execPath, [path.join(folder, 'server.mjs')], {
    env: { WEBHOOK_SECRET: webhook.secret },
    stdio: 'ignore',
  })
  t.after(() => child.kill())
  const names = Object.keys(headers).filter((name) => name.startsWith('webhook-'))
  const signed = Object.fromEntries(names.map((name) => [name, String(headers[name])]))
  const post = (text: string) =>
    fetch(`http://127.0.0.1:${port}/hook`, {
      method: 'POST',
      headers: signed,
      body: text,
    }).then(({ status }) => status)
  await eventually(async () => (await post(body).catch(() => 0)) === 204, 'the server')
  assert.equal(await post(`${body} `), 400)

  const events = receiver.received.map(({ event }) => event)
  const sample = JSON.parse(blockOf('docs/webhooks.md', '{'))
  assert.deepEqual(Object.keys(sample), Object.keys(events[0]!))
  const optout = JSON.parse(blockOf('docs/opt-outs.md', '{'))
  const real = events.find(({ eventType }) => eventType === 'recipient.optout')!
  assert.deepEqual(Object.keys(optout.data).sort(), Object.keys(real.data).sort())
  assert.deepEqual([optout.data.keyword, optout.data.match], [real.data.keyword, real.data.match])
})

const GO_CHECK = `package main

import (
	"encoding/json"
	"fmt"
	"os"
)

func main() {
	var sent struct {
		Headers map[string]string
		Body    string
		Secret  string
	}
	if err := json.Unmarshal([]byte(os.Args[1]), &sent); err != nil {
		panic(err)
	}
	get := func(name string) string { return sent.Headers[name] }
	for _, end := range []string{"", " "} {
		fmt.Println(isGenuine(get, []byte(sent.Body+end), sent.Secret))
	}
}
`

test('the Go code for receivers accepts a genuine event and refuses another body', async (t) => {
  if (!hasTool(t, 'go', 'golang-go', ['version'])) return
  const folder = temporaryFolder(t)
  const files = [path.join(folder, 'verify.go'), path.join(folder, 'main.go')]
  writeFileSync(files[0]!, blockOf('docs/webhooks.md', 'package main'))
  writeFileSync(files[1]!, GO_CHECK)
  const [secret, body, now] = [`whsec_${Buffer.alloc(24, 7).toString('base64')}`, '{}', new Date()]
  const headers = {
    'webhook-id': 'evt_1',
    'webhook-timestamp': String(Math.floor(now.getTime() / 1000)),
    'webhook-signature': `v1,x ${new Webhook(secret).sign('evt_1', now, body)}`,
  }
  const env = { ...process.env, GOPROXY: 'off', GO111MODULE: 'off' }
  const sent = JSON.stringify({ headers, body, secret })
  const { stdout } = await run('go', ['run', ...files, sent], { env })
  assert.equal(stdout, 'true\nfalse\n')
})
