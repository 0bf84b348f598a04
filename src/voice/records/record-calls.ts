// Writes the records of an account's calls and charges for forwarded ones, in one transaction. A call is recorded and
// charged once, no matter which nodes got its INVITE and how often the write is retried.

import type { AccountId } from '../../accounts/account.js'
import { dayOf } from '../../kit/contract/days.js'
import { idFloor, timeOfId } from '../../kit/ids.js'
import type { Store, Transaction } from '../../kit/postgres/db.js'
import { lockWallet, transfer } from '../../ledger/ledger-queries.js'
import type { CallRecord } from './call-record.js'
import { addForwarded, findRecorded, insertRecords, lockCalls } from './call-record-queries.js'

/** The same Call-ID and number within this time is the same call. */
const SAME_CALL_MS = 64_000

export interface RecordedCalls {
  /** New forwarded calls. */
  forwarded: readonly CallRecord[]
  /** Calls forwarded for the account today, on all nodes. */
  forwardedToday: number
  /** Whether the balance covered them all. */
  isPaid: boolean
}

/** For one account, at the current price of a forwarded call. */
export async function recordCalls(
  db: Store,
  accountId: AccountId,
  calls: readonly CallRecord[],
  priceMicros: bigint,
  now: Date,
): Promise<RecordedCalls> {
  return db.transaction(async (tx) => {
    await lockCalls(tx, accountId, dayOf(now))
    const fresh = await leaveOutRecorded(tx, accountId, calls)
    const forwarded = fresh.filter(({ outcome }) => outcome === 'forwarded')
    const paid = await charge(tx, accountId, forwarded, priceMicros, now)
    const priced = fresh.map((call) => {
      if (call.outcome !== 'forwarded' || priceMicros === 0n) return call
      if (paid.has(call)) return { ...call, priceMicros }
      return { ...call, outcome: 'forwarded_unpaid' as const }
    })
    if (priced.length > 0) await insertRecords(tx, accountId, priced)
    const forwardedToday = await addForwarded(tx, accountId, forwarded.length)
    return { forwarded, forwardedToday, isPaid: paid.size === forwarded.length }
  })
}

/** The same INVITE may have reached two nodes, or an earlier write may have succeeded without a response. */
async function leaveOutRecorded(
  tx: Transaction,
  accountId: AccountId,
  calls: readonly CallRecord[],
): Promise<CallRecord[]> {
  const firstMs = Math.min(...calls.map(({ id }) => timeOfId(id).getTime()))
  const floorId = idFloor('cal', new Date(firstMs - SAME_CALL_MS))
  const recorded = new Map<string, number[]>()
  const keyOf = ({ phoneNumber, callId }: Pick<CallRecord, 'phoneNumber' | 'callId'>) =>
    `${phoneNumber} ${callId}`
  const note = (call: Pick<CallRecord, 'id' | 'phoneNumber' | 'callId'>) => {
    const times = recorded.get(keyOf(call)) ?? []
    recorded.set(keyOf(call), [...times, timeOfId(call.id).getTime()])
  }
  for (const call of await findRecorded(tx, accountId, calls, floorId)) note(call)
  return calls.filter((call) => {
    const atMs = timeOfId(call.id).getTime()
    const isSame = (otherMs: number) => Math.abs(atMs - otherMs) <= SAME_CALL_MS
    if (recorded.get(keyOf(call))?.some(isSame)) return false
    note(call)
    return true
  })
}

/** Charges as many as the balance covers, in order, in one transfer. */
async function charge(
  tx: Transaction,
  accountId: AccountId,
  forwarded: readonly CallRecord[],
  priceMicros: bigint,
  now: Date,
): Promise<ReadonlySet<CallRecord>> {
  if (priceMicros === 0n || forwarded.length === 0) return new Set(forwarded)
  const balance = await lockWallet(tx, accountId)
  const covered = balance / priceMicros
  const paid = covered < BigInt(forwarded.length) ? forwarded.slice(0, Number(covered)) : forwarded
  if (paid.length === 0) return new Set()
  const amountMicros = priceMicros * BigInt(paid.length)
  const reference = `calls:${paid[0]!.id}:${paid.length}`
  await transfer(tx, { accountId, reason: 'call', reference, amountMicros, now })
  return new Set(paid)
}
