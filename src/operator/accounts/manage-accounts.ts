// An operator creates, changes, suspends, and resumes accounts. The audit log records each action with the values before
// and after.

import type { Account, AccountId, AccountStatus } from '../../accounts/account.js'
import { getAccount, lockAccount, updateAccount } from '../../accounts/account-queries.js'
import type { Actor, AuditAct } from '../../accounts/audit.js'
import { recordAct } from '../../accounts/audit-queries.js'
import { fieldRefusal, Refusal } from '../../kit/contract/refusal.js'
import { toDollars } from '../../kit/money.js'
import type { Queryable, Transaction } from '../../kit/postgres/db.js'
import { findBalances } from '../../ledger/balance-queries.js'
import { openAccount } from '../../ledger/open-account.js'
import { moveForwardings } from '../../numbers/forwarding/stop-forwarding.js'
import {
  findRetentions,
  getRetention,
  KEPT,
  type Retention,
  upsertRetention,
} from './retention-queries.js'

/** An account as the operator sees it. */
export interface OperatedAccount extends Account {
  balanceMicros: bigint
  retention: Retention
}

export interface NewAccountRequest {
  name: string
  creditMicros: bigint
  retention?: Partial<Retention>
}

export async function openCustomer(
  tx: Transaction,
  actor: Actor,
  request: NewAccountRequest,
  now: Date,
): Promise<OperatedAccount> {
  const { creditMicros } = request
  const name = checkName(request.name)
  const account = await openAccount(tx, { name, creditMicros }, now)
  if (request.retention)
    await upsertRetention(tx, account.accountId, { ...KEPT, ...request.retention })
  const retention = await getRetention(tx, account.accountId)
  const after = { name, credit: toDollars(creditMicros), retention }
  await recordAct(tx, actor, { ...actOn('account.create', account), before: null, after }, now)
  return { ...account, balanceMicros: creditMicros, retention }
}

export interface AccountChanges {
  name?: string
  retention?: Partial<Retention>
}

/** Fields that are omitted do not change. */
export async function changeAccount(
  tx: Transaction,
  actor: Actor,
  accountId: AccountId,
  changes: AccountChanges,
  now: Date,
): Promise<OperatedAccount> {
  const account = await lockAccount(tx, accountId)
  refuseDeleted(account)
  const changed = {
    ...account,
    name: changes.name === undefined ? account.name : checkName(changes.name),
  }
  await updateAccount(tx, changed)
  const previous = await getRetention(tx, accountId)
  const { messageDays, mediaDays } = previous
  await upsertRetention(tx, accountId, { messageDays, mediaDays, ...changes.retention })
  const retention = await getRetention(tx, accountId)
  const before = { name: account.name, retention: previous }
  const after = { name: changed.name, retention }
  await recordAct(tx, actor, { ...actOn('account.change', account), before, after }, now)
  return getOperatedAccount(tx, accountId)
}

const MOVES = {
  suspend: { act: 'account.suspend', from: 'ACTIVE', to: 'SUSPENDED' },
  resume: { act: 'account.resume', from: 'SUSPENDED', to: 'ACTIVE' },
} as const

/** Within seconds, a suspended account's tokens are refused and its calls are no longer forwarded. */
export async function moveAccount(
  tx: Transaction,
  actor: Actor,
  accountId: AccountId,
  move: keyof typeof MOVES,
  reason: string | null,
  now: Date,
): Promise<OperatedAccount> {
  const account = await lockAccount(tx, accountId)
  const { act, from, to } = MOVES[move]
  if (account.status !== from) throw wrongState(account.status, from, move)
  await updateAccount(tx, { ...account, status: to })
  await moveForwardings(tx, accountId, move === 'suspend', now)
  const before = { status: from }
  await recordAct(tx, actor, { ...actOn(act, account), before, after: { status: to, reason } }, now)
  return getOperatedAccount(tx, accountId)
}

export async function getOperatedAccount(
  db: Queryable,
  accountId: AccountId,
): Promise<OperatedAccount> {
  const [account] = await withBalances(db, [await getAccount(db, accountId)])
  return account!
}

export async function withBalances(
  db: Queryable,
  accounts: readonly Account[],
): Promise<OperatedAccount[]> {
  const ids = accounts.map((account) => account.accountId)
  const balances = await findBalances(db, ids)
  const retentions = await findRetentions(db, ids)
  return accounts.map((account) => ({
    ...account,
    balanceMicros: balances.get(account.accountId) ?? 0n,
    retention: retentions.get(account.accountId)!,
  }))
}

export function actOn<const A extends AuditAct['act']>(
  act: A,
  { accountId }: { accountId: AccountId },
) {
  return { act, accountId, subject: accountId }
}

export function refuseDeleted({ status }: Pick<Account, 'status'>): void {
  if (status === 'DELETED') throw new Refusal('account_state', 'The account is DELETED.')
}

function checkName(name: string): string {
  if (name.trim() === '') throw fieldRefusal('name', 'is required')
  return name.trim()
}

function wrongState(status: AccountStatus, needed: AccountStatus, move: string): Refusal {
  const done = move === 'suspend' ? 'suspended' : 'resumed'
  return new Refusal(
    'account_state',
    `The account is ${status}. Only ${needed === 'ACTIVE' ? 'an' : 'a'} ${needed} account can be ${done}.`,
  )
}
