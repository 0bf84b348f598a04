// A worker of the test cluster that hangs: its processes are stopped with SIGSTOP. Its sockets stay open, the kernel
// keeps accepting connections, and nothing is answered. It has to run on this machine, under a user we may signal.

import { readFileSync } from 'node:fs'
import pg from 'pg'
import { childrenOf, signal } from './processes.js'

export interface StoppableWorker {
  /** Host and port, as the coordinator knows them. */
  name: string
  hang: () => void
  resume: () => void
  hasAccount: (accountId: string) => Promise<boolean>
}

/** A worker of this database that holds accounts, or null if we cannot signal its processes. */
export async function findStoppableWorker(databaseUrl: string): Promise<StoppableWorker | null> {
  const [node] = await ask<{ host: string; port: number; groupId: number }>(
    databaseUrl,
    `select nodename as host, nodeport as port, groupid as "groupId" from pg_dist_node
     where groupid in (select groupid from pg_dist_placement) and groupid > 0 order by nodeid limit 1`,
  )
  if (!node) return null
  const url = new URL(databaseUrl)
  url.host = `${node.host}:${node.port}`
  const [{ pid: file }] = (await ask<{ pid: string }>(
    url.href,
    "select pg_read_file('postmaster.pid') as pid",
  )) as [{ pid: string }]
  const postmaster = Number.parseInt(file, 10)
  if (!canSignal(postmaster)) return null
  return {
    name: `${node.host}:${node.port}`,
    hang: () => {
      // The postmaster first: it then starts no more processes.
      for (const pid of [postmaster, ...childrenOf(postmaster)]) signal(pid, 'SIGSTOP')
    },
    resume: () => {
      for (const pid of [...childrenOf(postmaster), postmaster]) signal(pid, 'SIGCONT')
    },
    hasAccount: async (accountId) => {
      const places = await ask<{ groupId: number }>(
        databaseUrl,
        `select groupid as "groupId" from pg_dist_placement
         where shardid = get_shard_id_for_distribution_column('accounts', '${accountId}')`,
      )
      return places.some(({ groupId }) => groupId === node.groupId)
    },
  }
}

async function ask<Row extends object>(url: string, text: string): Promise<Row[]> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return (await client.query<Row>(text)).rows
  } finally {
    await client.end()
  }
}

function canSignal(pid: number): boolean {
  try {
    return process.kill(pid, 0) && readFileSync(`/proc/${pid}/comm`, 'utf8').startsWith('postgres')
  } catch {
    return false
  }
}
