// Records which nodes Citus contacts for a statement: a statement for one account must need only that account's node.

import type { TestContext } from 'node:test'
import pg from 'pg'
import type { Queryable, Transaction } from '../../src/kit/postgres/db.js'
import type { Statement } from '../../src/kit/postgres/sql.js'

/** A connection that records which nodes Citus contacts. */
export async function watchNodes(t: TestContext, url: string) {
  const client = new pg.Client({ connectionString: url })
  client.on('error', () => {}) // its database is dropped first
  await client.connect()
  t.after(() => client.end())
  const contacted: string[] = []
  client.on('notice', ({ detail }) => {
    const [, place] = /on server \S*@(\S+)/.exec(detail ?? '') ?? []
    if (place) contacted.push(place)
  })
  await client.query('set citus.log_remote_commands = on')
  const db: Queryable = {
    query: async <Row extends object>({ name, text, values }: Statement) =>
      (await client.query<Row>({ name, text, values })).rows,
  }
  const nodeOf = async (accountId: string) => {
    const { rows } = await client.query(
      `select nodename || ':' || nodeport as place from pg_dist_shard_placement
       where shardid = get_shard_id_for_distribution_column('accounts', $1::text)`,
      [accountId],
    )
    return rows[0].place as string
  }
  /** The nodes, and the number of commands sent to them. */
  const during = async (work: (db: Transaction) => Promise<unknown>) => {
    contacted.length = 0
    await work({ ...db, isTransaction: true })
    return { nodes: [...new Set(contacted)], commands: contacted.length }
  }
  return { nodeOf, during }
}
