// A Citus cluster for one test or benchmark: a coordinator and workers on this machine, from the same binaries as the
// cluster of TEST_CITUS_URL. For what a test must not do to a shared cluster: stop nodes, move shards, restore backups.

import { execFileSync } from 'node:child_process'
import {
  appendFileSync,
  chownSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statfsSync,
} from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { freePort } from '../free-port.js'
import { childrenOf, serverCpuMs, signal } from './processes.js'

const USER = 'postgres'
const DATABASE = 'longcode'
const HOST = '127.0.0.1'
const MEMORY = '/dev/shm'
const ROOM_BYTES = 3 * 1024 ** 3

export interface ClusterNode {
  dir: string
  port: number
  url: string
  start: () => void
  /** The modes of pg_ctl: fast ends transactions, immediate is a crash. */
  stop: (mode?: 'fast' | 'immediate') => void
  /** A standby becomes a primary. */
  promote: () => void
  ask: <Row extends object>(text: string) => Promise<Row[]>
  /** CPU time of its processes so far, in milliseconds. */
  cpuMs: () => number
}

export interface OwnCluster {
  coordinator: ClusterNode
  workers: ClusterNode[]
  /** Creates a node that the coordinator does not know. `from` copies another node as a standby. */
  addNode: (from?: ClusterNode) => Promise<ClusterNode>
  /** Copies a node. Returns the folder of the backup. */
  backUp: (node: ClusterNode) => string
  /** A new node from a backup of this one and from its archive, up to a restore point. */
  restore: (backup: string, node: ClusterNode, restorePoint: string) => Promise<ClusterNode>
  folder: string
  close: () => void
}

export interface ClusterOptions {
  workers?: number
  shards?: number
  /** Lines of postgresql.conf on every node. */
  settings?: readonly string[]
}

/** Null without a cluster in TEST_CITUS_URL whose binaries are on this machine. */
export async function ownCluster(options: ClusterOptions = {}): Promise<OwnCluster | null> {
  const binaries = await findBinaries()
  if (!binaries) return null
  const { workers = 2, shards = 8, settings = [] } = options
  const builder = new Builder(binaries, settings)
  try {
    const coordinator = await builder.create()
    const nodes = [coordinator]
    while (nodes.length <= workers) nodes.push(await builder.create())
    for (const node of nodes) await makeDatabase(node)
    await coordinator.ask(`alter database ${DATABASE} set citus.shard_count = ${shards}`)
    await coordinator.ask(`select citus_set_coordinator_host('${HOST}', ${coordinator.port})`)
    for (const { port } of nodes.slice(1)) {
      await coordinator.ask(`select citus_add_node('${HOST}', ${port})`)
    }
    return {
      ...{ coordinator, workers: nodes.slice(1), folder: builder.folder },
      backUp: (node) => builder.backUp(node),
      restore: (backup, node, point) => builder.restore(backup, node, point),
      addNode: async (from) => {
        const node = await builder.create(from)
        if (!from) await makeDatabase(node)
        return node
      },
      close: () => builder.close(),
    }
  } catch (error) {
    builder.close()
    throw error
  }
}

/** As docs/scale.md describes it for every node. */
async function makeDatabase(node: ClusterNode): Promise<void> {
  const { url } = node
  const admin = url.replace(`/${DATABASE}`, '/postgres')
  await ask(admin, `create database ${DATABASE}`)
  await ask(url, 'create extension citus')
  await ask(url, `alter role ${USER} set lock_timeout = '3s'`)
  await ask(url, `alter role ${USER} set enable_seqscan = off`)
  await ask(url, `alter role ${USER} set jit = off`)
}

async function findBinaries(): Promise<string | null> {
  const url = process.env.TEST_CITUS_URL
  if (!url) return null
  const found = await ask<{ setting: string }>(
    url,
    "select setting from pg_config where name = 'BINDIR'",
  )
  const folder = found[0]?.setting ?? ''
  return existsSync(path.join(folder, 'initdb')) ? folder : null
}

class Builder {
  readonly folder = mkdtempSync(path.join(roomyFolder(), 'longcode-citus-'))
  readonly #binaries: string
  readonly #settings: readonly string[]
  readonly #nodes: ClusterNode[] = []
  readonly #user: { uid: number; gid: number } | null

  constructor(binaries: string, settings: readonly string[]) {
    this.#binaries = binaries
    this.#settings = settings
    this.#user = process.getuid?.() === 0 ? idsOf(USER) : null
    if (this.#user) chownSync(this.folder, this.#user.uid, this.#user.gid)
  }

  async create(from?: ClusterNode): Promise<ClusterNode> {
    const dir = path.join(this.folder, `node-${this.#nodes.length}`)
    if (from) this.#copy(from, dir, ['-R'])
    else {
      const how = ['-U', USER, '--auth=trust', '--no-sync', '-E', 'UTF8', '--locale=C']
      this.run('initdb', ['-D', dir, ...how])
    }
    return this.#startAt(dir, from ? [] : [...CONFIGURATION, ...this.#plugins(), ...this.#settings])
  }

  /** What gives a customer a shard. Older versions of PostgreSQL allow it without this setting. */
  #plugins(): string[] {
    const isKnown = this.run('postgres', ['--describe-config']).includes('output_plugin_libraries')
    return isKnown ? ["output_plugin_libraries = 'pgoutput, test_decoding, citus'"] : []
  }

