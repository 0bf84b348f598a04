// Everything that an account can have, in every state, and its twin: another account with a copy of every row under
// other IDs, numbers, and words. Tables, columns, and statuses come from the database and from test/status-lists.ts, so
// new ones are covered.

import assert from 'node:assert/strict'
import { newId } from '../src/kit/ids.js'
import type { Queryable } from '../src/kit/postgres/db.js'
import { raw, sql } from '../src/kit/postgres/sql.js'
import type { AccountRecords } from './account-records.js'
import { type TestService, writesMessages } from './harness.js'
import { STATUS_LISTS } from './status-lists.js'

interface Column {
  name: string
  type: string
  isRequired: boolean
}

interface Table {
  name: string
  columns: Column[]
  key: string[]
}

export type Row = Record<string, unknown>

/** An account has one of these, which is ACTIVE. */
const SINGLE = new Set(['accounts'])

/** Every table that holds records of accounts, without partitions. */
export async function accountTables(db: Queryable): Promise<Table[]> {
  return db.query<Table>(sql`
    select c.relname as name,
      (select array_agg(k.attname::text order by array_position(i.indkey::int2[], k.attnum))
        from pg_index i join pg_attribute k on k.attrelid = c.oid and k.attnum = any (i.indkey)
        where i.indrelid = c.oid and i.indisprimary) as key,
      (select jsonb_agg(jsonb_build_object('name', a.attname, 'type', format_type(a.atttypid, null),
          'isRequired', a.attnotnull and not a.atthasdef) order by a.attnum)
        from pg_attribute a where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped) as columns
    from pg_class c
    where c.relkind in ('r', 'p') and not c.relispartition
      and c.relnamespace = 'public'::regnamespace
      and exists (select 1 from pg_attribute a where a.attrelid = c.oid and a.attname = 'account_id')
    order by 1`)
}

export async function rowsIn(db: Queryable, table: string, accountId: string): Promise<Row[]> {
  const rows = await db.query<{ row: Row }>(sql`
    select to_jsonb(r) as row from ${raw(table)} r where account_id = ${accountId} order by r::text`)
  return rows.map(({ row }) => row)
}

async function insertRow(db: Queryable, table: string, row: Row): Promise<void> {
  const names = raw(
    Object.keys(row)
      .map((name) => `"${name}"`)
      .join(', '),
  )
  await db.query(sql`
    insert into ${raw(table)} (${names})
    select ${names} from jsonb_populate_record(null::${raw(table)}, ${JSON.stringify(row)}::jsonb)`)
}

/** Adds rows until every table has one of the account, in every status. */
export async function fillStates(service: TestService, own: AccountRecords): Promise<void> {
  writesMessages(service.world)
  const { db, clock } = service.world
  const problems: string[] = []
  for (const table of await accountTables(db)) {
    const rows = await rowsIn(db, table.name, own.accountId)
    const isEmpty = rows.length === 0
    if (isEmpty) rows.push(inventedRow(table, own, clock.now()))
    const fill = async () => {
      if (isEmpty) await insertRow(db, table.name, rows[0]!)
      if (!SINGLE.has(table.name)) await addStatuses(db, table, rows, clock.now())
    }
    await fill().catch((error) => problems.push(`${table.name}: ${error.message}`))
  }
  await db.query(sql`
    update webhooks set failing_since = ${new Date(clock.nowMs() - 6 * 24 * 3_600_000)}
    where account_id = ${own.accountId}`)
  assert.deepEqual(problems, [], 'EXACT and STATUS_FIELDS have what these tables need')
}

async function addStatuses(db: Queryable, table: Table, rows: Row[], now: Date): Promise<void> {
  for (const [place, statuses] of Object.entries(STATUS_LISTS)) {
    const [name, column] = place.split('.') as [string, string]
    if (name !== table.name) continue
    const fieldsOf = (status: string) => STATUS_FIELDS[name]?.(status, now) ?? {}
    // A draft that was returned is another state than one that was never submitted.
    const missing = statuses.filter(
      (status) =>
        Object.keys(fieldsOf(status)).length > 0 || !rows.some((row) => row[column] === status),
    )
    for (const status of missing) {
      const row = { ...rows[0], [column]: status, ...fieldsOf(status) }
      await insertRow(db, name, withOwnKey(row, table, column, now))
      rows.push(row)
    }
  }
}

/** Columns that a check, a unique index, or the meaning of the status ties to it. */
const STATUS_FIELDS: Record<string, (status: string, now: Date) => Row> = {
  event_deliveries: (state, now) => ({ due_at: state === 'pending' ? now : null }),
  messages: () => ({ due_at: null }),
  campaigns: (status, now) => ({
    ...(status === 'DRAFT' && {
      review_notes: [{ field: 'description', note: 'Mineral describes no consent' }],
    }),
    ...(status === 'SUSPENDED' && { suspended_for: 'renewal', grace_until: now, renews_at: now }),
  }),
  brands: (status) =>
    status === 'UNVERIFIED'
      ? { review_notes: [{ field: 'description', note: 'Mineral has no such EIN' }] }
      : {},
  numbers: (status) => ({ is_default: false, status_reason: status, refused_at: null }),
}

const ID = /^([a-z]{3})_[0-9a-z]{26}$/

/** The last ID or number of its key is new, unless the status itself is part of the key. */
function withOwnKey(row: Row, { key }: Table, column: string, now: Date): Row {
  if (key.includes(column)) return row
  const part = key.findLast(
    (name) => name !== 'account_id' && /^[a-z]{3}_|^\+1/.test(`${row[name]}`),
  )
  assert.ok(part, `a row with this key: ${key}`)
  const [, prefix] = ID.exec(`${row[part]}`) ?? []
  numbers += 1
  const text = prefix ? newId(prefix as 'msg', now) : `+1415556${String(numbers).padStart(4, '0')}`
  return { ...row, [part]: text }
}

