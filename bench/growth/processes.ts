// Two API processes relative to one on the same database, in alternating rounds: accepted messages per second of
// several accounts (the sends of one account wait for its wallet row, in any process), and their cost. First as on a
// host where each process has its own core: every process is limited to the same part of a core, so clients and
// PostgreSQL on this machine have the rest. Then without limits, all on the same cores: two processes can be no faster
// than the cores allow at the total cost of a message, and that bound is printed as well.

import os from 'node:os'
import { median, sendLoad } from '../accept.js'
import { type Load, type LoadResult, measureLoad } from '../load.js'
import {
  addCustomer,
  type Customer,
  cpuUs,
  databaseCpuUs,
  openStage,
  type Running,
  type Stage,
  startServer,
} from '../stage.js'
import { holdCpu } from './hold-cpu.js'

const ROUNDS = 5
const ACCOUNTS = 8
const CONNECTIONS = 256
const SECONDS = 4
/** Share of a core per process. Two processes, their database work, and the clients use less than two cores. */
const SHARE = 0.4

interface Turn {
  perSecond: number
  serviceUs: number
  databaseUs: number
  clientUs: number
  /** Cores that service and database used together. */
  cores: number
  failures: number
}

export async function run() {
  const stage = await openStage()
  const load = await loadOf(stage)
  const servers = [
    await startServer(stage, { LONGCODE_ROLES: 'api' }),
    await startServer(stage, { LONGCODE_ROLES: 'api' }),
  ]
  await takeTurn(stage, load, servers) // warm-up
  const free = holdCpu(
    servers.map(({ pid }) => pid),
    SHARE,
  )
  const held = free && (await takeTurns(stage, load, servers))
  free?.()
  const unheld = await takeTurns(stage, load, servers)
  for (const server of servers) await server.stop()
  await stage.close()
  return {
    lines: [
      ...(held
        ? [`each limited to ${SHARE} of a core`, ...linesOf(held)]
        : ['not measured with one core per process: cgroups are not available on this machine']),
      'all on the same cores',
      ...linesOf(unheld),
      boundLine(unheld),
    ],
    ratio: median(ratiosOf(held ?? unheld)),
  }
}

/** Alternating rounds. Results with the same index belong to one round. */
interface Turns {
  ones: Turn[]
  twos: Turn[]
}

async function takeTurns(stage: Stage, load: Load, servers: Running[]): Promise<Turns> {
  const turns: Turns = { ones: [], twos: [] }
  for (let round = 0; round < ROUNDS; round += 1) {
    // The single process alternates between the two.
    turns.ones.push(await takeTurn(stage, load, [servers[round % 2]!]))
    turns.twos.push(await takeTurn(stage, load, servers))
  }
  return turns
}

async function loadOf(stage: Stage): Promise<Load> {
  const customers: Customer[] = [stage]
  while (customers.length < ACCOUNTS) customers.push(await addCustomer(stage.db))
  return {
    ...sendLoad(stage),
    bodies: customers.flatMap((customer) => sendLoad({ ...stage, ...customer }).bodies),
    tokens: customers.map(({ token }) => token),
    seconds: SECONDS,
    warmUpSeconds: 1,
  }
}

/** The same number of connections in total, however many processes share them. */
async function takeTurn(stage: Stage, load: Load, servers: readonly Running[]): Promise<Turn> {
  const connections = CONNECTIONS / servers.length
  const used = async () =>
    [servers.reduce((sum, { pid }) => sum + cpuUs(pid), 0), await databaseCpuUs(stage.db)] as const
  const before = await used()
  const startedAt = performance.now()
  const results = await Promise.all(
    servers.map(({ port }) => measureLoad({ ...load, connections, port })),
  )
  const after = await used()
  const wallUs = (performance.now() - startedAt) * 1000
  const [serviceUs, databaseUs] = [after[0] - before[0], after[1] - before[1]]
  const perSecond = sum(results, 'perSecond')
  const count = perSecond * (SECONDS + 1) // including the warm-up
  return {
    perSecond,
    serviceUs: serviceUs / count,
    databaseUs: databaseUs / count,
    clientUs: sum(results, 'clientUs') / results.length,
    cores: (serviceUs + databaseUs) / wallUs,
    failures: sum(results, 'failures'),
  }
}

function sum(results: readonly LoadResult[], key: 'perSecond' | 'failures' | 'clientUs'): number {
  return results.reduce((total, result) => total + result[key], 0)
}

const costOf = ({ serviceUs, databaseUs }: Turn) => serviceUs + databaseUs

const ratiosOf = ({ ones, twos }: Turns) =>
  twos.map(({ perSecond }, i) => perSecond / ones[i]!.perSecond)

function linesOf(turns: Turns): string[] {
  const costs = turns.twos.map((two, i) => costOf(two) / costOf(turns.ones[i]!))
  const ratios = ratiosOf(turns).map((ratio) => ratio.toFixed(2))
  return [
    ...turnLines('one process', turns.ones),
    ...turnLines('two processes', turns.twos),
    `  ratios        ${ratios.join(' ')} (target 1.30); a message costs ${median(costs).toFixed(2)} times as much`,
  ]
}

function turnLines(name: string, turns: readonly Turn[]): string[] {
  const middle = (key: keyof Turn) => median(turns.map((turn) => turn[key]))
  const failures = turns.reduce((total, turn) => total + turn.failures, 0)
  return [
    `  ${name.padEnd(13)} ${turns.map((turn) => Math.round(turn.perSecond)).join(' ')} a second, ${failures} failures`,
    `    a message   ${Math.round(middle('serviceUs'))} µs service CPU and ${Math.round(middle('databaseUs'))} µs database CPU, ${Math.round(middle('clientUs'))} µs client CPU; ${middle('cores').toFixed(1)} cores in total`,
  ]
}

function boundLine({ ones }: Turns): string {
  const cores = os.availableParallelism()
  const bounds = ones.map((one) => (cores * 1e6) / (costOf(one) + one.clientUs) / one.perSecond)
  return `  with ${cores} fully used cores, at most ${median(bounds).toFixed(2)} times as many as one process`
}
