// Chooses the number that a message is sent from: the requested one, else the one that this recipient last
// exchanged messages with, else the default.

import type { AccountId } from '../../accounts/account.js'
import { KeyedBatchWriter } from '../../kit/batch-writer.js'
import { Refusal } from '../../kit/contract/refusal.js'
import type { Queryable } from '../../kit/postgres/db.js'
import { findLastNumbers } from '../message-queries.js'
import type { SendingContext } from './sending-context.js'

export class SenderChoice {
  readonly #lookUps: KeyedBatchWriter<{ campaignId: string; peer: string }, string | null>

  constructor(db: Queryable) {
    this.#lookUps = new KeyedBatchWriter({
      batchMax: 500,
      write: (accountId, lookups) => findLastNumbers(db, accountId, lookups),
    })
  }

  /** If nothing has to be looked up. Refuses a number that is not the campaign's. */
  peek({ numbers }: SendingContext, from: string | undefined): string | undefined {
    if (from === undefined) return numbers.length === 1 ? numbers[0] : undefined
    if (!numbers.includes(from)) throw new Refusal('sender_foreign')
    return from
  }

  async get(
    accountId: AccountId,
    context: SendingContext,
    to: string,
    from: string | undefined,
  ): Promise<string> {
    const cached = this.peek(context, from)
    if (cached !== undefined) return cached
    const { numbers, campaignId } = context
    const last = await this.#lookUps.add(accountId, { campaignId, peer: to })
    return last !== null && numbers.includes(last) ? last : numbers[0]!
  }
}
