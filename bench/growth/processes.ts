// Two API processes over one on the same database, in turns within one run: messages a second that are accepted of
// several accounts (one account's sends wait for its wallet's row, whoever writes them), and what each costs.
// Clients, processes and PostgreSQL share this machine's cores: two processes can be no faster than the cores allow
// at what a message costs of all of them, and that bound is printed beside. So is what two would take where clients
// and database have machines of their own, since then each process has a core: twice what the service's own cost allows.

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

const ROUNDS = 5
const ACCOUNTS = 8
const CONNECTIONS = 128
const SECONDS = 4

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
  await takeTurn(stage, load, servers) // compilers and caches get warm
  const ones: Turn[] = []
  const twos: Turn[] = []
  for (let round = 0; round < ROUNDS; round += 1) {
    // Each of the two is the single one in turns.
    ones.push(await takeTurn(stage, load, [servers[round % 2]!]))
    twos.push(await takeTurn(stage, load, servers))
  }
  for (const server of servers) await server.stop()
  await stage.close()
  const ratios = twos.map(({ perSecond }, i) => perSecond / ones[i]!.perSecond)
  const cores = os.availableParallelism()
  const bounds = ones.map((one) => (cores * 1e6) / (costOf(one) + one.clientUs) / one.perSecond)
  const costs = twos.map((two, i) => costOf(two) / costOf(ones[i]!))
  const apart = twos.map((two, i) => (2 * ones[i]!.serviceUs) / two.serviceUs)
  return {
    lines: [
      ...linesOf('one process', ones),
      ...linesOf('two processes', twos),
      `a message costs ${median(costs).toFixed(2)} times as much with two as with one`,
      `with ${cores} cores, all at work, at most ${median(bounds).toFixed(2)} times as many as one took`,
      `a core for each, clients and database elsewhere: ${median(apart).toFixed(2)} times as many, by the service's CPU`,
      `ratios        ${ratios.map((ratio) => ratio.toFixed(2)).join(' ')} (target 1.30)`,
    ],
    ratio: median(ratios),
  }
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

/** The same connections in all, however many processes take them. */
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
  const count = perSecond * (SECONDS + 1) // those of the warm-up were paid for, too
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

function linesOf(name: string, turns: readonly Turn[]): string[] {
  const middle = (key: keyof Turn) => median(turns.map((turn) => turn[key]))
  const failures = turns.reduce((total, turn) => total + turn.failures, 0)
  return [
    `${name.padEnd(13)} ${turns.map((turn) => Math.round(turn.perSecond)).join(' ')} a second, ${failures} failures`,
    `  a message   ${Math.round(middle('serviceUs'))} µs of the service's CPU and ${Math.round(middle('databaseUs'))} µs of the database's, ${Math.round(middle('clientUs'))} µs of the client's; ${middle('cores').toFixed(1)} cores in all`,
  ]
}
