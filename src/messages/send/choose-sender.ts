// Which of the campaign's numbers a message goes out from: the one asked for, else the one that this
// recipient last talked with, else the default.

import type { AccountId } from '../../accounts/account.js'
import { KeyedBatchWriter } from '../../kit/batch-writer.js'
import { Refusal } from '../../kit/contract/refusal.js'
import type { Queryable } from '../../kit/postgres/db.js'
import { findLastNumbers } from '../message-queries.js'
import type { SendingContext } from './sending-context.js'

export type ChooseSender = (
  accountId: AccountId,
  context: SendingContext,
  to: string,
  from: string | undefined,
) => string | Promise<string>

export function createSenderChoice(db: Queryable): ChooseSender {
  const lookUps = new KeyedBatchWriter<{ campaignId: string; peer: string }, string | null>({
    batchMax: 500,
    write: (accountId, wanted) => findLastNumbers(db, accountId, wanted),
  })

  return (accountId, context, to, from) => {
    const { numbers, campaignId } = context
    if (from !== undefined) {
      if (!numbers.includes(from)) throw new Refusal('sender_foreign')
      return from
    }
    const fallback = numbers[0]!
    if (numbers.length === 1) return fallback
    return lookUps
      .add(accountId, { campaignId, peer: to })
      .then((last) => (last !== null && numbers.includes(last) ? last : fallback))
  }
}
