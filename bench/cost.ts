// `npm run bench -- cost [--compare COMMIT] [--with NAME=VALUE,…] [--rounds N] [--only SCENARIO] [--profile]`: CPU time
// per message of the service and of its database, for sends alone, for the way to DELIVERED, and with webhooks. With a
// commit, that commit is built in a temporary folder. With settings, this tree runs without and with them. The two take
// turns of a few seconds: the speed of a machine drifts, but hardly within one pair of turns. With --profile, the output
// also has the service's time by kind of work. Profiling makes it slower by a tenth.

import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import type { Database } from '../src/kit/postgres/db.js'
import { NOTHING, raw, sql } from '../src/kit/postgres/sql.js'
import { median, sendLoad } from './accept.js'
import { monotonicUs, profileLines, type Span } from './cost-profile.js'
import { measureLoad } from './load.js'
import { startPeer } from './smpp-peer.js'
import {
  addCustomer,
  cpuUs,
  databaseCpuUs,
  openStage,
  type Running,
  type Stage,
  startServer,
} from './stage.js'
import { addWebhook, startReceiver } from './webhooks.js'

const ROUNDS = Number(optionOf('--rounds') ?? 5)
const WARM_UP_S = 3
const TURN_S = 4
const DRAIN_MAX_S = 60
const WINDOW = 500

interface Scenario {
  name: string
  env: Record<string, string>
  /** What carries messages until they are DELIVERED. Without one they only wait. */
  carrier: 'none' | 'simulator' | 'smsc'
  /** A webhook gets every event: SENT and DELIVERED. */
  hasWebhook?: true
}

const SCENARIOS: readonly Scenario[] = [
  { name: 'accept', env: { LONGCODE_ROLES: 'api' }, carrier: 'none' },
  { name: 'accept to DELIVERED, simulated carrier', env: {}, carrier: 'simulator' },
  { name: 'accept to DELIVERED, over SMPP', env: {}, carrier: 'smsc' },
  {
    name: 'with a webhook, two requests per message',
    env: {},
    carrier: 'simulator',
    hasWebhook: true,
  },
]

interface Cost {
  serviceUs: number
  databaseUs: number
}

interface Contender {
  name: string
  stage: Stage
  server: Running
  costs: Cost[]
  /** When its turns were, for its profile. */
  spans: Span[]
  profiles: string | null
  close: () => Promise<void>
}

export async function run() {
  const commit = optionOf('--compare')
  const settings = readSettings(optionOf('--with'))
  const before = settings && { ...ownProgram(), name: 'without' }
  const other = commit === null ? before : buildCommit(commit)
  try {
    return await compare(
      other,
      settings ? { ...ownProgram(), name: 'with', env: settings } : ownProgram(),
    )
  } finally {
    other?.remove()
  }
}

function optionOf(name: string): string | null {
  const at = process.argv.indexOf(name)
  return at === -1 ? null : (process.argv[at + 1] ?? '')
}

function readSettings(text: string | null): Record<string, string> | null {
  if (text === null) return null
  return Object.fromEntries(
    text.split(',').map((pair) => [pair.split('=', 1)[0]!, pair.slice(pair.indexOf('=') + 1)]),
  )
}

async function compare(other: Program | null, own: Program) {
  const lines: string[] = []
  let ratio = 1
  const only = optionOf('--only')
  for (const scenario of SCENARIOS) {
    if (only !== null && scenario.name !== only) continue
    const sides = other ? [other, own] : [own]
    const measured = await measure(scenario, sides)
    lines.push(scenario.name, ...measured.flatMap(linesOf))
    if (measured.length === 2) {
      const ratios = ratiosOf(measured[0]!, measured[1]!)
      ratio = median(ratios)
      const spread = ratios.map((one) => one.toFixed(2)).join(' ')
      lines.push(`  ratio     ${ratio.toFixed(2)} (${spread})`)
    }
  }
  return { lines, ratio }
}

interface Program {
  name: string
  entry: string
  /** In addition to those of the scenario. */
  env: Record<string, string>
  remove: () => void
}

function ownProgram(): Program {
  return { name: 'this tree', entry: 'dist/main.js', env: {}, remove: () => {} }
}

/** With its own packages: it must not change those of this tree. */
function buildCommit(commit: string): Program {
  const folder = makeFolder('commit')
  const git = (...args: string[]) => runOrFail('git', args, process.cwd())
  git('worktree', 'add', '--detach', folder, commit)
  const remove = () => git('worktree', 'remove', '--force', folder)
  try {
    runOrFail(process.execPath, ['scripts/prepare.mjs', 'build'], folder)
  } catch (error) {
    remove()
    throw error
  }
  return { name: commit, entry: path.join(folder, 'dist/main.js'), env: {}, remove }
}

function runOrFail(program: string, args: readonly string[], cwd: string): void {
  const { status, stderr } = spawnSync(program, args, { cwd, encoding: 'utf8' })
  if (status !== 0) throw new Error(`${program} ${args.join(' ')} failed: ${stderr}`)
}

