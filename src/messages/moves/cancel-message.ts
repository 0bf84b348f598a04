// Cancels a message that waits for its time, and refunds it.

import type { AccountId } from '../../accounts/account.js'
import { Refusal } from '../../kit/contract/refusal.js'
import type { Transaction } from '../../kit/postgres/db.js'
import { sql } from '../../kit/postgres/sql.js'
import type { Status } from '../message-state.js'
import { encodeEntry } from '../timeline.js'
import { moveMessages } from './move-queries.js'

export async function cancelMessage(
  tx: Transaction,
  accountId: AccountId,
  id: string,
  now: Date,
): Promise<void> {
  const [row] = await tx.query<{ status: Status }>(sql`
    select status from messages where account_id = ${accountId} and id = ${id} for update`)
  if (!row) throw new Refusal('message_missing')
  if (row.status !== 'SCHEDULED') {
    throw new Refusal(
      'message_state',
      `The message is ${row.status}: only a SCHEDULED message can be cancelled`,
    )
  }
  const entry = encodeEntry(now, 'failed', '1410 cancelled by the customer')
  await moveMessages(
    tx,
    accountId,
    [{ messageId: id, target: 'FAILED', errorCode: 1410, entry }],
    now,
  )
}
