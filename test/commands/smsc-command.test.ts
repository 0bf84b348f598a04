// `longcode smsc`, run as a program, with a customer that binds to it.

import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import path from 'node:path'
import { type TestContext, test } from 'node:test'
import { parse } from 'yaml'
import { readCarriers } from '../../src/carriers/settings/read-carriers.js'
import { USUAL_CODINGS } from '../../src/smpp/text/data-coding.js'
import { readMessage } from '../../src/smpp/text/read-message.js'
import { selfSigned } from '../self-signed.js'
import { bindTo, FROM, TO } from '../smpp-customer.js'
import { until } from '../until.js'
import { runCommand, startCommand, temporaryFolder } from './run-command.js'

/** The running command: its output so far, its port, and a way to type. */
async function startSmscCommand(t: TestContext, ...args: string[]) {
  const child = startCommand(['smsc', '--port', '0', ...args])
  t.after(() => child.kill('SIGKILL'))
  const printed = { out: '', err: '' }
  child.stdout!.on('data', (text) => (printed.out += text))
  child.stderr!.on('data', (text) => (printed.err += text))
  const ended = new Promise<number | null>((resolve) => child.once('exit', resolve))
  await until(() => printed.err.includes('To send a message'), 'the SMSC')
  const [yaml] = /links:\n(?: .*\n)+/.exec(printed.err)!
  const { links } = parse(yaml) as { links: { port: number; systemId: string; password: string }[] }
  return { child, printed, ended, yaml, link: links[0]! }
}

test('smsc prints how to connect, shows each message in one line, and sends typed messages', async (t) => {
  const { child, printed, ended, yaml, link } = await startSmscCommand(
    t,
    ...['--system-id', 'me', '--password', 'pass word', '--receipt-delay', '0'],
  )
  assert.deepEqual([link.systemId, link.password], ['me', 'pass word'])
  const file = path.join(temporaryFolder(t), 'carriers.yaml')
  writeFileSync(file, yaml)
  assert.deepEqual(
    readCarriers({ file, allowsSimulator: false, publicUrl: 'https://sms.ours.test' }).links.map(
      ({ name, kind }) => [name, kind],
    ),
    [['smsc', 'smpp']],
  )
  const { seen, submit } = await bindTo(link.port, link)
  const text = 'Zwei Zeilen\nmit Grüßen 🎉 '.repeat(5)
  submit(TO, text, 1)
  await until(() => printed.out.includes('\n'), 'the message')
  assert.equal(printed.out.split('\n').length, 2)
  assert.ok(printed.out.includes(`${FROM} → ${TO}`) && printed.out.includes(JSON.stringify(text)))
  await until(() => seen.deliveries.length === 2, 'a receipt for each part')

  child.stdin!.write(`nonsense\n${TO} ${FROM} Grüße zurück\n`)
  const pdu = await until(() => seen.deliveries[2], 'the typed message')
  assert.ok(pdu.command === 'deliver_sm')
  assert.equal(readMessage(pdu, USUAL_CODINGS).text, 'Grüße zurück')
  await until(() => printed.err.includes(`${TO} → ${FROM}: accepted.`), 'its end')
  assert.match(printed.err, /Type: FROM TO TEXT, such as/)

  child.kill('SIGTERM')
  assert.equal(await ended, 0)
  assert.match(printed.err, /me bound as transceiver from 127\.0\.0\.1:\d+\./)
})

test('smsc --json prints a line of JSON for each message, even without input', async (t) => {
  const { child, printed, link, ended } = await startSmscCommand(
    t,
    '--json',
    '--id-form',
    'decimal',
  )
  child.stdin!.end()
  const { submit } = await bindTo(link.port)
  submit(TO, 'Hello', 1)
  await until(() => printed.out.includes('\n'), 'the message')
  const { takenAt, ids, ...rest } = JSON.parse(printed.out)
  assert.deepEqual(rest, { systemId: 'me', from: FROM, to: TO, text: 'Hello', parts: 1 })
  assert.match(ids[0], /^\d+$/)
  assert.ok(!Number.isNaN(Date.parse(takenAt)))
  child.kill('SIGINT')
  assert.equal(await ended, 0)
})

test('smsc in the background, without input, stops cleanly', async (t) => {
  const child = spawn('sh', ['-c', 'exec node dist/main.js smsc --port 0 < /dev/null'], {
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  t.after(() => child.kill('SIGKILL'))
  let err = ''
  child.stderr.on('data', (text) => (err += text))
  const ended = new Promise((resolve) => child.once('exit', resolve))
  await until(() => err.includes('To send a message'), 'the SMSC')
  child.kill('SIGTERM')
  assert.equal(await ended, 0, err)
})

test('smsc reports an invalid option in one sentence', async (t) => {
  const folder = temporaryFolder(t)
  writeFileSync(path.join(folder, 'cert.pem'), selfSigned('smsc.test').cert)
  writeFileSync(path.join(folder, 'key.pem'), 'no key')
  const taken = createServer().listen(0, '127.0.0.1')
  await new Promise((resolve) => taken.once('listening', resolve))
  t.after(() => taken.close())
  const { port } = taken.address() as { port: number }
  const tls = ['--tls-cert', `${folder}/cert.pem`]
  const cases: [args: string[], code: number, sentence: RegExp][] = [
    [['--port', '70000'], 2, /--port must be at most 65535, not 70000\./],
    [
      ['--receipts', 'perhaps'],
      2,
      /--receipts must be delivered, failed, none, mix, not "perhaps"\./,
    ],
    [tls, 2, /Use --tls-cert and --tls-key together\./],
    [[...tls, '--tls-key', `${folder}/key.pem`], 1, /^--tls-cert, --tls-key: /],
    [['--port', String(port)], 1, /the port is in use\. Choose another --port\./],
  ]
  const results = await Promise.all(cases.map(([args]) => runCommand(['smsc', ...args])))
  for (const [i, [args, code, sentence]] of cases.entries()) {
    assert.match(results[i]!.err, sentence)
    assert.equal(results[i]!.code, code, args.join(' '))
  }
})
