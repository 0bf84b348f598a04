// An installed copy of Longcode (a package, the files of the image), used as on a first day: started in an empty folder
// without settings, through a first message.

import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { text } from 'node:stream/consumers'
import type { TestContext } from 'node:test'
import type { CommandResult, Env } from '../commands/run-command.js'
import { eventually } from '../harness.js'
import { readmeBody } from '../readme-bodies.js'

export interface Installed {
  /** The command to start: the path of `longcode`. */
  command: string
  cwd: string
  env: Env
  /** Another user to run as. */
  uid?: number
  gid?: number
}

export function start({ command, ...options }: Installed, args: readonly string[]): ChildProcess {
  return spawn(command, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] })
}

export async function run(installed: Installed, ...args: string[]): Promise<CommandResult> {
  const child = start(installed, args)
  const [out, err, [code]] = await Promise.all([
    text(child.stdout!),
    text(child.stderr!),
    once(child, 'close'),
  ])
  return { code, out, err }
}

export interface Running {
  url: string
  token: string
  /** Ends it as a supervisor would, and returns its exit code. */
  stop: () => Promise<number | null>
}

/** Starts `longcode serve` and waits for its banner. */
export async function startSandbox(
  t: TestContext,
  installed: Installed,
  args: readonly string[] = ['serve'],
): Promise<Running> {
  const child = start(installed, args)
  t.after(() => child.kill('SIGKILL'))
  const ended = new Promise<number | null>((resolve) => child.on('close', resolve))
  let errors = ''
  child.stderr!.on('data', (part) => (errors += part))
  const banner: string[] = []
  for await (const line of createInterface(child.stdout!)) {
    banner.push(line)
    if (line.startsWith('Try it:')) break
  }
  child.stdout!.resume()
  const lines = banner.join('\n')
  const url = /^ +Address +(\S+)$/m.exec(lines)?.[1]
  const token = /^ +Token +(lc_\S+)$/m.exec(lines)?.[1]
  assert.ok(url && token, `${lines}\n${errors}`)
  const stop = () => {
    child.kill('SIGTERM')
    return ended
  }
  return { url, token, stop }
}

/** From a brand to a delivered message, with the bodies of README. */
export async function sendFirstMessage({ url, token }: Running): Promise<void> {
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers freely
  const ask = async (method: string, path: string, body?: unknown): Promise<any> => {
    const response = await fetch(`${url}${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    const reply = await response.json()
    assert.equal(response.status, 200, `${path}: ${JSON.stringify(reply)}`)
    return reply
  }
  const { brand } = await ask('POST', '/v1/brand/create', readmeBody('/v1/brand/create'))
  const wanted = readmeBody('/v1/campaign/create', { BRAND: brand.id })
  const { campaign } = await ask('POST', '/v1/campaign/create', wanted)
  const path = `/v1/campaign/${campaign.id}`
  await eventually(
    async () => (await ask('GET', path)).campaign.status === 'ACTIVE',
    'the approval',
  )
  const { numbers } = await ask('GET', '/v1/number/search?areaCode=415&limit=1')
  const known = { BRAND: brand.id, CAMPAIGN: campaign.id, NUMBER: numbers[0].number }
  await ask('POST', `${path}/number/buy`, readmeBody('/number/buy', known))
  const { id } = await ask('POST', '/v1/message/send', readmeBody('/v1/message/send', known))
  await eventually(
    async () => (await ask('GET', `/v1/message/${id}`)).message.status === 'DELIVERED',
    'the delivery',
  )
}