let numbers = 0

/** Values of required columns by name, then by type. */
function inventedRow({ name: table, columns }: Table, own: AccountRecords, now: Date): Row {
  const named: Row = {
    account_id: own.accountId,
    id: newId('rnt', now),
    campaign_id: own.campaign,
    record_id: own.campaign,
    message_id: own.message,
    subject_id: own.message,
    delivery_id: own.delivery,
    subscriber_id: own.webhook,
    token_id: own.tokenSpare,
    status_webhook_id: own.webhook,
    transfer_id: newId('trf', now),
    phone_number: own.number,
    number: own.number,
    peer: own.peer,
    unit: 'hour',
    direction: 'OUTBOUND',
    carrier: 'att',
    route: 'open',
    link: 'simulator',
    url: `https://${own.word}.test/`,
  }
  const status = (column: string) => STATUS_LISTS[`${table}.${column}`]?.[0]
  const row = columns
    .filter(({ isRequired }) => isRequired)
    .map(({ name, type }) => [name, status(name) ?? named[name] ?? byType(type, own, now)])
  return { ...Object.fromEntries(row), ...EXACT[table]?.(own, now) }
}

function byType(type: string, { word }: AccountRecords, now: Date): unknown {
  if (type === 'text') return `${word} text`
  if (type.endsWith('[]')) return []
  if (type === 'jsonb') return {}
  if (type === 'bytea') return `\\x${Buffer.from(word).toString('hex')}`
  if (type === 'boolean') return false
  if (/^timestamp|^date/.test(type)) return now
  return 3
}

/** Rows whose values must fit together or have a shape. */
const EXACT: Record<string, (own: AccountRecords, now: Date) => Row> = {
  account_brandings: ({ word }) => ({ name: word, support: `help@${word.toLowerCase()}.test` }),
  call_records: (own, now) => ({ id: newId('cal', now), caller: own.peer, price_micros: 45_678 }),
  campaign_endings: (own) => ({ campaign_id: own.campaignSpare }),
  emails: ({ word }, now) => ({
    id: newId('eml', now),
    recipient: `${word.toLowerCase()}@example.com`,
    finished_at: now,
  }),
  event_arrivals: (_, now) => ({
    id: newId('dlv', now),
    event_id: newId('evt', now),
    event_type: 'message.status',
    response_status: 200,
    response_body: 'Mineral says thanks',
  }),
  ledger_days: () => ({ reason: 'message' }),
  message_export_parts: (own) => ({ export_id: own.export, content: '\\x' }),
  prices: () => ({ kind: 'mms', amount_micros: 23_457 }),
  media: (_, now) => ({ id: newId('med', now), content_type: 'image/png' }),
  media_fetches: (_, now) => ({ id: newId('med', now), due_at: new Date(now.getTime() + 9e8) }),
  registrations: ({ brand, word }) => ({ kind: 'brand', record_id: brand, said: word }),
  twilio_credentials: ({ accountId, tokenSpare }) => ({
    auth_token: `${accountId}${tokenSpare}`.slice(-32),
  }),
  usage_progress: () => ({ summed_until: new Date(0), begun_at: new Date(0) }),
  webhook_attempts: ({ word }) => ({
    attempt: 1,
    response_status: 500,
    response_body: `${word} is down`,
    error: `${word} is down`,
  }),
}

const ID_ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz'

function otherText(text: string, own: AccountRecords, twinId: string, word: string): string {
  return text
    .replaceAll(own.accountId, twinId)
    .replaceAll(/\b([a-z]{3}_[0-9a-z]{14})([0-9a-z]{12})\b/g, (id, start: string, end: string) =>
      id === twinId ? id : start + rotated(end),
    )
    .replaceAll('+1415', '+1628')
    .replaceAll(own.word, word)
    .replaceAll(own.word.toLowerCase(), word.toLowerCase())
    .replaceAll(/"\\\\x[0-9a-f]+/g, (bytes) => bytes.slice(0, 4) + otherHex(bytes.slice(4)))
}

const otherHex = (text: string) =>
  text.replaceAll(/./g, (digit) => ((Number.parseInt(digit, 16) + 5) % 16).toString(16))

const rotated = (text: string) =>
  text.replaceAll(/./g, (one) => ID_ALPHABET[(ID_ALPHABET.indexOf(one) + 7) % 32] ?? one)

/** Copies every row of the account to another account, under other IDs, numbers, and a word with the same beginning. */
export async function addTwin(
  service: TestService,
  own: AccountRecords,
  twinId: string,
  word: string,
): Promise<void> {
  const other = (row: Row): Row => JSON.parse(otherText(JSON.stringify(row), own, twinId, word))
  const { db } = service.world
  const tables = await accountTables(db)
  const users = await db.query<{ row: Row }>(sql`
    select to_jsonb(u) as row from users u
    where id in (select user_id from memberships where account_id = ${own.accountId})`)
  await db.transaction(async (tx) => {
    await tx.query(sql`set local session_replication_role = replica`)
    for (const { row } of users) await insertRow(tx, 'users', other(row))
    for (const { name } of tables) {
      await tx.query(sql`delete from ${raw(name)} where account_id = ${twinId}`)
      for (const row of await rowsIn(tx, name, own.accountId)) await insertRow(tx, name, other(row))
    }
  })
}
