// What an account reads does not depend on what other accounts have. Every read of one account, with every value of
// every filter, is compared before and after another account gets a copy of all its rows in all states. A statement
// that forgets the account then returns more, or other sums. Routes come from openapi.json, tables from the database.

import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { checkAccount } from '../../src/alerts/check-account.js'
import { listEventsAfter } from '../../src/events/event-queries.js'
import { newId } from '../../src/kit/ids.js'
import { raw, sql } from '../../src/kit/postgres/sql.js'
import { exportLoop } from '../../src/messages/exports/write-exports.js'
import { exportAccount } from '../../src/operator/retention/export-account.js'
import { listTroubledWebhooks } from '../../src/webhooks/trouble-queries.js'
import { type AccountRecords, createAccountRecords } from '../account-records.js'
import { accountTables, addTwin, fillStates, rowsIn } from '../account-twin.js'
import { customerRoutes, operatorRoutes, type Route } from '../every-route.js'
import { cloneDatabase, type TestService, testService, writesMessages } from '../harness.js'
import { OPERATOR_TOKEN } from './operator-service.js'

/** Reads that are not about one account, with the reason. */
const SHARED: Record<string, string> = {
  '/v1/events/stream':
    'never ends; its statements are read below, and webhook-stream.test.ts covers it',
  '/v1/error/list': 'the same for everyone',
  '/v1/number/search': 'numbers for sale belong to nobody',
  '/sandbox/clock': 'one clock for all',
  '/operator/v1/account/list': 'all accounts',
  '/operator/v1/token/list': 'of operators',
  '/operator/v1/user/invitation': 'of the installation',
  '/operator/v1/review/queue': 'all accounts',
  '/operator/v1/number/count': 'all accounts',
  '/operator/v1/carrier/list': 'links',
  '/operator/v1/carrier/providers': 'programs',
  '/operator/v1/voice/route': 'answers a switch',
  '/operator/v1/alert/settings': 'of the installation',
  '/operator/v1/health': 'the installation',
}

/** Where the IDs of a resource in a path come from. */
const SOURCES: Record<string, [table: string, column: string]> = {
  account: ['accounts', 'account_id'],
  brand: ['brands', 'id'],
  campaign: ['campaigns', 'id'],
  number: ['numbers', 'phone_number'],
  message: ['messages', 'id'],
  export: ['message_exports', 'id'],
  webhook: ['webhooks', 'id'],
  optouts: ['optouts', 'recipient'],
  conversations: ['conversations', 'recipient'],
  contact: ['contacts', 'phone_number'],
  handset: ['conversations', 'recipient'],
  deliveries: ['event_deliveries', 'id'],
}

type Values = Record<string, string[]>

async function valuesOf(service: TestService, own: AccountRecords): Promise<Values> {
  const found: Values = { statement: [new Date().toISOString().slice(0, 7)] }
  for (const [resource, [table, column]] of Object.entries(SOURCES)) {
    const rows = await rowsIn(service.world.db, table, own.accountId)
    found[resource] = [...new Set(rows.map((row) => String(row[column])))]
  }
  return found
}

