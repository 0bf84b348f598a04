// Runs every documented command in the files of the image, on a read-only file system, as an unprivileged user, with a
// PostgreSQL as in production: a service, a carrier (`longcode smsc`), and the steps of command-steps.ts.

import assert from 'node:assert/strict'
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { type TestContext, test } from 'node:test'
import type { Env } from '../commands/run-command.js'
import { startDatabaseProxy } from '../faults/database-proxy.js'
import { freePort } from '../free-port.js'
import { cloneDatabase, eventually } from '../harness.js'
import { telnyxFace } from '../providers/faces.js'
import { FakeProvider } from '../providers/fake-provider.js'
import { STEPS, type Step } from './command-steps.js'
import { type Installed, run, start, startSandbox } from './installed-program.js'
import { openImage } from './open-image.js'

const PUBLIC_URL = 'https://sms.ours.test'
const NUMBERS = ['+14152004000', '+14152004001']

/** `account create`, `carrier add` …: every command in the tables of command-line.md. */
function documentedCommands(): string[] {
  const rows = readFileSync('docs/command-line.md', 'utf8').matchAll(/^\| (`.+?) \| /gm)
  const texts = [...rows].flatMap(([, cell]) =>
    [...cell!.matchAll(/`([^`]+)`/g)].map(([, text]) => text!),
  )
  const commands = texts.flatMap((text) => {
    const words = text.replaceAll('\\|', '|').split(' ')
    const end = words.findIndex((word) => !/^[a-z][a-z|-]*$/.test(word))
    const [first, second] = end < 0 ? words : words.slice(0, end)
    return second?.split('|').map((name) => `${first} ${name}`) ?? [first!]
  })
  return [...new Set(commands)]
}

/** Starts `longcode smsc` and returns the carriers file that it prints. */
async function startCarrier(t: TestContext, installed: Installed): Promise<string> {
  const child = start(installed, ['smsc', '--port', '0', '--receipt-delay', '0'])
  t.after(() => child.kill('SIGKILL'))
  let printed = ''
  for await (const line of createInterface(child.stderr!)) {
    printed += `${line}\n`
    if (line.includes('To send a message')) break
  }
  child.stderr!.resume()
  return /links:\n(?: .*\n)+/.exec(printed)![0]
}

async function startEndpoint(t: TestContext): Promise<string> {
  const server = createServer((request, response) => {
    request.resume()
    response.writeHead(204).end()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.after(() => server.close())
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`
}

/** A provider for `carrier add`, which has one number. Returns the settings that name it. */
async function startProvider(t: TestContext): Promise<Env> {
  const face = telnyxFace()
  const callbacks = `${PUBLIC_URL}/carrier/telnyx`
  const fake = new FakeProvider(face, callbacks, () => async () => ({ status: 200 }))
  await fake.start()
  t.after(() => fake.stop())
  fake.account.authorization = 'Bearer provider-secret'
  fake.account.publicKey = face.publicKey
  const [phoneNumber] = NUMBERS
  const number = { id: '1', phoneNumber: phoneNumber!, profileId: null, forwardsTo: null }
  fake.numbers.purchased.set(phoneNumber!, number)
  return { TELNYX_KEY: 'provider-secret', TELNYX_URL: fake.url }
}

/** Fills in what earlier commands printed. */
class Shell {
  readonly #ids = new Map<string, string>()

  constructor(
    readonly installed: Installed,
    readonly words: Record<string, string>,
  ) {}

  /** Runs a step. Returns what is wrong with its result, or null. */
  async run({ line, prints, code }: Step): Promise<string | null> {
    const typed = this.#fill(line)
    const result = await run({ ...this.installed, command: 'bash' }, '-c', `longcode ${typed}`)
    const output = result.out + result.err
    for (const [id, kind] of output.matchAll(/\b([a-z]{3})_[0-9a-z]{20,}/g))
      this.#ids.set(kind!, id!)
    const systemId = /\bsystem ID (\w+)/i.exec(output)?.[1]
    if (systemId) this.words.SYSTEM_ID = systemId
    const form = new RegExp(
      this.#fill(prints.source, (word) => word.replaceAll(/[+.?]/g, '\\$&')),
      prints.flags,
    )
    if (result.code === code && form.test(output)) return null
    return `longcode ${typed}\nended with ${result.code}, expected ${code} and ${form}:\n${output}`
  }

  #fill(text: string, quote = (word: string) => word): string {
    return text
      .replaceAll(/\b([a-z]{3})_…/g, (_, kind: string) => this.#ids.get(kind) ?? `no ${kind} ID`)
      .replaceAll(/\b[A-Z][A-Z_]+\b/g, (word) => quote(this.words[word] ?? word))
  }
}

test('the image runs every command of the docs', async (t) => {
  const database = await cloneDatabase()
  t.after(database.drop)
  // The socket of the embedded server is not open to other users.
  const { url } = await startDatabaseProxy(t, database.url)
  const { installed } = openImage(t)
  const folder = path.join(installed.env.HOME!, 'shared')
  mkdirSync(folder)
  chmodSync(folder, 0o777)
  const [carriers, numbers] = ['carriers.yaml', 'numbers.csv'].map((name) =>
    path.join(folder, name),
  )
  writeFileSync(numbers!, `number,monthlyPrice\n${NUMBERS.map((one) => `${one},1.00\n`).join('')}`)
  writeFileSync(carriers!, await startCarrier(t, installed))
  Object.assign(installed.env, {
    DATABASE_URL: url,
    PORT: String(await freePort()),
    LONGCODE_REGISTRY: 'manual',
    LONGCODE_CARRIERS: carriers,
    ...(await startProvider(t)),
  })
  const running = await startSandbox(t, installed)
  installed.env.LONGCODE_TOKEN = running.token
  const shell = new Shell(installed, {
    NUMBER: NUMBERS[0]!,
    OTHER_NUMBER: NUMBERS[1]!,
    LINK: 'smsc',
    FOLDER: folder,
    PUBLIC_URL,
    ENDPOINT: await startEndpoint(t),
    IN_AN_HOUR: new Date(Date.now() + 3_600_000).toISOString(),
  })
  await eventually(async () => (await run(installed, 'carrier', 'status')).out.includes(' up '))
  const listening = run(installed, 'listen', '--count', '1')
  const faults: string[] = []
  for (const step of STEPS) {
    const fault = await shell.run(step)
    if (fault !== null) faults.push(fault)
  }
  assert.equal(faults.length, 0, faults.join('\n\n'))
  assert.match((await listening).out, /\S/)
  assert.equal(await running.stop(), 0)

  const startedAbove = ['serve', 'smsc', 'listen']
  const typed = [...startedAbove, ...STEPS.map(({ line }) => line)]
  const isRun = (command: string) => typed.some((line) => `${line} `.startsWith(`${command} `))
  const commands = documentedCommands()
  assert.ok(commands.length > 80, `only ${commands.length} commands are documented`)
  assert.deepEqual(
    commands.filter((command) => !isRun(command)),
    [],
  )
})
