// A real service per test: its own database, cloned from a migrated template, and its HTTP server, used
// without a socket. Every reply is checked against its schema in openapi.json.

import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import type { TestContext } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import inject, { type DispatchFunc, type Response } from 'light-my-request'
import { createToken } from '../src/accounts/create-account.js'
import { type Config, type Role, readConfig } from '../src/kit/config.js'
import type { Scope } from '../src/kit/contract/operation.js'
import { parseDollars } from '../src/kit/money.js'
import type { Queryable } from '../src/kit/postgres/db.js'
import type { World } from '../src/kit/world.js'
import { findDrift } from '../src/ledger/ledger-queries.js'
import { openAccount } from '../src/ledger/open-account.js'
import type { Carrier } from '../src/messages/carrier-port.js'
import { findWrongCounters } from '../src/messages/usage/wrong-counters.js'
import { type Service, startService } from '../src/serve.js'
import { administer } from './administer.js'
import { checkReply, type Reply } from './declared-replies.js'
import { DefectWatch } from './defects.js'
import { type LogWatch, watchLog } from './log-watch.js'
import { patienceMs } from './patience.js'
import { noteCounts, noteReply } from './seen.js'
import { assertStorageCounted, mayHaveCounts } from './storage-counts.js'

/** The number of rounds of a randomized test: few by default, many with TEST_THOROUGH=1. */
export function thorough(few: number, many: number): number {
  return process.env.TEST_THOROUGH === '1' ? many : few
}

export interface TestOptions {
  /** The loops that run in addition to the API. Default: none, so nothing changes in the background of a test. */
  roles?: readonly Role[]
  env?: Record<string, string>
  balance?: string
  /** The database role of the service. Default: one with all permissions. */
  databaseUser?: string
  /** A test link that replaces the one in the settings. */
  carrier?: Carrier
  /** A migrated database that is not a clone of the template. */
  database?: TestDatabase
}

export interface TestDatabase {
  url: string
  drop: () => Promise<void>
}

export type { Reply } from './declared-replies.js'

export type Json = Record<string, unknown>

export interface CallOptions {
  token?: string | null
  headers?: Record<string, string>
}

export interface TestService extends Service {
  accountId: string
  token: string
  databaseUrl: string
  call: (method: string, url: string, body?: unknown, options?: CallOptions) => Promise<Reply>
  get: (url: string, options?: CallOptions) => Promise<Reply>
  post: (url: string, body?: unknown, options?: CallOptions) => Promise<Reply>
  /** A second tenant with its own token. */
  otherAccount: (balance?: string) => Promise<{ accountId: string; token: string }>
  tokenWith: (scopes: readonly Scope[]) => Promise<string>
  balance: () => Promise<number>
}

export async function testService(t: TestContext, options: TestOptions = {}): Promise<TestService> {
  const { url: databaseUrl, drop } = options.database ?? (await cloneDatabase())
  const config = testConfig(options)
  const { databaseUser } = options
  const serviceUrl = databaseUser
    ? databaseUrl.replace(/\/\/[^:@]*/, `//${databaseUser}`)
    : databaseUrl
  const watch = watchLog(config.logLevel)
  const service = await startService(config, serviceUrl, watch.log, options.carrier)
  afterwards(t, async () => {
    try {
      for (const end of endings.get(service.world.db) ?? []) await end()
      await assertNoDrift(service)
      await assertCounted(service)
    } finally {
      noteCounts(service.world)
      await service.stop()
      await drop()
    }
    assert.deepEqual(watch.leaks(), [], 'no secret, number, or text is in the log')
  })
  const own = await addAccount(service, options.balance ?? '100')
  const call = caller(service, own.token, watch)
  return {
    ...service,
    ...own,
    databaseUrl,
    call,
    get: (url, callOptions) => call('GET', url, undefined, callOptions),
    post: (url, body, callOptions) => call('POST', url, body, callOptions),
    otherAccount: (balance = '100') => addAccount(service, balance),
    tokenWith: (scopes) => addToken(service, own.accountId, scopes),
    balance: async () => (await call('GET', '/v1/account')).body.account.balance,
  }
}

/** The runner keeps its hooks until all tests of the process are done. This releases the service earlier. */
function afterwards(t: TestContext, end: () => Promise<void>): void {
  let work: typeof end | null = end
  t.after(async () => {
    const last = work
    work = null
    await last?.()
  })
}

const endings = new WeakMap<World['db'], (() => Promise<void>)[]>()

/** Ends what uses a service before it stops: anything that waits for its database would wait forever. */
export function beforeStop({ db }: World, end: () => Promise<void>): void {
  endings.set(db, [...(endings.get(db) ?? []), end])
}

/** Every test ends with this check: each ledger balance is the sum of its entries. */
export async function assertNoDrift({ world }: { world: { db: Queryable } }): Promise<void> {
  const drift = await findDrift(world.db)
  assert.deepEqual(drift, [], 'every ledger balance equals the sum of its entries')
}

const byHand = new WeakSet<World['db']>()

/** For a test that writes message rows directly, which bypasses the counters. */
export function writesMessages({ db }: World): void {
  byHand.add(db)
}

const uncounted = new WeakSet<World['db']>()