async function measure(scenario: Scenario, programs: readonly Program[]): Promise<Contender[]> {
  const contenders: Contender[] = []
  try {
    for (const program of programs) contenders.push(await open(scenario, program))
    await takeTurns(scenario, contenders)
  } finally {
    for (const { close } of contenders) await close()
  }
  return contenders
}

async function takeTurns(scenario: Scenario, contenders: readonly Contender[]): Promise<void> {
  for (const one of contenders) await takeTurn(scenario, one, WARM_UP_S)
  for (const one of contenders) {
    one.costs = []
    one.spans = []
  }
  for (let round = 0; round < ROUNDS; round += 1) {
    // Who goes first alternates: the second finds the machine warmer.
    const order = round % 2 === 0 ? contenders : [...contenders].reverse()
    for (const one of order) await takeTurn(scenario, one, TURN_S)
  }
}

/** Each program migrates its own database, so old code runs on its own tables and indexes. */
async function open({ env, carrier, hasWebhook }: Scenario, program: Program): Promise<Contender> {
  const { name, entry } = program
  const stage = await openStage({ isMigrated: false })
  const smsc = carrier === 'smsc' ? await startSmsc() : null
  const profiles = process.argv.includes('--profile') ? makeFolder('profile') : null
  const flags = profiles === null ? [] : ['--cpu-prof', `--cpu-prof-dir=${profiles}`]
  const server = await startServer(stage, { ...env, ...smsc?.env, ...program.env }, flags, entry)
  Object.assign(stage, await addCustomer(stage.db))
  const receiver = hasWebhook ? await startReceiver() : null
  if (receiver) await addWebhook(stage, receiver.okUrl)
  const close = async () => {
    await server.stop()
    await stage.close()
    smsc?.stop()
    receiver?.stop()
  }
  return { name, stage, server, costs: [], spans: [], profiles, close }
}

function makeFolder(purpose: string): string {
  return mkdtempSync(path.join(os.tmpdir(), `longcode-bench-${purpose}-`))
}

/** One per program: with the same login, one program would get the receipts of the other. */
export async function startSmsc() {
  const folder = makeFolder('cost')
  const { port, stop } = await startPeer('smscWithReceipts')
  const file = path.join(folder, 'carriers.json')
  const address = { host: '127.0.0.1', port, systemId: 'bench', password: 'bench' }
  const link = { name: 'smsc', kind: 'smpp', ...address, window: WINDOW }
  writeFileSync(file, JSON.stringify({ links: [link] }))
  return {
    env: { LONGCODE_CARRIERS: file, LONGCODE_LOG_LEVEL: 'error' },
    stop: () => {
      stop()
      rmSync(folder, { recursive: true })
    },
  }
}

async function takeTurn(scenario: Scenario, contender: Contender, seconds: number) {
  const { stage, server, costs, spans } = contender
  const used = async () => ({
    serviceUs: cpuUs(server.pid),
    databaseUs: await databaseCpuUs(stage.db),
    count: await countMessages(stage.db),
  })
  const before = await used()
  const from = monotonicUs()
  const load = { ...sendLoad(stage), port: server.port, seconds, warmUpSeconds: 0 }
  const { failures } = await measureLoad(load)
  if (failures > 0) throw new Error(`${failures} sends failed`)
  if (scenario.carrier !== 'none') await drain(stage.db)
  const after = await used()
  const count = after.count - before.count
  spans.push({ from, to: monotonicUs() })
  costs.push({
    serviceUs: (after.serviceUs - before.serviceUs) / count,
    databaseUs: (after.databaseUs - before.databaseUs) / count,
  })
}

function linesOf({ name, costs, profiles, spans }: Contender): string[] {
  const middle = (key: keyof Cost) => Math.round(median(costs.map((cost) => cost[key])))
  const line = `  ${name.padEnd(9)} ${middle('serviceUs')} µs service CPU, ${middle('databaseUs')} µs database CPU`
  if (profiles === null) return [line]
  const profile = profileLines(profiles, spans, middle('serviceUs'))
  rmSync(profiles, { recursive: true })
  return [line, ...profile]
}

function ratiosOf(old: Contender, own: Contender): number[] {
  const sum = ({ serviceUs, databaseUs }: Cost) => serviceUs + databaseUs
  return own.costs.map((cost, i) => sum(cost) / sum(old.costs[i]!))
}

async function countMessages(db: Database): Promise<number> {
  const [row] = await db.query<{ count: number }>(sql`select count(*)::int as count from messages`)
  return row!.count
}

export async function drain(db: Database): Promise<void> {
  // Commits before migration 0096 have no such table.
  const [table] = await db.query<{ exists: boolean }>(sql`
    select to_regclass('delivery_batches') is not null as exists`)
  const orInBatches = table!.exists ? raw('or exists (select from delivery_batches)') : NOTHING
  for (const endMs = performance.now() + DRAIN_MAX_S * 1000; performance.now() < endMs; ) {
    const [row] = await db.query<{ isLeft: boolean }>(sql`
      select exists (select from messages where status <> 'DELIVERED')
        or exists (select from event_deliveries where state = 'pending')
        ${orInBatches} as "isLeft"`)
    if (!row!.isLeft) return
    await new Promise((resolve) => setTimeout(resolve, 250))
  }
  throw new Error('messages were not delivered in time')
}
