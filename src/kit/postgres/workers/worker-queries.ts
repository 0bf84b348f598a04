// What the coordinator of a Citus cluster knows about its workers: which exist, which respond, and where data
// is. Only for a database with the extension.

import type { Queryable } from '../db.js'
import { sql } from '../sql.js'
import { type AccountRange, Places } from './places.js'
import type { ShardGroup } from './shard-queries.js'

export interface Worker {
  host: string
  port: number
  groupId: number
}

/** The workers that have accounts. */
export async function listWorkers(db: Queryable): Promise<Worker[]> {
  return db.query<Worker>(sql`
    select nodename as host, nodeport as port, groupid as "groupId" from pg_dist_node
    where isactive and noderole = 'primary' and groupid in (select groupid from pg_dist_placement)
    order by nodename, nodeport`)
}

/** For the rest of the transaction: how long the coordinator tries to reach a worker. */
export async function limitConnecting(tx: Queryable, ms: number): Promise<void> {
  await tx.query(sql`select set_config('citus.node_connection_timeout', ${String(ms)}, true)`)
}

/** One that takes a connection and hangs before it has answered is cut off by this. */
export async function limitStatement(tx: Queryable, ms: number): Promise<void> {
  await tx.query(sql`select set_config('statement_timeout', ${String(ms)}, true)`)
}

export interface WorkerAnswer {
  host: string
  port: number
  isGood: boolean
  /** Its result, in one column of one row, or its error. */
  text: string
}

/** Queries each worker, all at once. One that cannot be reached is a row like the others. */
export async function askWorkers(
  db: Queryable,
  queries: readonly { host: string; port: number; command: string }[],
): Promise<WorkerAnswer[]> {
  return db.query<WorkerAnswer>(sql`
    select node_name as host, node_port as port, success as "isGood", result as text
    from master_run_on_worker(${queries.map(({ host }) => host)}::text[],
      ${queries.map(({ port }) => port)}::int[], ${queries.map(({ command }) => command)}::text[], true)`)
}

/** Whether they respond at all. */
export function askAlive(db: Queryable, workers: readonly Worker[]): Promise<WorkerAnswer[]> {
  return askWorkers(
    db,
    workers.map((worker) => ({ ...worker, command: 'select 1' })),
  )
}

export interface PlacedGroup {
  groupId: number
  shards: ShardGroup
}

/** The shards of all distributed tables: which are colocated, and where. */
export async function listShardGroups(db: Queryable): Promise<PlacedGroup[]> {
  const rows = await db.query<{ groupId: number; tables: string[]; parts: string[] }>(sql`
    select p.groupid as "groupId", array_agg(c.relname::text) as tables,
      array_agg(c.relname || '_' || s.shardid) as parts
    from pg_dist_shard s
    join pg_dist_placement p on p.shardid = s.shardid and p.shardstate = 1
    join pg_dist_partition t on t.logicalrelid = s.logicalrelid and t.partmethod = 'h'
    join pg_class c on c.oid = s.logicalrelid and not c.relispartition
    group by p.groupid, t.colocationid, s.shardminvalue`)
  return rows.map(({ groupId, tables, parts }) => ({
    groupId,
    shards: new Map(tables.map((table, i) => [table, parts[i]!])),
  }))
}

/** Where accounts are: by ranges of the hash of their ids. And the tables that workers have parts of. */
export async function readPlaces(db: Queryable): Promise<Places> {
  const ranges = await db.query<AccountRange>(sql`
    select s.shardminvalue::int as min, s.shardmaxvalue::int as max, p.groupid as "groupId"
    from pg_dist_shard s join pg_dist_placement p on p.shardid = s.shardid and p.shardstate = 1
    where s.logicalrelid = 'accounts'::regclass`)
  const tables = await db.query<{ name: string }>(sql`
    select c.relname::text as name from pg_dist_partition t join pg_class c on c.oid = t.logicalrelid
    where t.partmethod = 'h'`)
  return new Places(
    ranges,
    tables.map(({ name }) => name),
  )
}

/** Statements that wait for a worker end on the coordinator, and nothing of them is written later. */
export async function cancelBackends(db: Queryable, pids: readonly number[]): Promise<void> {
  await db.query(sql`select pg_cancel_backend(pid) from unnest(${pids}::int[]) as pid`)
}

/** By worker, only accounts with a token: the others cannot make requests. */
export async function countAccountsByGroup(
  db: Queryable,
): Promise<{ groupId: number; accounts: number }[]> {
  return db.query(sql`
    select p.groupid as "groupId", count(*)::int as accounts
    from (select distinct account_id from access_tokens where revoked_at is null) a
    join pg_dist_placement p
      on p.shardid = get_shard_id_for_distribution_column('accounts', a.account_id)
    group by p.groupid`)
}
