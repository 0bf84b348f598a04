// Accounts, tokens, and the audit log as records: each statement affects only what it names, and each filter of the
// log works alone.

import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { AccountStatus } from '../../src/accounts/account.js'
import {
  getAccount,
  listAccounts,
  lockAccount,
  updateAccount,
  updateThreshold,
} from '../../src/accounts/account-queries.js'
import type { Actor, AuditAct } from '../../src/accounts/audit.js'
import { type AuditFilter, listAudit, recordAct } from '../../src/accounts/audit-queries.js'
import { createAccount, createToken } from '../../src/accounts/create-account.js'
import { storeAnswer } from '../../src/accounts/idempotency-queries.js'
import { purgeKeys } from '../../src/accounts/purge-keys.js'
import { listTokens, recordTokenUse, revokeToken } from '../../src/accounts/token-queries.js'
import type { Queryable } from '../../src/kit/postgres/db.js'
import { type Statement, sql } from '../../src/kit/postgres/sql.js'
import { eventually, testService } from '../harness.js'
import { WAITING } from '../waiting.js'

const NOW = new Date('2027-05-01T12:00:00.000Z')
const at = (ms: number) => new Date(NOW.getTime() + ms)
const PAGE = { limit: 99, skip: 0, after: null }

/** Three accounts, oldest first, next to the service's own, which the tests ignore. */
async function threeAccounts(t: TestContext) {
  const { db } = (await testService(t)).world
  const ids: string[] = []
  for (const [i, name] of ['one', 'two', 'three'].entries()) {
    ids.push((await db.transaction((tx) => createAccount(tx, name, at(i)))).accountId)
  }
  return { db, ids: ids as [string, string, string] }
}

test('reading, locking, or changing an account affects no other account', async (t) => {
  const { db, ids } = await threeAccounts(t)
  const all = async () => Promise.all(ids.map((id) => getAccount(db, id)))
  const before = await all()
  assert.deepEqual(
    before.map(({ name }) => name),
    ['one', 'two', 'three'],
  )
  await db.transaction(async (tx) => {
    const account = await lockAccount(tx, ids[1])
    assert.deepEqual(account, before[1])
    await updateAccount(tx, { ...account, name: 'changed', status: 'SUSPENDED' })
    await updateThreshold(tx, ids[1], 5n)
  })
  const changed = { ...before[1], name: 'changed', status: 'SUSPENDED', lowBalanceMicros: 5n }
  assert.deepEqual(await all(), [before[0], changed, before[2]])
  for (const id of ['', 'acc_1', `${ids[0].slice(0, -1)}\0`, ids[0].replace('acc', 'tok')]) {
    const missing = { code: 'account_missing' }
    await assert.rejects(getAccount(db, id), missing, JSON.stringify(id))
    await assert.rejects(
      db.transaction((tx) => lockAccount(tx, id)),
      missing,
      JSON.stringify(id),
    )
  }
})

test('a change of an account waits for a concurrent change', async (t) => {
  const { db, ids } = await threeAccounts(t)
  const order: string[] = []
  const { second } = await db.transaction(async (tx) => {
    await lockAccount(tx, ids[0])
    const lockAgain = async () => {
      const { name } = await db.transaction((other) => lockAccount(other, ids[0]))
      order.push(`second sees ${name}`)
    }
    const second = lockAgain()
    await eventually(async () => (await db.query(WAITING)).length > 0, 'a change that waits')
    await updateAccount(tx, { ...(await getAccount(tx, ids[0])), name: 'by the first' })
    order.push('first is done')
    return { second }
  })
  await second
  assert.deepEqual(order, ['first is done', 'second sees by the first'])
})

test('accounts are listed newest first, by status, and deleted ones only on request', async (t) => {
  const { db, ids } = await threeAccounts(t)
  const set = (id: string, status: AccountStatus) =>
    db.query(sql`update accounts set status = ${status} where account_id = ${id}`)
  await set(ids[0], 'SUSPENDED')
  await set(ids[1], 'DELETED')
  const list = async (status: AccountStatus | null, page: Partial<typeof PAGE> | object = {}) => {
    const found = await listAccounts(db, { status, search: null }, { ...PAGE, ...page })
    return found.map(({ accountId }) => ids.indexOf(accountId)).filter((place) => place >= 0)
  }
  assert.deepEqual(await list(null), [2, 0])
  assert.deepEqual(await list('SUSPENDED'), [0])
  assert.deepEqual(await list('DELETED'), [1])
  assert.deepEqual(await list('ACTIVE'), [2])
  assert.deepEqual(await list(null, { after: ids[2] }), [0])
  assert.deepEqual(await list('DELETED', { after: ids[1] }), [])
  const ends = await listAccounts(db, { status: null, search: null }, { ...PAGE, limit: 1 })
  assert.equal(ends.length, 2, 'one more than the page size')
})

