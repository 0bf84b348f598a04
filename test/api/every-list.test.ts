// Every list, page by page, while records are added and removed: no record is repeated, and none is skipped. Lists come
// from openapi.json: those with `limit` and `after`. A new list needs a line in LISTS.

import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { newId } from '../../src/kit/ids.js'
import { raw, sql } from '../../src/kit/postgres/sql.js'
import { type AccountRecords, createAccountRecords } from '../account-records.js'
import { fillStates, type Row, rowsIn } from '../account-twin.js'
import { customerRoutes, operatorRoutes } from '../every-route.js'
import { type TestService, testService } from '../harness.js'
import { OPERATOR_TOKEN } from './operator-service.js'

interface List {
  table: string
  /** The column that answers name a record by, and the field of the answer. */
  key?: string
  field?: string
  /** The first row that fits is copied. */
  fits?: (row: Row) => boolean
  /** Columns of the copies. */
  more?: (id: string, i: number, own: AccountRecords) => Row
  /** A row of another table for each. */
  with?: { table: string; row: (id: string, own: AccountRecords) => Row }
  query?: (own: AccountRecords) => string
  /** The column of that field, if it is not the key. */
  column?: string
  /** The cursor is `next` of the answer, and not the last record. */
  after?: 'next'
  /** Records are only ever added. */
  isAppendOnly?: boolean
}

/** In order, and in the past: some lists end now. */
const STARTED = Date.now()
const timeOf = (i: number) => new Date(STARTED - 60_000 + i * 1000)
const LISTED = (row: Row) => row.status === 'ACTIVE' || row.status === 'VERIFIED'
const secret = () => `\\x${randomBytes(32).toString('hex')}`
const OPEN = { fits: (row: Row) => row.status === 'OPEN' && row.is_unread === true }
const OPTOUTS: List = { table: 'optouts', key: 'recipient', field: 'recipient' }
const TOKENS: List = {
  table: 'access_tokens',
  more: () => ({ token_hash: secret(), revoked_at: null }),
}
const ALERTS: List = { table: 'alerts', more: (id) => ({ subject: id }) }
const INVITATIONS: List = {
  table: 'invitations',
  fits: (row) => row.used_at === null,
  more: (id) => ({ secret_hash: secret(), email: `${id}@example.com` }),
}
const ACTS: List = { table: 'audit_log', isAppendOnly: true }
const WEBHOOKS: List = {
  table: 'webhooks',
  with: {
    table: 'event_subscriptions',
    row: (id, own) => ({
      ...{ account_id: own.accountId, subscriber_id: id, campaign_id: own.campaign },
      ...{ event_types: ['message.status'], is_enabled: true },
    }),
  },
}
const USERS = {
  table: 'users',
  more: (id: string) => ({ email: `${id}@example.com` }),
  with: {
    table: 'memberships',
    row: (id: string, own: AccountRecords) => ({
      ...{ user_id: id, account_id: own.accountId, role: 'agent', source: 'invitation' },
      created_at: timeOf(0),
    }),
  },
}
const BY_ACCOUNT = (own: AccountRecords) => `account=${own.accountId}`
const EVERY = (own: AccountRecords) => `status=ALL&${BY_ACCOUNT(own)}`
const BY_CAMPAIGN = (own: AccountRecords) => `campaign=${own.campaign}`

