// A queue of deliveries made by hand, for the tests of its statements: two accounts whose records have the same
// IDs, with a stopped clock.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Database, Queryable } from '../../src/kit/postgres/db.js'
import { sql } from '../../src/kit/postgres/sql.js'
import { testService } from '../harness.js'

// The other account comes first, in every index and on every page.
export const OTHER = 'acc_1'
export const OWN = 'acc_2'
export const NOW = new Date('2027-05-01T12:00:00.000Z')
export const at = (ms: number) => new Date(NOW.getTime() + ms)

export interface Row {
  id: string
  subscriber?: string
  /** Milliseconds from now. */
  due?: number
  lease?: number | null
  waits?: number | null
  state?: string
  message?: [id: string, sequence: number]
  attempts?: number
}

export type Questions = Record<string, (db: Database) => Promise<void>>

/** One service for all of them. Each starts with an empty queue. */
export function askAll(title: string, questions: Questions): void {
  test(title, async (t) => {
    const { db } = (await testService(t)).world
    for (const accountId of [OTHER, OWN]) {
      await db.query(sql`
        insert into accounts (account_id, name, created_at) values (${accountId}, 'Test', ${NOW})`)
    }
    for (const [name, ask] of Object.entries(questions)) {
      await db.query(sql`truncate events, event_deliveries, event_arrivals, delivery_batches,
        event_subscriptions`)
      await t.test(name, () => ask(db))
    }
  })
}

/** Both accounts get the rows, unless one is named. */
export async function put(db: Queryable, rows: Row[], accounts = [OTHER, OWN]): Promise<void> {
  for (const account of accounts) for (const row of rows) await insertRow(db, account, row)
}

/** A delivery that succeeded at its first attempt, a millisecond ago, in the table for such deliveries. */
export async function putDeliveredEvent(
  db: Queryable,
  row: Pick<Row, 'id' | 'subscriber' | 'message'>,
  accounts = [OTHER, OWN],
): Promise<void> {
  const { id, subscriber = 'a', message = [null, null] } = row
  for (const account of accounts) {
    await db.query(sql`
      insert into event_arrivals (account_id, id, subscriber_id, event_id, event_type, message_id,
        sequence, created_at, finished_at, attempted_at, duration_ms, response_status,
        response_body, request)
      values (${account}, ${id}, ${subscriber}, ${`evt of ${id}`}, 'message.status', ${message[0]},
        ${message[1]}::smallint, ${at(-3)}, ${at(-1)}, ${at(-2)}, 1, 200::smallint, 'ok',
        ${`${account} ${id}`})`)
  }
}

async function insertRow(db: Queryable, account: string, row: Row): Promise<void> {
  const { id, subscriber = 'a', due = 0, lease = null, waits = null, message = [null, null] } = row
  const { state = 'pending', attempts = 0 } = row
  await db.query(sql`
    insert into event_deliveries (account_id, id, subscriber_id, event_id, event_type, message_id,
      sequence, state, attempts, due_at, lease_until, waits_until, created_at)
    values (${account}, ${id}, ${subscriber}, ${`evt of ${id}`}, 'message.status', ${message[0]},
      ${message[1]}::smallint, ${state}, ${attempts}, ${state === 'pending' ? at(due) : null},
      ${lease === null ? null : at(lease)}, ${waits === null ? null : at(waits)}, ${at(-1)})`)
}

export async function subscribe(
  db: Queryable,
  account: string,
  enabled: string[],
  disabled: string[] = [],
): Promise<void> {
  for (const id of [...enabled, ...disabled]) {
    await db.query(sql`
      insert into event_subscriptions (account_id, subscriber_id, campaign_id, event_types, is_enabled)
      values (${account}, ${id}, 'cmp_1', '{message.status}', ${enabled.includes(id)})`)
  }
}

/** The rows now: state, due time, lease, and until when they wait behind others, in milliseconds from now. */
export async function rowsOf(db: Queryable, account: string): Promise<Record<string, unknown[]>> {
  const rows = await db.query<{
    id: string
    state: string
    due: number
    lease: number
    waits: number | null
  }>(sql`
    select id, state, extract(epoch from due_at - ${NOW})::float8 * 1000 as due,
      extract(epoch from lease_until - ${NOW})::float8 * 1000 as lease,
      extract(epoch from waits_until - ${NOW})::float8 * 1000 as waits
    from event_deliveries where account_id = ${account} order by id`)
  return Object.fromEntries(
    rows.map(({ id, state, due, lease, waits }) => [
      id,
      waits === null ? [state, due, lease] : [state, due, lease, waits],
    ]),
  )
}

/** Runs it, checks that the other account's rows are unchanged, and returns which own rows changed. */
export async function changesOf(
  db: Queryable,
  work: () => Promise<unknown>,
): Promise<Record<string, unknown[]>> {
  const [other, before] = [await rowsOf(db, OTHER), await rowsOf(db, OWN)]
  await work()
  assert.deepEqual(await rowsOf(db, OTHER), other, 'rows of another account are unchanged')
  const after = Object.entries(await rowsOf(db, OWN))
  return Object.fromEntries(
    after.filter(([id, row]) => JSON.stringify(row) !== JSON.stringify(before[id])),
  )
}