test('using, listing, or revoking a token affects no other token', async (t) => {
  const { db, ids } = await threeAccounts(t)
  const [own, other] = ids
  const make = (account: string, ms: number) =>
    db.transaction((tx) => createToken(tx, account, {}, at(ms)))
  const made = [await make(own, 1), await make(own, 2), await make(own, 3)]
  const theirs = await make(other, 4)
  await db.query(
    sql`update access_tokens set id = ${made[1]!.token.id} where id = ${theirs.token.id}`,
  )
  await recordTokenUse(db, made[1]!.token, at(9))
  const uses = async (account: string, page: object = {}) => {
    const found = await listTokens(db, account, { ...PAGE, ...page })
    return found.map(({ id, lastUsedAt }) => [
      made.findIndex(({ token }) => token.id === id),
      lastUsedAt === null ? null : lastUsedAt.getTime() - NOW.getTime(),
    ])
  }
  assert.deepEqual(await uses(own), [
    [2, null],
    [1, 9],
    [0, null],
  ])
  assert.deepEqual(await uses(own, { after: made[1]!.token.id }), [[0, null]])
  assert.deepEqual(await uses(own, { limit: 1 }), [
    [2, null],
    [1, 9],
  ])
  assert.deepEqual(await uses(other), [[1, null]])
  const revoke = (account: string, place: number) =>
    revokeToken(db, account, made[place]!.token.id, at(10))
  assert.deepEqual(
    [await revoke(own, 1), await revoke(own, 1), await revoke(other, 0)],
    [true, false, false],
  )
  assert.deepEqual(
    [await uses(own), await uses(other)],
    [
      [
        [2, null],
        [0, null],
      ],
      [[1, null]],
    ],
  )
  const revoked = await db.query(sql`
    select account_id as account, revoked_at as at from access_tokens where revoked_at is not null`)
  assert.deepEqual(revoked, [{ account: own, at: at(10) }])
})

test('each filter of the audit log works alone, and its range excludes the end', async (t) => {
  const { db } = (await testService(t)).world
  const actor: Actor = {
    kind: 'customer',
    id: 'tok_1',
    name: 'ci',
    origin: '::1',
    requestId: 'req_1',
  }
  const act: AuditAct = {
    ...{ act: 'token.create', accountId: 'acc_1', subject: 'tok_2' },
    ...{ before: null, after: { scopes: ['read'] } },
  }
  const acts: [Partial<AuditAct>, Partial<Actor>][] = [
    [{}, {}],
    [{ accountId: 'acc_2' }, {}],
    [{ act: 'token.revoke' }, {}],
    [{ subject: 'tok_3' }, {}],
    [{}, { id: 'tok_9' }],
    [{}, { kind: 'command', id: null, name: 'root', requestId: null }],
  ]
  await db.transaction(async (tx) => {
    for (const [i, [what, who]] of acts.entries()) {
      await recordAct(tx, { ...actor, ...who }, { ...act, ...what }, at(i))
    }
  })
  const none = { accountId: null, act: null, actor: null, subject: null, since: null, until: null }
  const found = async (filter: Partial<AuditFilter>, page: object = {}) => {
    const entries = await listAudit(db, { ...none, ...filter }, { ...PAGE, ...page })
    return entries.map((entry) => entry.at.getTime() - NOW.getTime())
  }
  assert.deepEqual(await found({}), [5, 4, 3, 2, 1, 0])
  assert.deepEqual(await found({ accountId: 'acc_2' }), [1])
  assert.deepEqual(await found({ act: 'token.revoke' }), [2])
  assert.deepEqual(await found({ subject: 'tok_3' }), [3])
  assert.deepEqual(await found({ actor: 'tok_9' }), [4])
  assert.deepEqual(await found({ actor: 'root' }), [5])
  assert.deepEqual(await found({ since: at(4) }), [5, 4])
  assert.deepEqual(await found({ until: at(1) }), [0])
  assert.deepEqual(await found({ since: at(1), until: at(3), act: 'token.create' }), [1])
  assert.deepEqual(await found({ accountId: 'acc_2', subject: 'tok_3' }), [])
  assert.deepEqual(await found({}, { limit: 1, skip: 1 }), [4, 3], 'one more than the page size')

  const [newest, second] = await listAudit(db, none, { ...PAGE, limit: 1 })
  assert.deepEqual(await found({}, { after: second!.id }), [3, 2, 1, 0])
  const { id, ...entry } = newest!
  assert.match(id, /^aud_/)
  const who = { kind: 'command', id: null, name: 'root', origin: '::1', requestId: null }
  assert.deepEqual(entry, { ...act, at: at(5), actor: who })
})

test('an idempotency key that is reused while old keys are deleted is kept', async (t) => {
  const { db } = (await testService(t)).world
  const take = (accountId: string, key: string, now: Date) =>
    storeAnswer(db, { accountId, key, requestHash: Buffer.alloc(32), now }, '{}')
  for (const key of ['old', 'renewed']) await take('acc_1', key, NOW)
  await take('acc_2', 'renewed', NOW)
  const dayLater = at(86_400_000)
  let isRenewed = false
  const slow: Queryable = {
    query: async <Row extends object>(statement: Statement) => {
      const rows = await db.query<Row>(statement)
      if (!isRenewed) await take('acc_1', 'renewed', dayLater)
      isRenewed = true
      return rows
    },
  }
  assert.equal(await purgeKeys(db, db.workers, at(86_399_999), 9), 0, 'a day less a millisecond')
  assert.equal(await purgeKeys(slow, db.workers, dayLater, 9), 2)
  const left = await db.query(sql`select account_id as account, key from idempotency_keys`)
  assert.deepEqual(left, [{ account: 'acc_1', key: 'renewed' }])
})