/** The path with every record of the account in place of each parameter. */
function pathsOf({ path }: Route, values: Values): string[] {
  const [first, ...rest] = path.split(/(?=\/[a-z-]+\/\{)/)
  let paths = [first!]
  for (const step of rest) {
    const [, resource, after] = /^\/([a-z-]+)\/\{\w+\}(.*)$/.exec(step) as unknown as string[]
    const records = values[resource!]
    assert.ok(records?.length, `${path}: add to SOURCES where ${resource} come from`)
    paths = paths.flatMap((start) =>
      records.map((id) => `${start}/${resource}/${id.replace('+', '')}${after}`),
    )
  }
  return paths
}

/** Free texts and records to filter by. */
function filterValues(own: AccountRecords): Values {
  return {
    campaign: [own.campaign],
    account: [own.accountId],
    accountId: [own.accountId],
    number: [own.number, own.peer],
    brand: [own.brand],
    search: ['LLC', own.word],
    name: [own.word.slice(0, 2)],
    text: ['To', 'For'],
    assignee: [own.person],
    message: [own.message],
    direction: ['INBOUND'],
    reason: ['check'],
    // A page that reads rows of other accounts is shorter.
    limit: ['2'],
  }
}

/** Without a filter, and with every value of every filter, one at a time. */
function queriesOf({ parameters }: Route, filters: Values): string[] {
  const inQuery = parameters.filter((one) => one.in === 'query')
  const valuesFor = ({ name, schema }: Route['parameters'][number]): string[] => {
    const choices = [schema, ...(schema.anyOf ?? [])].flatMap((one) => one.enum ?? one.const ?? [])
    return choices.length > 0 ? choices.map(String) : (filters[name] ?? [])
  }
  const always = inQuery.filter(
    ({ name, required }) => required || /^account(?:Id)?$|^reason$/.test(name),
  )
  type Pair = [name: string, value: string]
  const pairsOf = (one: Route['parameters'][number]) =>
    valuesFor(one).map((value): Pair => [one.name, value])
  const base = always.flatMap((one) => pairsOf(one).slice(0, 1))
  return [null, ...inQuery.flatMap(pairsOf)].map((more) => {
    const others = base.filter(([name]) => name !== more?.[0])
    return new URLSearchParams(more ? [...others, more] : others).toString()
  })
}

interface Read {
  url: string
  token: string
  accept: string
}

function listReads(service: TestService, own: AccountRecords, values: Values): Read[] {
  const routes = [...customerRoutes(service), ...operatorRoutes(service)]
  const filters = filterValues(own)
  return routes
    .filter(({ method, path }) => method === 'GET' && !(path in SHARED))
    .flatMap((route) =>
      pathsOf(route, values).flatMap((path, i) =>
        // Filters of one record of a kind say what those of all say.
        (i === 0 ? queriesOf(route, filters) : queriesOf(route, filters).slice(0, 1)).flatMap(
          (query) =>
            ['application/json', ...route.otherForms].map((accept) => ({
              url: `${path}?${query}`,
              token: route.tag === 'Operator' ? OPERATOR_TOKEN : own.token,
              accept,
            })),
        ),
      ),
    )
}

/** Every answer by its request. */
async function readAll(service: TestService, own: AccountRecords, reads: readonly Read[]) {
  const answers = new Map<string, string>()
  for (const { url, token, accept } of reads) {
    const reply = await service
      .get(url, { token, headers: { accept } })
      .catch((error) => ({ status: 500, body: error.message }))
    answers.set(`${url} ${accept}`, `${reply.status} ${comparable(reply.body)}`)
  }
  const failed = [...answers].filter(([, answer]) => answer.startsWith('5'))
  assert.deepEqual(
    failed.map(([name, answer]) => `${name}: ${answer.split(' in {', 1)[0]!.slice(0, 400)}`),
    [],
    'every read is answered',
  )
  for (const [name, read] of Object.entries(OTHER_READS)) {
    answers.set(name, comparable(await read(service, own)))
  }
  return answers
}

/** Without times of use. */
function comparable(body: unknown): string {
  return JSON.stringify(body, (name, value) => (name === 'lastUsedAt' ? null : value), 1)
}

/** What an account gets other than by a GET. */
const OTHER_READS: Record<string, (service: TestService, own: AccountRecords) => Promise<unknown>> =
  {
    'the stream, from the first event': ({ world }, own) =>
      listEventsAfter(world.db, own.accountId, newId('evt', new Date(0)), 1000),
    alerts: async ({ world }, { accountId }) => {
      const { found } = await checkAccount(
        world.db,
        listTroubledWebhooks,
        accountId,
        world.clock.now(),
      )
      return found
    },
    'the export of its messages': async (service, own) => {
      const { world } = service
      const { token } = own
      // One runs at a time.
      const running = await world.db.query<{ id: string }>(sql`
      update message_exports set status = 'DONE'
      where account_id = ${own.accountId} and status = 'RUNNING' returning id`)
      const { body } = await service.post('/v1/export/create', { name: 'again' }, { token })
      while ((await exportLoop(world).step(new AbortController().signal)) !== 0);
      const csv = await service.get(`/v1/export/${body.export.id}?format=csv`, { token })
      await service.call('DELETE', `/v1/export/${body.export.id}`, undefined, { token })
      await world.db.query(sql`
      update message_exports set status = 'RUNNING'
      where account_id = ${own.accountId} and id = any (${running.map(({ id }) => id)}::text[])`)
      assert.match(csv.body, /Mineral/)
      return csv.body
    },
    'the export of the account': async ({ world }, own) => {
      const lines: unknown[] = []
      for await (const line of exportAccount(world.db, own.accountId, { withMedia: true })) {
        if (line.record !== 'act') lines.push(line)
      }
      return lines
    },
  }

async function stage(t: TestContext) {
  const env = { LONGCODE_OPERATOR_TOKEN: OPERATOR_TOKEN, LONGCODE_RATE_LIMIT: '0' }
  const { url, drop } = await cloneDatabase()
  const database = { url, drop: async () => {} } // used by two services
  const options = { env, database, roles: ['voice'] } as const
  const service = await testService(t, { ...options, balance: '1000' })
  const own = await createAccountRecords(service, service, 'Mineral')
  await fillStates(service, own)
  return { service, own, options, drop }
}

test('what an account reads is the same if another account has a copy of all of its rows', async (t) => {
  const { service, own, options, drop } = await stage(t)
  t.mock.timers.enable({ apis: ['Date'], now: Date.now() })
  const { db } = service.world
  for (const { name } of await accountTables(db)) {
    const [row] = await db.query(sql`
      select 1 from ${raw(name)} where account_id = ${own.accountId} limit 1`)
    assert.ok(row, `${name} has a row`)
  }
  const reads = listReads(service, own, await valuesOf(service, own))
  assert.ok(reads.length > 200, `${reads.length} reads`)
  const before = await readAll(service, own, reads)
  await db.transaction(async (tx) => {
    // Look-ups are recorded.
    await tx.query(sql`set local session_replication_role = replica`)
    await tx.query(sql`delete from audit_log where act like 'message.look%'`)
  })
  const twinId = newId('acc', new Date())
  await addTwin(service, own, twinId, 'Minerva')
  // Another service has nothing in memory.
  const later = await testService(t, options)
  writesMessages(later.world)
  t.after(drop)
  const after = await readAll(later, own, reads)
  const differing = [...before.keys()].filter((name) => after.get(name) !== before.get(name))
  const [first] = differing
  assert.equal(first && after.get(first), first && before.get(first), differing.join('\n'))
})