const LISTS: Record<string, List> = {
  '/v1/account/activity': ACTS,
  '/v1/token/list': TOKENS,
  '/v1/brand/list': { table: 'brands', fits: LISTED },
  '/v1/campaign/list': { table: 'campaigns', fits: LISTED },
  '/v1/number/list': {
    ...{ table: 'numbers', key: 'phone_number', field: 'phoneNumber' },
    more: () => ({ is_default: false }),
  },
  '/v1/campaign/{id}/optouts': OPTOUTS,
  '/v1/message/list': { table: 'messages', query: BY_CAMPAIGN },
  '/v1/message/search': { table: 'messages', after: 'next' },
  '/v1/conversation/list': {
    ...{ table: 'messages', after: 'next', field: 'recipient', column: 'peer' },
    more: (_, i) => ({ peer: `+1303555${4000 + i}` }),
  },
  '/v1/inbox/list': {
    ...{ table: 'conversations', key: 'recipient', field: 'recipient', after: 'next', ...OPEN },
    more: (_, i) => ({ position: newId('msg', timeOf(i)) }),
  },
  '/v1/campaign/{id}/conversations/{number}/notes': { table: 'conversation_notes' },
  '/v1/contact/list': { table: 'contacts', key: 'phone_number', field: 'phoneNumber' },
  '/v1/alert/list': ALERTS,
  '/v1/webhook/list': WEBHOOKS,
  '/v1/webhook/{id}/deliveries': {
    table: 'event_deliveries',
    fits: (row) => row.state === 'failed',
  },
  '/console/people': USERS,
  '/console/people/invitation': INVITATIONS,
  '/operator/v1/account/list': { table: 'accounts', key: 'account_id' },
  '/operator/v1/account/{id}/token/list': TOKENS,
  '/operator/v1/token/list': {
    table: 'operator_tokens',
    more: () => ({ token_hash: secret(), name: 'ops', created_at: new Date() }),
  },
  '/operator/v1/user/list': USERS,
  '/operator/v1/user/invitation': {
    ...INVITATIONS,
    more: (id) => ({
      ...INVITATIONS.more!(id, 0, {} as AccountRecords),
      account_id: null,
      role: 'support',
    }),
  },
  '/operator/v1/brand/list': { table: 'brands', query: EVERY },
  '/operator/v1/campaign/list': { table: 'campaigns', query: EVERY },
  '/operator/v1/webhook/list': {
    ...WEBHOOKS,
    with: {
      table: 'event_subscriptions',
      row: (id, own) => ({ ...WEBHOOKS.with!.row(id, own), is_enabled: false }),
    },
  },
  '/operator/v1/campaign/{id}/optouts': OPTOUTS,
  '/operator/v1/audit/list': ACTS,
  '/operator/v1/call/search': { table: 'call_records' },
  '/operator/v1/message/search': {
    table: 'messages',
    query: (own) => `${BY_ACCOUNT(own)}&reason=check`,
  },
  '/operator/v1/alert/list': { ...ALERTS, query: BY_ACCOUNT },
}

/** Pages that are not lists of records with a cursor. */
const OTHERS: Record<string, string> = {
  '/v1/number/search': 'an offer',
  '/operator/v1/review/queue': 'the oldest that wait',
  '/v1/account/ledger': 'entries are only ever added; list-ledger.test.ts covers pages',
}

const COPIES = 7
const SKIPPED_MAX = 10
let count = 0

/** Writes copies with keys that sort in the order of their numbers. */
async function addCopies(service: TestService, own: AccountRecords, list: List, template: Row) {
  const { db } = service.world
  const keyColumn = list.key ?? 'id'
  const add = async (i: number) => {
    count += 1
    const at = timeOf(i)
    const old = String(template[keyColumn])
    const id = old.startsWith('+')
      ? `+1303555${String(count).padStart(4, '0')}`
      : newId(old.slice(0, 3) as 'msg', at)
    const row: Row = {
      ...template,
      ...timesOf(template),
      [keyColumn]: id,
      ...list.more?.(id, count, own),
    }
    await insert(service, list.table, row)
    if (list.with) await insert(service, list.with.table, list.with.row(id, own))
    return String(row[list.column ?? keyColumn])
  }
  const remove = async (id: string) => {
    const column = list.column ?? keyColumn
    await db.transaction(async (tx) => {
      await tx.query(sql`set local session_replication_role = replica`)
      await tx.query(sql`delete from ${raw(list.table)} where ${raw(column)} = ${id}`)
      if (!list.with) return
      const other = list.with.table === 'memberships' ? 'user_id' : 'subscriber_id'
      await tx.query(sql`delete from ${raw(list.with.table)} where ${raw(other)} = ${id}`)
    })
  }
  return { add, remove }
}

/** What lists might sort by in addition to the key: the same for all, so the key decides. */
function timesOf(template: Row): Row {
  const columns = ['created_at', 'purchased_at'].filter((name) => name in template)
  return Object.fromEntries(columns.map((name) => [name, timeOf(0)]))
}

async function insert({ world }: TestService, table: string, row: Row): Promise<void> {
  const names = raw(
    Object.keys(row)
      .map((name) => `"${name}"`)
      .join(', '),
  )
  await world.db.query(sql`
    insert into ${raw(table)} (${names})
    select ${names} from jsonb_populate_record(null::${raw(table)}, ${JSON.stringify(row)}::jsonb)`)
}

