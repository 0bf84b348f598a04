// The database checks the values of status columns. The same lists are in the program, so a new value needs both: a
// migration that widens the check, and the program that writes it (docs/decisions/0107).

import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import pg from 'pg'
import { QUEUE_COLUMNS } from '../src/messages/lane-queries.js'
import { cloneDatabase } from './harness.js'
import { STATUS_LISTS as LISTS } from './status-lists.js'

/** Copies of `messages.status`, which is checked, and columns that are not statuses of a record. */
const OPEN = new Set([
  'brands.state', // of the address
  'events.previous_status',
  'events.status',
  'usage_changes.from_status',
  'usage_changes.to_status',
  'event_arrivals.response_status',
  'event_deliveries.response_status',
  'webhook_attempts.response_status',
])

async function connect(t: TestContext): Promise<pg.Client> {
  const { url, drop } = await cloneDatabase()
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  t.after(() => client.end().finally(drop))
  return client
}

interface Check {
  column: string
  definition: string
  isValidated: boolean
}

/** Checks of one column each, of all tables that are not partitions. */
async function listChecks(client: pg.Client): Promise<Check[]> {
  const { rows } = await client.query<Check>(`
    select c.relname || '.' || a.attname as column, pg_get_constraintdef(k.oid) as definition,
      k.convalidated as "isValidated"
    from pg_constraint k join pg_class c on c.oid = k.conrelid
    join pg_attribute a on a.attrelid = c.oid and a.attnum = k.conkey[1]
    where k.contype = 'c' and cardinality(k.conkey) = 1 and not c.relispartition
      and c.relnamespace = 'public'::regnamespace`)
  return rows
}

test('the database accepts exactly the statuses that the program knows', async (t) => {
  const checks = await listChecks(await connect(t))
  const sets = Object.fromEntries(
    checks
      .filter(({ column }) => column in LISTS)
      .map(({ column, definition }) => [
        column,
        [...definition.matchAll(/'\{?([^'}]*)\}?'/g)].flatMap(([, values]) => values!.split(',')),
      ]),
  )
  const sorted = (lists: typeof LISTS) =>
    Object.fromEntries(Object.entries(lists).map(([name, values]) => [name, [...values].sort()]))
  assert.deepEqual(sorted(sets), sorted(LISTS))
  const unproven = checks.filter(({ isValidated }) => !isValidated)
  assert.deepEqual(unproven, [], 'all are validated')
})

test('every status column has a check', async (t) => {
  const client = await connect(t)
  const { rows } = await client.query<{ column: string }>(`
    select c.relname || '.' || a.attname as column
    from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0
    where c.relkind in ('r', 'p') and not c.relispartition
      and c.relnamespace = 'public'::regnamespace
      and a.attname ~ '(^|_)(status|state|phase|outcome)$'`)
  const columns = rows.map(({ column }) => column).filter((name) => !OPEN.has(name))
  const without = columns.filter((name) => !(name in LISTS))
  assert.deepEqual(without, [])
})

test('partitions that are created later have the checks of their table', async (t) => {
  const client = await connect(t)
  const { rows } = await client.query<{ name: string }>(`
    select inhrelid::regclass::text as name from pg_inherits
    where inhparent = 'messages'::regclass`)
  assert.deepEqual(rows, [{ name: 'messages_first' }])
  await client.query('alter table messages detach partition messages_first')
  await client.query(
    'create table messages_later partition of messages for values from (minvalue) to (maxvalue)',
  )
  const insert = `
    insert into messages (account_id, id, campaign_id, type, direction, number, peer, route, body,
      num_segments, price_micros, status, created_at)
    values ('acc_1', 'msg_1', 'cmp_1', 'SMS', 'OUTBOUND', '+1', '+1', 'open', '', 1, 0, $1, now())`
  await client.query(insert, ['QUEUED'])
  await assert.rejects(client.query(insert, ['LOST']), { constraint: 'messages_status_check' })
})

test('columns of the message queue are marked in the database', async (t) => {
  const client = await connect(t)
  const { rows } = await client.query<{ name: string }>(`
    select attname as name from pg_attribute
    where attrelid = 'messages'::regclass and col_description(attrelid, attnum) like 'queue: %'`)
  assert.deepEqual(rows.map(({ name }) => name).sort(), [...QUEUE_COLUMNS].sort())
})