  #copy({ port }: ClusterNode, dir: string, options: readonly string[]): void {
    const source = ['-h', HOST, '-p', String(port), '-U', USER, '-D', dir]
    this.run('pg_basebackup', [...source, '-X', 'stream', '-c', 'fast', ...options])
  }

  backUp(node: ClusterNode): string {
    const dir = `${node.dir}.backup`
    this.#copy(node, dir, [])
    return dir
  }

  async restore(backup: string, node: ClusterNode, point: string): Promise<ClusterNode> {
    this.run('sh', ['-c', `touch ${path.join(backup, 'recovery.signal')}`], '/bin')
    const restored = await this.#startAt(backup, [
      `restore_command = 'cp ${archiveOf(node.dir)}/%f %p'`,
      `recovery_target_name = '${point}'`,
      "recovery_target_action = 'promote'",
      "archive_mode = 'off'",
    ])
    for (;;) {
      const [row] = await restored.ask<{ is: boolean }>('select pg_is_in_recovery() as is')
      if (!row?.is) return restored
      await sleep(200)
    }
  }

  /** With its own port. A setting that is written twice has its last value. */
  async #startAt(dir: string, settings: readonly string[]): Promise<ClusterNode> {
    const port = await freePort()
    const archive = `archive_command = 'mkdir -p ${archiveOf(dir)} && cp %p ${archiveOf(dir)}/%f'`
    const lines = ['', `port = ${port}`, archive, ...settings, '']
    appendFileSync(path.join(dir, 'postgresql.conf'), lines.join('\n'))
    const node = this.#nodeAt(dir, port)
    this.#nodes.push(node)
    node.start()
    return node
  }

  #nodeAt(dir: string, port: number): ClusterNode {
    const url = `postgres://${USER}@${HOST}:${port}/${DATABASE}`
    const control = (...args: string[]) => this.run('pg_ctl', ['-D', dir, '-s', '-w', ...args])
    return {
      ...{ dir, port, url },
      start: () => void control('-l', `${dir}.log`, 'start'),
      stop: (mode = 'fast') => void control('-m', mode, 'stop'),
      promote: () => void control('promote'),
      ask: (text) => ask(url, text),
      cpuMs: () => serverCpuMs(postmasterOf(dir)!),
    }
  }

  run(program: string, args: readonly string[], folder = this.#binaries): string {
    return execFileSync(path.join(folder, program), args, {
      ...{ ...this.#user, cwd: this.folder, encoding: 'utf8' },
      // libpq in the servers looks there for certificates, and the home of root is closed to them.
      env: { ...process.env, HOME: this.folder },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
  }

  close(): void {
    for (const { dir } of this.#nodes) {
      const pid = postmasterOf(dir)
      if (pid === null) continue
      for (const one of [pid, ...childrenOf(pid)]) signal(one, 'SIGCONT')
      this.run('pg_ctl', ['-D', dir, '-s', '-w', '-m', 'immediate', 'stop'])
    }
    rmSync(this.folder, { recursive: true, force: true })
  }
}

/** In memory if it has room, like the databases of other tests (scripts/test-database.mjs). */
function roomyFolder(): string {
  if (process.env.TMPDIR || !existsSync(MEMORY)) return os.tmpdir()
  const { bavail, bsize } = statfsSync(MEMORY)
  return bavail * bsize > ROOM_BYTES ? MEMORY : os.tmpdir()
}

/** Nothing outlives the test, so nothing waits for the disk. */
const CONFIGURATION = [
  "listen_addresses = '127.0.0.1'",
  "unix_socket_directories = ''",
  "shared_preload_libraries = 'citus'",
  'max_connections = 100',
  'max_prepared_transactions = 100',
  'max_worker_processes = 24',
  'shared_buffers = 48MB',
  'fsync = off',
  'wal_level = logical',
  "citus.node_conninfo = 'sslmode=disable'",
  'citus.enable_statistics_collection = off',
]

async function ask<Row extends object>(url: string, text: string): Promise<Row[]> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return (await client.query<Row>(text)).rows
  } finally {
    await client.end()
  }
}

function archiveOf(dir: string): string {
  return `${dir}.archive`
}

function idsOf(name: string): { uid: number; gid: number } {
  const line = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .find((one) => one.startsWith(`${name}:`))
  const [, , uid, gid] = line?.split(':') ?? []
  if (!uid) throw new Error(`root cannot run PostgreSQL, and there is no user ${name}`)
  return { uid: Number(uid), gid: Number(gid) }
}

function postmasterOf(dir: string): number | null {
  try {
    return Number.parseInt(readFileSync(path.join(dir, 'postmaster.pid'), 'utf8'), 10)
  } catch {
    return null
  }
}
