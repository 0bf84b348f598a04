// Runs the command line as users do, in a separate process, or against a service under test, in this one.

import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, existsSync, mkdtempSync, realpathSync, rmSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import os from 'node:os'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { text } from 'node:stream/consumers'
import type { TestContext } from 'node:test'
import { type TestOptions, type TestService, testService } from '../harness.js'
import { runInside } from './run-inside.js'

const PROJECT = process.cwd()

// The compiled program starts three times as fast as its source. `npm test` has compiled it already.
const PROGRAM = existsSync('dist/main.js') ? ['dist/main.js'] : ['--import', 'tsx', 'src/main.ts']

export interface CommandResult {
  code: number | null
  out: string
  err: string
}

export type Env = Record<string, string>

/** A folder for one test, which any user may enter: as root, data would otherwise be stored elsewhere. */
export function temporaryFolder(t: TestContext): string {
  const folder = mkdtempSync(path.join(realpathSync(os.tmpdir()), 'longcode-command-'))
  chmodSync(folder, 0o755)
  t.after(() => rmSync(folder, { recursive: true, force: true, maxRetries: 10 }))
  return folder
}

/** A clean environment, without variables from the developer's shell. */
export function startCommand(
  args: readonly string[],
  env: Env = {},
  nodeArgs: readonly string[] = [],
  output: 'pipe' | number = 'pipe',
): ChildProcess {
  return spawn(process.execPath, [...nodeArgs, ...PROGRAM, ...args], {
    cwd: PROJECT,
    env: { PATH: process.env.PATH ?? '', HOME: process.env.HOME ?? '', ...env },
    stdio: ['pipe', output, output],
  })
}

/** Simulates a terminal, where progress is drawn. */
export const ON_TERMINAL = ['--import', 'data:text/javascript,process.stderr.isTTY = true']

export interface RunningServe {
  child: ChildProcess
  /** The start banner, up to the hint how to try it. */
  welcome: string[]
  /** Its log so far. */
  log: () => string
  /** Its exit code, once it has ended. */
  ended: Promise<number | null>
}

/** Starts `longcode serve` and waits until it is ready. Killed when the test ends. */
export async function startServe(t: TestContext, env: Env): Promise<RunningServe> {
  const child = startCommand(['serve'], env)
  t.after(() => child.kill('SIGKILL'))
  const ended = new Promise<number | null>((resolve) => child.on('close', resolve))
  let log = ''
  child.stderr!.on('data', (part) => (log += part))
  const welcome: string[] = []
  for await (const line of createInterface(child.stdout!)) {
    welcome.push(line)
    if (line.startsWith('Try it:')) break
  }
  child.stdout!.resume()
  return { child, welcome, log: () => log, ended }
}

export async function runCommand(
  args: readonly string[],
  env: Env = {},
  options: { input?: string; nodeArgs?: readonly string[] } = {},
): Promise<CommandResult> {
  const child = startCommand(args, env, options.nodeArgs)
  child.stdin!.end(options.input ?? '')
  const [out, err, [code]] = await Promise.all([
    text(child.stdout!),
    text(child.stderr!),
    once(child, 'close'),
  ])
  return { code, out, err }
}

export interface CommandStage extends TestService {
  env: Env
  /** Runs a command on the database of the service, or against the service, in this process. */
  run: (...args: string[]) => Promise<CommandResult>
  /** The same with --json, returning the parsed output. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers freely
  runJson: (...args: string[]) => Promise<any>
}

/** A listening service, and commands that know its address and database. */
export async function commandStage(t: TestContext, options?: TestOptions): Promise<CommandStage> {
  const service = await testService(t, options)
  await service.app.listen({ port: 0, host: '127.0.0.1' })
  const { port } = service.app.server.address() as AddressInfo
  const env = {
    DATABASE_URL: service.databaseUrl,
    LONGCODE_URL: `http://127.0.0.1:${port}`,
    LONGCODE_TOKEN: service.token,
    LONGCODE_DATABASE_TIMEOUT: '120', // a busy machine is not a hung database
  }
  const run = (...args: string[]) => runInside(args, env)
  return {
    ...service,
    env,
    run,
    runJson: async (...args) => {
      const { code, out, err } = await run(...args, '--json')
      if (code !== 0) throw new Error(`${args.join(' ')} ended with ${code}: ${err}`)
      return JSON.parse(out)
    },
  }
}
