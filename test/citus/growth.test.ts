// What an operator does to a cluster in use (docs/scale.md, "Run a cluster"), on a cluster that the test builds, while
// customers send: add a worker and move shards to it, give a customer a shard, back up and restore, restart for an
// upgrade, fail over the coordinator. The service keeps its promises during each: no accepted message is lost, and none is charged twice.

import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { openDatabase } from '../../src/kit/postgres/db.js'
import { migrate } from '../../src/kit/postgres/migrate.js'
import { sql } from '../../src/kit/postgres/sql.js'
import { assertNoDrift, testService } from '../harness.js'
import { type ClusterNode, type OwnCluster, ownCluster } from './own-cluster.js'
import { SteadyLoad } from './steady-load.js'

const SKIPPED = 'TEST_CITUS_URL names no cluster whose binaries are on this machine'
interface Stage extends OwnCluster {
  standby: ClusterNode | null
  load: SteadyLoad
}

async function stage(
  t: TestContext,
  settings: readonly string[] = [],
  hasStandby = false,
): Promise<Stage | null> {
  const cluster = await ownCluster({ workers: 2, shards: 4, settings })
  if (!cluster) return null
  const { coordinator } = cluster
  const { url } = coordinator
  const db = openDatabase({ url, poolMax: 1, applicationName: 'tests', onError: () => {} })
  await migrate(db)
  await db.end()
  const standby = hasStandby ? await addStandby(cluster) : null
  const urls = standby ? url.replace(/(127.0.0.1:\d+)/, `$1,127.0.0.1:${standby.port}`) : url
  const service = await testService(t, {
    roles: ['dispatch', 'deliver', 'schedule'],
    database: { url: urls, drop: async () => cluster.close() },
    env: { LONGCODE_DATABASE_TIMEOUT: '10' },
  })
  const load = await SteadyLoad.start(t, service)
  return { ...cluster, standby, load }
}

/** The coordinator waits for it at each commit: an accepted message must not depend on the coordinator's disk. */
async function addStandby(cluster: OwnCluster): Promise<ClusterNode> {
  const { coordinator } = cluster
  const standby = await cluster.addNode(coordinator)
  await coordinator.ask("alter system set synchronous_standby_names = '*'")
  await coordinator.ask('select pg_reload_conf()')
  return standby
}

test('shards move to a new worker, and no message is lost', async (t) => {
  const on = await stage(t)
  if (!on) return t.skip(SKIPPED)
  const { coordinator, load } = on
  const { port } = await on.addNode()
  await coordinator.ask(`select citus_add_node('127.0.0.1', ${port})`)
  await coordinator.ask('select citus_rebalance_start()')
  await coordinator.ask('select citus_rebalance_wait()')
  const moved = await coordinator.ask(
    `select from pg_dist_placement natural join pg_dist_shard join pg_dist_node using (groupid)
     where nodeport = ${port} and logicalrelid = 'accounts'::regclass`,
  )
  assert.ok(moved.length > 0, 'the new worker has accounts')
  await load.progress()
  await load.finish()
})

test('a customer gets a shard on another worker, and no message is lost', async (t) => {
  const on = await stage(t)
  if (!on) return t.skip(SKIPPED)
  const { coordinator, workers, load } = on
  const { accountId } = load.customers[0]!
  const before = await shardOf(coordinator, accountId)
  const target = workers.find(({ port }) => port !== before.port)!
  await coordinator.ask(`
    with place as (
      select shardid, shardminvalue::bigint as low, shardmaxvalue::bigint as high, worker_hash('${accountId}'::text)::bigint as hash
      from pg_dist_shard where shardid = get_shard_id_for_distribution_column('accounts', '${accountId}')
    ), cut as (
      select shardid, array_remove(array[case when hash > low then hash - 1 end, case when hash < high then hash end],
        null)::text[] as points from place
    )
    select citus_split_shard_by_split_points(shardid, points, array_fill(nodeid, array[cardinality(points) + 1]),
      'force_logical')
    from cut, pg_dist_node where nodeport = ${target.port}`)
  const after = await shardOf(coordinator, accountId)
  assert.deepEqual([after.isAlone, after.port], [true, target.port])
  await load.progress()
  await load.finish()
})

async function shardOf({ ask }: ClusterNode, accountId: string) {
  const [shard] = await ask<{ port: number; isAlone: boolean }>(
    `select nodeport as port, shardminvalue = shardmaxvalue as "isAlone"
     from pg_dist_shard natural join pg_dist_placement join pg_dist_node using (groupid)
     where shardid = get_shard_id_for_distribution_column('accounts', '${accountId}')`,
  )
  return shard!
}

test('a backup of all nodes is restored to one point in time', async (t) => {
  const on = await stage(t, ['archive_mode = on'])
  if (!on) return t.skip(SKIPPED)
  const { coordinator, workers, load } = on
  const nodes = [coordinator, ...workers]
  const backups = nodes.map((node) => on.backUp(node))
  await load.progress()
  const before = await load.paused(async () => {
    await coordinator.ask("select citus_create_restore_point('before_the_mistake')")
    return totals(coordinator.url)
  })
  await load.progress()
  await load.finish()
  assert.notDeepEqual(await totals(coordinator.url), before)
  for (const node of nodes) await node.ask('select pg_switch_wal()')

  const restored: ClusterNode[] = []
  for (const [i, backup] of backups.entries()) {
    restored.push(await on.restore(backup, nodes[i]!, 'before_the_mistake'))
  }
  const [first, ...others] = restored
  await first!.ask(`select citus_set_coordinator_host('127.0.0.1', ${first!.port})`)
  for (const [i, { port }] of others.entries()) {
    await first!.ask(
      `select citus_update_node(nodeid, '127.0.0.1', ${port})
       from pg_dist_node where nodeport = ${workers[i]!.port}`,
    )
  }
  assert.deepEqual(await totals(first!.url), before)
})

test('each node restarts, as for an upgrade, and no message is lost', async (t) => {
  const on = await stage(t)
  if (!on) return t.skip(SKIPPED)
  const { coordinator, workers, load } = on
  for (const node of [...workers, coordinator]) {
    node.stop()
    node.start()
    await load.progress()
  }
  await coordinator.ask('alter extension citus update')
  await load.progress()
  await load.finish()
})

test('a standby takes over from the coordinator, and no message is lost', async (t) => {
  const on = await stage(t, [], true)
  if (!on) return t.skip(SKIPPED)
  const { coordinator, standby, load } = on
  coordinator.stop('immediate')
  standby!.promote()
  await standby!.ask(`select citus_set_coordinator_host('127.0.0.1', ${standby!.port})`)
  await load.progress()
  await load.finish()
})

/** What must agree: messages and money. And every balance is the sum of its entries. */
async function totals(url: string) {
  const db = openDatabase({ url, poolMax: 1, applicationName: 'tests', onError: () => {} })
  try {
    await assertNoDrift({ world: { db } })
    return await db.query(sql`
      select (select count(*)::int from messages) as messages,
        (select count(*)::int from events) as events,
        (select sum(amount_micros)::bigint from ledger_transfers) as micros`)
  } finally {
    await db.end()
  }
}
