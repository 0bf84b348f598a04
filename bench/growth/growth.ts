// The cost of send, get, list, claim, and deliver with many messages in the database, relative to ten thousand, in
// alternating rounds within one run and one PostgreSQL. A million, or the number in `-- growth --rows N`. The ten
// thousand are real, and the others are copies of them over the ninety days before.

import { mkdtempSync, rmSync, statfsSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { startEmbeddedDatabase } from '../../src/kit/embedded/database.js'
import { type Database, openDatabase } from '../../src/kit/postgres/db.js'
import { migrate } from '../../src/kit/postgres/migrate.js'
import { median } from '../accept.js'
import type { Customer } from '../stage.js'
import {
  type CopiedTable,
  copyRows,
  dropRealRows,
  findCopiedTables,
  headsBetween,
  setRealRowsAside,
  UNIT_MS,
} from './copy-queries.js'
import { type Cost, OPERATIONS, type Operation, Subject } from './operations.js'
import { makeRealRows, REAL_MESSAGES, type RealRows, startReceiver } from './real-rows.js'

const ROUNDS = 9
const DAYS = 90
const BYTES_PER_MESSAGE = 3_500 // with its events and deliveries, by `npm run bench -- size`
const MORE_BYTES = 4e9 // the write-ahead log, and sort space for index maintenance
const KEPT_FREE_BYTES = 5e9

export async function run() {
  const { values } = parseArgs({
    args: process.argv.slice(3),
    options: { rows: { type: 'string', default: '1000000' } },
  })
  const rows = Number(values.rows)
  if (!(Number.isInteger(rows / REAL_MESSAGES) && rows > REAL_MESSAGES)) {
    return { skipped: `growth: --rows must be a multiple of ${REAL_MESSAGES}, and more than that` }
  }
  const needed = rows * BYTES_PER_MESSAGE + MORE_BYTES
  const { bavail, bsize } = statfsSync(os.tmpdir())
  say(`needs ${gb(needed)} GB of disk in ${os.tmpdir()}, ${gb(bavail * bsize)} GB free`)
  if (bavail * bsize < needed + KEPT_FREE_BYTES) {
    return { skipped: `growth: skipped, not enough disk space for ${rows} messages` }
  }
  return compare(rows)
}

async function compare(rows: number) {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'longcode-bench-growth-'))
  const server = await startEmbeddedDatabase({ dataDir: folder, note: () => {} })
  const receiver = await startReceiver()
  try {
    const largeUrl = withDatabase(server.url, 'growth_large')
    const { customers, perMessage } = await makeBoth(server.url, largeUrl, receiver, rows)
    const small = await Subject.open(server.url, customers)
    const large = await Subject.open(largeUrl, customers)
    for (const subject of [small, large]) await subject.takeTurn() // warm-up
    const turns: [Record<Operation, Cost>, Record<Operation, Cost>][] = []
    for (let round = 0; round < ROUNDS; round += 1) {
      turns.push([await small.takeTurn(), await large.takeTurn()])
      say(`round ${round + 1} of ${ROUNDS}`)
    }
    await small.close()
    await large.close()
    return report(rows, perMessage, turns)
  } finally {
    receiver.close()
    await server.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}

async function makeBoth(
  url: string,
  largeUrl: string,
  receiver: Awaited<ReturnType<typeof startReceiver>>,
  rows: number,
): Promise<{ customers: Customer[]; perMessage: number }> {
  const db = open(url)
  await migrate(db)
  const real = await makeRealRows({ db, databaseUrl: url }, receiver, say)
  await runPlain(db, 'vacuum analyze')
  await db.end()
  const admin = open(withDatabase(url, 'postgres'))
  await runPlain(admin, 'create database growth_large template longcode')
  await admin.end()
  const large = open(largeUrl)
  const perMessage = await multiply(large, real, rows)
  await large.end()
  return { customers: real.customers, perMessage }
}

/** Returns the bytes of a message on disk, including related rows. */
async function multiply(db: Database, real: RealRows, rows: number): Promise<number> {
  const heads = headsBetween(real.fromMs, real.untilMs)
  const tables = await findCopiedTables(db)
  say(`copying ${tables.map(({ name }) => name).join(', ')}`)
  const before = await sizeOf(db)
  await setRealRowsAside(db, tables, real.fromMs)
  const copies = rows / REAL_MESSAGES - 1
  const step = Math.max(heads.length, Math.floor((DAYS * 86_400_000) / UNIT_MS / copies))
  for (let copy = copies; copy >= 1; copy -= 1) {
    await copyAll(db, tables, heads, copy * step)
    const made = copies - copy + 1
    if (made % Math.ceil(copies / 20) === 0) say(`${made * REAL_MESSAGES} of ${rows} rows`)
  }
  await dropRealRows(db)
  say('vacuum analyze')
  await runPlain(db, 'vacuum analyze')
  await runPlain(db, 'checkpoint')
  return ((await sizeOf(db)) - before) / (rows - REAL_MESSAGES)
}

async function copyAll(
  db: Database,
  tables: readonly CopiedTable[],
  heads: readonly number[],
  units: number,
): Promise<void> {
  for (const table of tables) await copyRows(db, table, heads, units)
}

function report(
  rows: number,
  perMessage: number,
  turns: readonly [Record<Operation, Cost>, Record<Operation, Cost>][],
) {
  const ratios: number[] = []
  const lines = OPERATIONS.map((operation) => {
    const pairs = turns.map(([small, large]) => [small[operation], large[operation]] as const)
    const middle = (of: (cost: Cost) => number, which: 0 | 1) =>
      median(pairs.map((pair) => of(pair[which])))
    const ratio = (of: (cost: Cost) => number) =>
      median(pairs.map(([small, large]) => of(large) / of(small)))
    const cpu = ratio(cpuOf)
    ratios.push(cpu)
    const both = (of: (cost: Cost) => number) =>
      `${Math.round(middle(of, 0))} → ${Math.round(middle(of, 1))} µs`
    return (
      `${operation.padEnd(8)} CPU ${both(cpuOf)} (database ${both((cost) => cost.databaseUs)}): ${cpu.toFixed(2)}; ` +
      `time ${both((cost) => cost.wallUs)}: ${ratio((cost) => cost.wallUs).toFixed(2)}`
    )
  })
  return {
    lines: [
      `${REAL_MESSAGES} → ${rows} messages, ${Math.round(perMessage)} bytes each with related rows (target 1.30)`,
      ...lines,
    ],
    ratio: Math.max(...ratios),
  }
}

const cpuOf = ({ serviceUs, databaseUs }: Cost) => serviceUs + databaseUs

/** Another database on the same server. */
function withDatabase(url: string, name: string): string {
  return url.replace(/\/longcode(?=\?|$)/, `/${name}`)
}

function open(url: string): Database {
  return openDatabase({ url, poolMax: 2, applicationName: 'bench', onError: () => {} })
}

async function runPlain(db: Database, text: string): Promise<void> {
  await db.patient.query({ name: '', text, values: [] })
}

async function sizeOf(db: Database): Promise<number> {
  const text = 'select pg_database_size(current_database())::float8 as bytes'
  const [row] = await db.query<{ bytes: number }>({ name: '', text, values: [] })
  return row!.bytes
}

function say(line: string): void {
  console.log(line)
}

function gb(bytes: number): string {
  return (bytes / 1e9).toFixed(0)
}
