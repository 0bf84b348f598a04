// Whom Citus speaks to on behalf of a statement: what belongs to an account must need no machine but its own.

import type { TestContext } from 'node:test'
import pg from 'pg'
import type { Queryable, Transaction } from '../../src/kit/postgres/db.js'
import type { Statement } from '../../src/kit/postgres/sql.js'

/** A connection that keeps which machines Citus has asked. */
export async function watched(t: TestContext, url: string) {
  const client = new pg.Client({ connectionString: url })
  client.on('error', () => {}) // its database is dropped first
  await client.connect()
  t.after(() => client.end())
  const asked: string[] = []
  client.on('notice', ({ detail }) => {
    const [, place] = /on server \S*@(\S+)/.exec(detail ?? '') ?? []
    if (place) asked.push(place)
  })
  await client.query('set citus.log_remote_commands = on')
  const db: Queryable = {
    query: async <Row extends object>({ name, text, values }: Statement) =>
      (await client.query<Row>({ name, text, values })).rows,
  }
  const machineOf = async (accountId: string) => {
    const { rows } = await client.query(
      `select nodename || ':' || nodeport as place from pg_dist_shard_placement
       where shardid = get_shard_id_for_distribution_column('accounts', $1::text)`,
      [accountId],
    )
    return rows[0].place as string
  }
  /** The machines, and how often they were spoken to. */
  const during = async (work: (db: Transaction) => Promise<unknown>) => {
    asked.length = 0
    await work({ ...db, isTransaction: true })
    return { machines: [...new Set(asked)], words: asked.length }
  }
  return { machineOf, during }
}
