// `longcode serve` with its own database, and commands while it runs, after it, and without it.

import assert from 'node:assert/strict'
import { createSocket } from 'node:dgram'
import { closeSync, openSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { test } from 'node:test'
import { freePort } from '../free-port.js'
import { cloneDatabase, eventually } from '../harness.js'
import { type Env, ON_TERMINAL, runCommand, startCommand, temporaryFolder } from './run-command.js'

test('commands use the database of a running sandbox, and start it if none is running', async (t) => {
  const env = {
    LONGCODE_DATA: path.join(temporaryFolder(t), 'data'),
    PORT: String(await freePort()),
  }

  const nothing = await runCommand(['account', 'list'], env)
  assert.equal(nothing.code, 1)
  assert.match(nothing.err, /^There is no database in .* yet\. Start the service once/)

  const child = startCommand(['serve'], env)
  t.after(() => child.kill('SIGKILL'))
  const ended = new Promise<number | null>((resolve) => child.on('close', resolve))
  const lines: string[] = []
  for await (const line of createInterface(child.stdout!)) {
    lines.push(line)
    if (line.startsWith('Try it:')) break
  }
  assert.ok(lines.includes('Longcode is ready (sandbox).'), lines.join('\n'))
  child.stdout!.resume()

  // Without a token: the sandbox's own is found in its data folder.
  const [accounts, numbers, doctor, second] = await Promise.all([
    runCommand(['account', 'list', '--json'], env),
    runCommand(['number', 'search', '--area-code', '415', '--limit', '1', '--json'], env),
    runCommand(['doctor'], env),
    runCommand(['serve'], env),
  ])
  const [{ id, balance }] = JSON.parse(accounts.out)
  assert.equal(balance, 100)
  assert.equal(JSON.parse(numbers.out).length, 1)
  assert.equal(doctor.code, 0, doctor.out)
  assert.match(doctor.out, /service +Running and ready at http:\/\/127\.0\.0\.1:\d+\./)
  assert.equal(second.code, 1)
  assert.match(second.err, /in use by another start of Longcode/)

  // As in the README.
  const more = await runCommand(['credit', id, '50', '--note', 'More to try with'], env)
  assert.match(more.out, /^balance +150$/m)

  child.kill('SIGTERM')
  assert.equal(await ended, 0)
  const after = await runCommand(['credit', id, '5', '--note', 'gift', '--json'], env)
  assert.equal(JSON.parse(after.out).balance, 155)
})

test('help shows examples for every command, and --version prints the version and the commit', async () => {
  const [help, inner, version, bare] = await Promise.all([
    runCommand(['--help']),
    runCommand(['number', 'import', '--help']),
    runCommand(['--version']),
    runCommand([]),
  ])
  for (const name of 'serve migrate account token credit brand campaign number send inbound call listen doctor export redact'.split(
    ' ',
  )) {
    assert.match(help.out, new RegExp(`^  ${name} `, 'm'))
  }
  assert.match(help.out, /Exit codes: 0 success, 1 failure, 2 usage error\./)
  assert.match(inner.out, /Examples:\n {2}\$ longcode number import numbers\.csv/)
  assert.match(inner.out, /--json +print results as JSON/)
  assert.match(version.out, /^\d+\.\d+\.\d+ \(commit [0-9a-f]{12}\)\n$/)
  assert.equal(bare.code, 2)
})

test('help marks required options and shows them in the usage line', async () => {
  const { out } = await runCommand(['send', '--help'])
  assert.match(out, /^Usage: longcode send --to <number> --body <text> \[options\]\n/)
  assert.match(out, /--to <number> +recipient, such as \+14155550123 \(required\)\n/)
  assert.match(out, /--from <number> +your number to send from\n/)
})

test('migrate draws a progress bar on a terminal and nothing elsewhere', async (t) => {
  const env = { LONGCODE_DATA: path.join(temporaryFolder(t), 'data') }
  const first = await runCommand(['migrate'], env, { nodeArgs: ON_TERMINAL })
  assert.match(first.out, /^Applied: 0001-/)
  const count = first.out.split(', ').length
  assert.match(first.err, new RegExp(`Migrating █+ 100% {2}${count} / ${count}\\n`))
  const again = await runCommand(['migrate'], env)
  assert.equal(again.out, 'Nothing to do.\n')
  assert.doesNotMatch(again.err, /Migrating/)
})

/** The log is held for 5 seconds. On a busy machine a start can take longer. */
const HOLDING_LONG = [
  '--import',
  `data:text/javascript,${encodeURIComponent(`
    const { setTimeout: wait } = globalThis
    globalThis.setTimeout = (run, ms, ...rest) => wait(run, ms === 5_000 ? 600_000 : ms, ...rest)`)}`,
]

test('the start banner comes before the first log line', async (t) => {
  const { url, drop } = await cloneDatabase()
  t.after(drop)
  // Something else answers on the SIP port, so the service has a warning to log during its start.
  const blocker = createSocket('udp4')
  await new Promise((resolve) =>
    blocker.once('error', resolve).bind(5060, '127.0.0.1', () => resolve(null)),
  )
  t.after(() => blocker.close())
  const file = path.join(temporaryFolder(t), 'output')
  const output = openSync(file, 'a') // one file keeps the order of both streams
  t.after(() => closeSync(output))
  const env = { DATABASE_URL: url, PORT: String(await freePort()) }
  const child = startCommand(['serve'], env, HOLDING_LONG, output)
  t.after(() => child.kill('SIGKILL'))
  const text = await eventually(async () => {
    const written = readFileSync(file, 'utf8')
    return written.includes('calls are not answered') && written
  })
  assert.ok(text.indexOf('Longcode is ready') < text.indexOf('{"level"'), text)
  assert.match(text, /Calls +NOT answered: port 5060 is in use/)
})

/** The start banner of the service, until it is ready. */
async function welcomeOf(env: Env, last = /^Try it:/): Promise<string> {
  const child = startCommand(['serve'], env)
  const ended = new Promise<number | null>((resolve) => child.on('close', resolve))
  const lines: string[] = []
  try {
    for await (const line of createInterface(child.stdout!)) {
      lines.push(line)
      if (last.test(line)) break
    }
  } finally {
    child.stdout!.resume()
    child.kill('SIGTERM')
    assert.equal(await ended, 0)
  }
  return lines.join('\n')
}

test('the first start in production reports the missing carrier and how to create a token', async (t) => {
  const { url, drop } = await cloneDatabase()
  t.after(drop)
  const env = { LONGCODE_MODE: 'production', DATABASE_URL: url, PORT: String(await freePort()) }
  const welcome = await welcomeOf({ ...env, LONGCODE_SMPP_PORT: '0' })
  assert.match(welcome, /\n +SMPP +127\.0\.0\.1:\d+: npx longcode token create --smpp\n/)
  assert.match(welcome, /Carrier +NONE: no carrier link is set up\. Every send is refused with 503/)
  assert.match(welcome, /npx longcode account create .*\n +npx longcode token create --account/)
  assert.doesNotMatch(welcome, /shown at the first start/)

  const partly = await welcomeOf({ ...env, LONGCODE_ROLES: 'schedule,deliver' }, /^ +Carrier /)
  assert.match(
    partly,
    /Address +http:\S+ \(health and metrics only: .*\n +Roles +schedule, deliver\n/,
  )
  assert.doesNotMatch(partly, /Console|API docs/)

  const once = await runCommand(['serve'], { ...env, LONGCODE_CARRIER: 'simulator' })
  assert.equal(once.code, 1)
  assert.match(
    once.err,
    /^LONGCODE_CARRIER=simulator reports deliveries that never happened: .*\n$/,
  )

  const simulated = await welcomeOf({
    ...env,
    LONGCODE_CARRIER: 'simulator',
    LONGCODE_ALLOW_SIMULATED_DELIVERIES: 'true',
  })
  assert.match(
    simulated,
    /Carrier +SIMULATED: messages are reported as delivered, but nothing reaches a phone/,
  )
})
