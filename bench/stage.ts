// The setup of every benchmark: a real PostgreSQL (fsync on), a migrated database with a customer that can send, and
// the service in a separate process, run from dist as users run it.

import { type ChildProcess, fork, spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import net from 'node:net'
import os from 'node:os'
import path from 'node:path'
import { hashToken, makeTokenText } from '../src/accounts/token.js'
import { SCOPES } from '../src/kit/contract/operation.js'
import { startEmbeddedDatabase } from '../src/kit/embedded/database.js'
import { newId } from '../src/kit/ids.js'
import { type Database, openDatabase } from '../src/kit/postgres/db.js'
import { migrate } from '../src/kit/postgres/migrate.js'
import { sql } from '../src/kit/postgres/sql.js'
import { openAccount } from '../src/ledger/open-account.js'
import { releaseFolder, watchFolder, watchProcess } from './chaos/processes/watchdog.js'

export interface Stage {
  db: Database
  databaseUrl: string
  accountId: string
  campaignId: string
  token: string
  close: () => Promise<void>
}

export interface Running {
  port: number
  pid: number
  stop: () => Promise<void>
}

/** Without migration it has no customer yet: the service migrates, and `addCustomer` follows. */
export async function openStage({
  isMigrated = true,
  settings = {} as Record<string, string>,
} = {}): Promise<Stage> {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'longcode-bench-'))
  watchFolder(folder)
  const server = await startEmbeddedDatabase({ dataDir: folder, note: () => {}, settings })
  const db = openDatabase({
    url: server.url,
    poolMax: 4,
    applicationName: 'bench',
    onError: () => {},
  })
  if (isMigrated) await migrate(db)
  const customer = isMigrated ? await addCustomer(db) : NOBODY
  return {
    db,
    databaseUrl: server.url,
    ...customer,
    close: async () => {
      await db.end()
      await server.stop()
      rmSync(folder, { recursive: true, force: true })
      releaseFolder(folder)
    },
  }
}

export type Customer = Pick<Stage, 'accountId' | 'campaignId' | 'token'>

const NOBODY: Customer = { accountId: '', campaignId: '', token: '' }

/** A customer with enough balance for every send, a campaign without carrier limits, and one number. */
export async function addCustomer(db: Database): Promise<Customer> {
  const now = new Date()
  return db.transaction(async (tx) => {
    const name = 'Bench'
    const { accountId } = await openAccount(tx, { name, creditMicros: 1_000_000_000_000n }, now)
    const token = makeTokenText()
    // Only the columns that every version has: the database may be an older version's (cost.ts).
    await tx.query(sql`
      insert into access_tokens (token_hash, account_id, id, scopes, created_at)
      values (${hashToken(token)}, ${accountId}, ${newId('tok', now)}, ${SCOPES}, ${now})`)
    const brandId = newId('brd', now)
    const campaignId = newId('cmp', now)
    await tx.query(sql`
      insert into brands (account_id, id, status, entity_type, created_at, updated_at)
      values (${accountId}, ${brandId}, 'VERIFIED', 'PRIVATE_PROFIT', ${now}, ${now})`)
    await tx.query(sql`
      insert into campaigns (account_id, id, brand_id, status, display_name, optin_keywords,
        optout_keywords, help_keywords, optin_message, optout_message, help_message, created_at,
        updated_at)
      values (${accountId}, ${campaignId}, ${brandId}, 'ACTIVE', 'Bench', '{START}', '{STOP}',
        '{HELP}', 'Bench: hi', 'Bench: bye', 'Bench: help', ${now}, ${now})`)
    const digits = String(2_000_000 + Math.floor(Math.random() * 7_000_000))
    await tx.query(sql`
      insert into numbers (phone_number, account_id, campaign_id, is_default, location,
        monthly_price_micros, purchased_at)
      values (${`+1415${digits}`}, ${accountId}, ${campaignId}, true, 'San Francisco, CA', 0,
        ${now})`)
    return { accountId, campaignId, token }
  })
}

export async function startServer(
  stage: Pick<Stage, 'databaseUrl'>,
  env: Record<string, string> = {},
  nodeOptions: readonly string[] = [],
  entry = 'dist/main.js',
): Promise<Running> {
  const port = await freePort()
  const flags = ['--max-semi-space-size=32', ...nodeOptions] // like `npm start`
  const dataFolder = mkdtempSync(path.join(os.tmpdir(), 'longcode-bench-data-'))
  const child = spawn(process.execPath, [...flags, entry, 'serve'], {
    env: {
      ...process.env,
      PORT: String(port),
      DATABASE_URL: stage.databaseUrl,
      LONGCODE_DATA: dataFolder,
      ...env,
    },
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  watchProcess(child)
  watchFolder(dataFolder)
  await untilAnswers(port)
  const stop = async () => {
    await stopChild(child, 'SIGTERM')
    rmSync(dataFolder, { recursive: true, force: true })
    releaseFolder(dataFolder)
  }
  return { port, pid: child.pid!, stop }
}

export async function startBare(): Promise<Running> {
  const child = fork('bench/bare-server.ts', [], { execArgv: ['--import', 'tsx'] })
  watchProcess(child)
  const port = await new Promise<number>((resolve) => {
    child.once('message', (message) => resolve((message as { port: number }).port))
  })
  return { port, pid: child.pid!, stop: () => stopChild(child, 'SIGKILL') }
}

/** Resident memory of a process, in MB. */
export function memoryMb(pid: number): number {
  const [, kb = '0'] = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? []
  return Math.round(Number(kb) / 1024)
}

async function stopChild(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  const ended = new Promise((resolve) => child.once('exit', resolve))
  child.kill(signal)
  await ended
}

export async function freePort(): Promise<number> {
  const server = net.createServer().listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  const { port } = server.address() as net.AddressInfo
  await new Promise((resolve) => server.close(resolve))
  return port
}

async function untilAnswers(port: number): Promise<void> {
  for (let attempts = 0; attempts < 1_200; attempts += 1) {
    const isUp = await fetch(`http://127.0.0.1:${port}/healthz`).then(
      (reply) => reply.ok,
      () => false,
    )
    if (isUp) return
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  throw new Error('the service did not start')
}

const TICK_US = 10_000 // Linux counts CPU time in hundredths of a second

/** CPU time that a process has used so far, in microseconds. */
export function cpuUs(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' ')
  return (Number(fields[11]) + Number(fields[12])) * TICK_US
}

/** The same for the running backends of the database. A backend that ends meanwhile no longer counts. */
export async function databaseCpuUs(db: Database): Promise<number> {
  const rows = await db.query<{ pid: number }>(sql`select pid from pg_stat_activity`)
  return rows.reduce((sum, { pid }) => sum + (existsSync(`/proc/${pid}`) ? cpuUs(pid) : 0), 0)
}
