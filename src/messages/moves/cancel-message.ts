// Cancels and refunds a scheduled message.

import type { AccountId } from '../../accounts/account.js'
import { Refusal } from '../../kit/contract/refusal.js'
import type { Transaction } from '../../kit/postgres/db.js'
import { encodeEntry } from '../timeline.js'
import { moveMessages } from './move-queries.js'
import { lockStatus } from './waiting-queries.js'

export async function cancelMessage(
  tx: Transaction,
  accountId: AccountId,
  id: string,
  now: Date,
): Promise<void> {
  const status = await lockStatus(tx, accountId, id)
  if (status === null) throw new Refusal('message_missing')
  if (status !== 'SCHEDULED') {
    throw new Refusal(
      'message_state',
      `The message is ${status}. Only a SCHEDULED message can be canceled`,
    )
  }
  const entry = encodeEntry(now, 'failed', '1410 canceled by the customer')
  await moveMessages(
    tx,
    accountId,
    [{ messageId: id, target: 'FAILED', errorCode: 1410, entry }],
    now,
  )
}
