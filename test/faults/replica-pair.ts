// A PostgreSQL primary with a standby, both run from the embedded programs. A test can kill the primary and promote the
// standby, as Patroni or an operator would. The standby is synchronous and connected directly, or as the options say.

import { chownSync, cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import pg from 'pg'
import { prepareBinaries } from '../../src/kit/embedded/binaries.js'
import { createCluster } from '../../src/kit/embedded/cluster.js'
import { DATABASE, urlOf } from '../../src/kit/embedded/database.js'
import { chooseLocation, type Location, makeDataDir } from '../../src/kit/embedded/location.js'
import { launchPostmaster, PORT, type Postmaster } from '../../src/kit/embedded/postmaster.js'
import { runShell } from '../../src/kit/embedded/user.js'
import { migrateDatabase } from '../../src/run.js'
import { eventually, type TestDatabase } from '../harness.js'

interface Server {
  location: Location
  socketDir: string
  url: string
}

export interface ReplicaPair extends TestDatabase {
  primaryUrl: string
  standbyUrl: string
  killPrimary: () => void
  /** After a kill: it recovers what it had written. */
  restartPrimary: () => void
  promoteStandby: () => Promise<void>
}

export interface PairOptions {
  /** Whether a commit waits for the standby. Default: yes. */
  isSynchronous?: boolean
  /** Where the standby reaches the primary's socket: a port of this machine. Default: the socket itself. */
  connect?: (socket: string) => Promise<number>
}

/** Starts a migrated pair, with the standby streaming. Its URL lists both servers. */
export async function startReplicaPair(options: PairOptions = {}): Promise<ReplicaPair> {
  const { isSynchronous = true, connect } = options
  const folder = makeDataDir(mkdtempSync(path.join(os.tmpdir(), 'longcode-pair-')))
  const primary = prepareServer(folder, 'primary')
  const standby = prepareServer(folder, 'standby')
  const binaries = prepareBinaries(primary.location.home, primary.location.runAs, () => {})
  const running: Postmaster[] = []
  const drop = async () => {
    await Promise.all(running.map((postmaster) => postmaster.end()))
    for (const left of [folder, primary.socketDir, standby.socketDir]) {
      rmSync(left, { recursive: true, force: true, maxRetries: 5 })
    }
  }
  const launch = (server: Server) => {
    const log = path.join(server.location.home, 'postgres.log')
    const postmaster = launchPostmaster(binaries, server.location, server.socketDir, log)
    running.push(postmaster)
    return postmaster
  }

  await createCluster(binaries, primary.location)
  const first = launch(primary)
  await ask(urlOf(primary.socketDir, 'postgres'), `create database ${DATABASE}`)
  await migrateDatabase(primary.url)
  await first.end()

  const port = await connect?.(path.join(primary.socketDir, `.s.PGSQL.${PORT}`))
  follow(
    standby,
    port ? `host=127.0.0.1 port=${port}` : `host=${primary.socketDir} port=${PORT}`,
    primary,
  )
  const names = isSynchronous ? '*' : ''
  writeFileSync(
    path.join(primary.location.cluster, 'postgresql.auto.conf'),
    `synchronous_standby_names = '${names}'\nmax_connections = 100\n`,
  )
  launch(primary)
  launch(standby)
  await untilFollowing(primary.url, isSynchronous)
  return {
    url: primary.url.replace('@', `@${new URL(standby.url).host},`),
    primaryUrl: primary.url,
    standbyUrl: standby.url,
    drop,
    killPrimary: () => process.kill(pidOf(primary), 'SIGKILL'),
    restartPrimary: () => launch(primary),
    promoteStandby: async () => {
      await ask(standby.url, 'select pg_promote()')
    },
  }
}

function prepareServer(folder: string, name: string): Server {
  const location = chooseLocation(makeDataDir(path.join(folder, name)), () => {})
  const socketDir = mkdtempSync(path.join(os.tmpdir(), 'longcode-'))
  const { runAs } = location
  if (runAs) chownSync(socketDir, runAs.uid, runAs.gid)
  return { location, socketDir, url: urlOf(socketDir, DATABASE) }
}

/** Copies the stopped primary and configures the copy to follow it. */
function follow(standby: Server, address: string, primary: Server): void {
  const { cluster, runAs } = standby.location
  cpSync(primary.location.cluster, cluster, { recursive: true })
  writeFileSync(path.join(cluster, 'standby.signal'), '')
  writeFileSync(
    path.join(cluster, 'postgresql.auto.conf'),
    `primary_conninfo = '${address} user=longcode'\n`,
  )
  if (runAs) runShell('chown -R "$1" "$2"', [`${runAs.uid}:${runAs.gid}`, cluster], null)
  runShell('chmod 0700 "$1"', [cluster], runAs)
}

function pidOf({ location }: Server): number {
  return Number(
    readFileSync(path.join(location.cluster, 'postmaster.pid'), 'utf8').split('\n', 1)[0],
  )
}

/** Waits until the standby receives everything as it is written. */
export async function untilFollowing(primaryUrl: string, isSynchronous: boolean): Promise<void> {
  await eventually(async () => {
    const [row] = await ask(primaryUrl, 'select state, sync_state from pg_stat_replication')
    return row?.state === 'streaming' && (row.sync_state === 'sync') === isSynchronous
  }, 'the standby follows')
}

/** Retries until the server responds. */
export async function ask(url: string, statement: string): Promise<Record<string, unknown>[]> {
  let rows: Record<string, unknown>[] = []
  await eventually(async () => {
    const client = new pg.Client(url)
    client.on('error', () => {})
    try {
      await client.connect()
      rows = (await client.query(statement)).rows
      return true
    } catch (error) {
      if (error instanceof pg.DatabaseError && error.code !== '57P03') throw error
      return false
    } finally {
      client.end().catch(() => {})
    }
  }, statement)
  return rows
}