/** For a test that changes rows of messages, files, or counters as an older process does, or that goes through an upgrade. */
export function changesStorage({ db }: World): void {
  uncounted.add(db)
}

/** Every test also ends with this check: the message counters match the messages. */
async function assertCounted({ world }: Service): Promise<void> {
  if (byHand.has(world.db) || !(await mayHaveCounts(world.db))) return
  const { counters } = await findWrongCounters(world.db, world.clock.now())
  assert.equal(counters, 0, 'every message counter is correct')
  if (!uncounted.has(world.db)) await assertStorageCounted(world.db)
}

export function testConfig(options: TestOptions = {}): Readonly<Config> {
  const roles = [...new Set<Role>(['api', ...(options.roles ?? [])])]
  return Object.freeze({
    ...readConfig({
      LONGCODE_LOG_LEVEL: process.env.TEST_LOG_LEVEL ?? 'silent',
      LONGCODE_REVIEW_SECONDS: '0',
      LONGCODE_DATABASE_POOL: '4',
      LONGCODE_SIP_PORT: 'off', // unless a test is about calls
      LONGCODE_DATABASE_TIMEOUT: '120', // a busy machine is not a hung database
      ...options.env,
    }),
    roles,
  })
}

/** A separate database, of the template that has no rows unless the caller has another. The caller drops it. */
export async function cloneDatabase(
  template = process.env.TEST_DATABASE_TEMPLATE,
): Promise<TestDatabase> {
  const { TEST_DATABASE_URL: serverUrl, TEST_DATABASE_PREFIX: prefix } = process.env
  assert.ok(
    serverUrl && template,
    'run tests with `npm test` or `npm test -- <files>`: it starts a PostgreSQL',
  )
  const name = `${prefix}_${randomBytes(6).toString('hex')}`
  // Copied as files: the other strategy writes every page to the WAL.
  await administer(serverUrl, `create database ${name} template ${template} strategy file_copy`)
  const url = new URL(serverUrl)
  url.pathname = `/${name}`
  const drop = () => administer(serverUrl, `drop database if exists ${name} with (force)`)
  return { url: url.href, drop }
}

async function addAccount(
  { world }: Service,
  balance: string,
): Promise<{ accountId: string; token: string }> {
  const creditMicros = parseDollars(balance)!
  return world.db.transaction(async (tx) => {
    const { accountId } = await openAccount(tx, { name: 'Test', creditMicros }, world.clock.now())
    const { text } = await createToken(tx, accountId, {}, world.clock.now())
    return { accountId, token: text }
  })
}

async function addToken(
  { world }: Service,
  accountId: string,
  scopes: readonly Scope[],
): Promise<string> {
  return world.db.transaction(
    async (tx) => (await createToken(tx, accountId, { scopes }, world.clock.now())).text,
  )
}

function caller(service: Service, ownToken: string, watch: LogWatch): TestService['call'] {
  return async (method, url, body, options = {}) => {
    watch.note(body)
    const token = options.token === undefined ? ownToken : options.token
    const response = await inject(listenerOf(service), {
      method: method as 'GET',
      url,
      headers: { ...(token !== null && { authorization: `Bearer ${token}` }), ...options.headers },
      ...(body !== undefined && { payload: body as object }),
    })
    const reply = readReply(response)
    watch.note(reply.body)
    checkReply(service, method, url, reply)
    return withoutSameFields(service, reply)
  }
}

/** Every error has a request id and a help link. They are checked here and removed, so no test repeats them. */
function withoutSameFields({ world }: Service, { status, headers, body }: Reply): Reply {
  if (status < 400 || !headers['content-type']?.startsWith('application/json')) {
    return { status, headers, body }
  }
  const { requestId, help, ...rest } = body
  assert.equal(requestId, headers['x-request-id'])
  assert.equal(help, `${world.config.publicUrl}/docs/errors#${rest.code}`)
  return { status, headers, body: rest }
}

/** Uses the server's request event. app.inject would bypass the fast path of sends. */
export function listenerOf({ app }: Service): DispatchFunc {
  return (request, response) => app.server.emit('request', request, response)
}

export function readReply(response: Response): Reply {
  const reply = {
    status: response.statusCode,
    body: response.headers['content-type']?.toString().startsWith('application/json')
      ? response.json()
      : response.body,
    headers: response.headers as Record<string, string>,
  }
  noteReply(reply)
  return reply
}

// A long wait polls less often: many tests at a time that poll take the processor from what they wait for.
const POLL_MS = { min: 25, max: 250, share: 0.1 }

/** Waits until the probe returns something. For work that loops do in the background. */
export async function eventually<T>(
  probe: () => Promise<T | null | undefined | false>,
  what = 'the awaited state',
): Promise<T> {
  const defects = new DefectWatch()
  for (const startMs = performance.now(); performance.now() < startMs + patienceMs(); ) {
    const found = await probe()
    if (found) return found
    const defect = defects.find()
    if (defect) throw new assert.AssertionError({ message: `${what} cannot come about: ${defect}` })
    const waitedMs = performance.now() - startMs
    await sleep(Math.min(Math.max(POLL_MS.min, waitedMs * POLL_MS.share), POLL_MS.max))
  }
  throw new assert.AssertionError({ message: `${what} did not come about` })
}
