// An operator's changes to a customer's balance: deposits and corrections. Each has a reason for people and
// its own reference, so a repeated request is refused.

import type { AccountId } from '../accounts/account.js'
import { fieldRefusal, Refusal } from '../kit/contract/refusal.js'
import { brokenConstraint, type Transaction } from '../kit/postgres/db.js'
import { checkAmount } from './amount.js'
import type { Reason } from './ledger.js'
import { insertNote, transfer } from './ledger-queries.js'

const NOTE_LENGTH_MAX = 500
const REFERENCE_LENGTH_MAX = 200

export interface Deposit {
  /** Always positive. */
  amountMicros: bigint
  /** Shown to the customer in the ledger. */
  note: string
  /** The operator's own reference, such as a payment number. Unique per account and kind of change. */
  reference: string
}

export interface Correction extends Omit<Deposit, 'amountMicros'> {
  /** Positive adds money, negative deducts it, up to the wallet's balance. */
  amountMicros: bigint
}

/** Returns the ID of the ledger entry. */
export function creditAccount(
  tx: Transaction,
  accountId: AccountId,
  deposit: Deposit,
  now: Date,
): Promise<string> {
  return move(tx, accountId, 'credit', deposit, now)
}

/** The ledger never changes: a correction is a new entry. */
export function correctAccount(
  tx: Transaction,
  accountId: AccountId,
  correction: Correction,
  now: Date,
): Promise<string> {
  const { amountMicros } = correction
  if (amountMicros > 0n) return move(tx, accountId, 'correction_credit', correction, now)
  const taken = { ...correction, amountMicros: -amountMicros }
  return move(tx, accountId, 'correction', taken, now)
}

async function move(
  tx: Transaction,
  accountId: AccountId,
  reason: Reason,
  { amountMicros, note, reference }: Deposit,
  now: Date,
): Promise<string> {
  checkAmount('amount', amountMicros)
  checkText('note', note, NOTE_LENGTH_MAX)
  checkText('reference', reference, REFERENCE_LENGTH_MAX)
  try {
    const id = await transfer(tx, {
      accountId,
      reason,
      reference: `${reason}:${reference.trim()}`,
      amountMicros,
      now,
    })
    await insertNote(tx, accountId, id, note.trim())
    return id
  } catch (error) {
    if (brokenConstraint(error) !== 'ledger_transfers_reference') throw error
    throw new Refusal('reference_used')
  }
}

function checkText(field: string, text: string, lengthMax: number): void {
  if (text.trim() === '') throw fieldRefusal(field, 'is required')
  if (text.length > lengthMax) throw fieldRefusal(field, `must be at most ${lengthMax} characters`)
}
