// Limits of an SMPP customer, and the addresses its system ids can bind from. Every change is in the audit log.

import type { AccountId } from '../../accounts/account.js'
import { getAccount, lockAccount } from '../../accounts/account-queries.js'
import type { Actor } from '../../accounts/audit.js'
import { recordAct } from '../../accounts/audit-queries.js'
import { type OperatedSystem, readNetwork, type SmppLimits } from '../../accounts/smpp-limits.js'
import {
  findSmppLimits,
  getOperatedSystem,
  listOperatedSystems,
  updateAllowedAddresses,
  updateSmppLimits,
} from '../../accounts/smpp-system-queries.js'
import { fieldRefusal } from '../../kit/contract/refusal.js'
import type { Queryable, Transaction } from '../../kit/postgres/db.js'
import { refuseDeleted } from './manage-accounts.js'

export const ALLOWED_ADDRESSES_MAX = 100

export interface SmppCustomer {
  accountId: AccountId
  limits: SmppLimits
  systems: OperatedSystem[]
}

export async function getSmppCustomer(db: Queryable, accountId: AccountId): Promise<SmppCustomer> {
  await getAccount(db, accountId)
  return {
    accountId,
    limits: await findSmppLimits(db, accountId),
    systems: await listOperatedSystems(db, accountId),
  }
}

/** Fields that are omitted do not change. */
export async function changeSmppLimits(
  tx: Transaction,
  actor: Actor,
  accountId: AccountId,
  changes: Partial<SmppLimits>,
  now: Date,
): Promise<SmppCustomer> {
  refuseDeleted(await lockAccount(tx, accountId))
  const before = await findSmppLimits(tx, accountId)
  const after = { ...before, ...changes }
  await updateSmppLimits(tx, accountId, after)
  const act = { act: 'smpp.limits', accountId, subject: accountId } as const
  await recordAct(tx, actor, { ...act, before, after }, now)
  return getSmppCustomer(tx, accountId)
}

/** Null: any address. */
export async function changeAllowedAddresses(
  tx: Transaction,
  actor: Actor,
  systemId: string,
  addresses: readonly string[] | null,
  now: Date,
): Promise<OperatedSystem> {
  const system = await getOperatedSystem(tx, systemId)
  const allowedAddresses = addresses && readAddresses(addresses)
  await updateAllowedAddresses(tx, systemId, allowedAddresses)
  const { accountId } = system
  await recordAct(
    tx,
    actor,
    {
      act: 'smpp.addresses',
      accountId,
      subject: systemId,
      before: { allowedAddresses: system.allowedAddresses },
      after: { allowedAddresses },
    },
    now,
  )
  return { ...system, allowedAddresses }
}

function readAddresses(addresses: readonly string[]): string[] {
  if (addresses.length === 0) {
    throw fieldRefusal('allowedAddresses', 'must contain at least one address; null allows any')
  }
  if (addresses.length > ALLOWED_ADDRESSES_MAX) {
    throw fieldRefusal('allowedAddresses', `must have at most ${ALLOWED_ADDRESSES_MAX} entries`)
  }
  return addresses.map((text) => {
    if (readNetwork(text) !== null) return text.trim()
    throw fieldRefusal(
      'allowedAddresses',
      'must contain only IP addresses or networks in CIDR notation, for example 192.0.2.7 or 192.0.2.0/24',
    )
  })
}