test('no list repeats or skips a record while records are added and removed', async (t) => {
  const env = { LONGCODE_OPERATOR_TOKEN: OPERATOR_TOKEN, LONGCODE_RATE_LIMIT: '0' }
  const service = await testService(t, { balance: '1000', env, roles: ['voice'] })
  const own = await createAccountRecords(service, service, 'Mineral')
  await fillStates(service, own)
  const routes = [...customerRoutes(service), ...operatorRoutes(service)].filter(
    ({ method, parameters }) =>
      method === 'GET' && parameters.some(({ name }) => name === 'limit' || name === 'after'),
  )
  const unknown = routes
    .map(({ path }) => path)
    .filter((path) => !(path in LISTS || path in OTHERS))
  assert.deepEqual(unknown, [], 'a new list: add it to LISTS')
  const problems: string[] = []
  for (const { path, tag, parameters } of routes.filter((route) => route.path in LISTS)) {
    const list = LISTS[path]!
    const token = tag === 'Operator' ? OPERATOR_TOKEN : own.token
    const canSkip = parameters.some(({ name }) => name === 'skip')
    await walk(service, own, { path, canSkip }, list, token).catch((error) =>
      problems.push(`${path}: ${error.message}`),
    )
  }
  assert.deepEqual(problems, [])
})

async function templateOf({ world }: TestService, own: AccountRecords, list: List): Promise<Row> {
  const { table, fits = () => true } = list
  if (table === 'operator_tokens') return { id: newId('tok', new Date()) }
  if (table === 'users') {
    const [user] = await world.db.query<{ row: Row }>(sql`
      select to_jsonb(u) as row from users u where id = ${own.person}`)
    return user!.row
  }
  const row = (await rowsIn(world.db, table, own.accountId)).find(fits)
  assert.ok(row, `${table} has a row`)
  return row
}

async function walk(
  service: TestService,
  own: AccountRecords,
  { path, canSkip }: { path: string; canSkip: boolean },
  list: List,
  token: string,
): Promise<void> {
  const template = await templateOf(service, own, list)
  const { add, remove } = await addCopies(service, own, list, template)
  const owner = String(template.campaign_id ?? own.campaign)
  const id = path.includes('/account/{id}')
    ? own.accountId
    : path.includes('/webhook/{id}')
      ? String(template.subscriber_id)
      : owner
  const base = path.replace('{id}', id).replace('{number}', String(template.recipient).slice(1))
  const query = list.query?.({ ...own, campaign: owner }) ?? ''
  const idOf = (record: Row) => String(record[list.field ?? 'id'])
  const page = async (after: string | null, limit = 2, skip = 0) => {
    const cursor = after === null ? '' : `&after=${encodeURIComponent(after)}`
    const range = `limit=${limit}${skip > 0 ? `&skip=${skip}` : ''}`
    const { status, body } = await service.get(`${base}?${range}&${query}${cursor}`, { token })
    assert.equal(status, 200, JSON.stringify(body))
    const records = Object.values(body).find(Array.isArray) as Row[]
    return { ids: records.map(idOf), body }
  }
  const stable: string[] = []
  const doomed: string[] = []
  for (let i = 1; i <= COPIES; i += 1) {
    const made = await add(i)
    // Not every third: pages of two that skip one after each would skip just these.
    ;(i % 4 === 2 && !list.isAppendOnly ? doomed : stable).push(made)
  }
  const seen: string[] = []
  let after: string | null = null
  for (let i = 0; ; i += 1) {
    assert.ok(i < 60, `it ends: ${seen.slice(0, 8)}`)
    const { ids, body } = await page(after)
    seen.push(...ids)
    if (i < 6) await add(COPIES + 1 + i) // newer than all
    const gone = doomed.findIndex((one) => seen.includes(one) && one !== seen.at(-1))
    if (gone >= 0) await remove(doomed.splice(gone, 1)[0]!)
    const isMore = body.hasMore ?? body.next !== null
    assert.equal(typeof isMore, 'boolean', 'the answer shows whether more follows')
    if (!isMore) break
    after = list.after === 'next' ? body.next : ids.at(-1)!
    assert.ok(after, 'more follows, so there is a cursor')
  }
  assert.deepEqual(seen, [...new Set(seen)], 'nothing is repeated')
  assert.deepEqual(
    stable.filter((one) => !seen.includes(one)),
    [],
    'nothing is skipped',
  )
  if (!canSkip) return
  const whole = (await page(null, SKIPPED_MAX)).ids
  const skipped: string[] = []
  for (let skip = 0; skip < SKIPPED_MAX; skip += 2) skipped.push(...(await page(null, 2, skip)).ids)
  assert.deepEqual(skipped, whole, 'pages by skip have what one page has')
}
