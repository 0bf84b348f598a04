// What a send needs to know about its campaign: its limits and numbers. Cached for a second while the campaign can
// send. The accepting statement checks again that it is ACTIVE.

import type { AccountId } from '../../accounts/account.js'
import { getCampaign } from '../../campaigns/campaign-queries.js'
import { checkNotEnded } from '../../campaigns/campaign-state.js'
import { Cache } from '../../kit/cache.js'
import type { Clock } from '../../kit/clock.js'
import { Refusal } from '../../kit/contract/refusal.js'
import type { Queryable } from '../../kit/postgres/db.js'
import type { NumberStatus } from '../../numbers/number.js'
import { findNumber, listCampaignNumbers } from '../../numbers/number-queries.js'
import type { CarrierLimits } from '../lane.js'

const KEPT_MS = 1_000
const KEPT_MAX = 5_000

export interface SendingContext {
  campaignId: string
  limits: CarrierLimits
  /** The default number first, numbers that are not ready last. Never empty. */
  numbers: readonly string[]
  /** Numbers that the provider has not activated. Messages from them wait in the queue. Absent: none. */
  pending?: ReadonlySet<string>
}

interface Owner {
  accountId: AccountId
  campaignId: string
}

interface Known {
  accountId: AccountId
  context: SendingContext
}

export class SendingContexts {
  readonly #db: Queryable
  readonly #clock: Clock
  /** By campaign only, which is faster than by both. The owner is checked on the result. */
  readonly #cache: Cache<string, Known>
  /** The campaign of a number that a send named without its campaign. */
  readonly #owners: Cache<string, Owner>
  /** All messages of a large batch ask at once, so each account has its own. */
  readonly #lookUps = new Cache<string, SendingContext>({ max: KEPT_MAX, keptMs: 0 })

  constructor(db: Queryable, clock: Clock) {
    this.#db = db
    this.#clock = clock
    const options = { max: KEPT_MAX, keptMs: KEPT_MS, nowMs: () => clock.nowMs() }
    this.#cache = new Cache(options)
    this.#owners = new Cache(options)
  }

  /** The context if it is cached: most sends of a busy campaign. */
  peek(accountId: AccountId, campaignId: string, from?: string): SendingContext | undefined {
    const cached = this.#cache.peek(campaignId)
    if (cached?.accountId !== accountId) return undefined
    const { context } = cached
    // A number that is not cached may have been bought this second.
    return from === undefined || context.numbers.includes(from) ? context : undefined
  }

  /** Refuses a campaign that is unknown, not ACTIVE, or without a number. */
  async get(accountId: AccountId, campaignId: string, from?: string): Promise<SendingContext> {
    const cached = this.peek(accountId, campaignId, from)
    if (cached) return cached
    const key = `${accountId} ${campaignId}`
    let isFresh = false
    const found = await this.#lookUps.get(key, () => {
      isFresh = true
      return this.#lookUp(accountId, campaignId)
    })
    // Another send had started the lookup, perhaps before the number was bought.
    if (isFresh || from === undefined || found.numbers.includes(from)) return found
    return this.#lookUps.get(key, () => this.#lookUp(accountId, campaignId))
  }

  /** The campaign of a number if it is cached. It may have moved since, so the number is checked in its context. */
  peekCampaign(accountId: AccountId, number: string): string | undefined {
    const owner = this.#owners.peek(number)
    return owner?.accountId === accountId ? owner.campaignId : undefined
  }

  /** The campaign that a number belongs to, as stored now. */
  async campaignOf(accountId: AccountId, number: string): Promise<string> {
    const beganMs = this.#clock.nowMs()
    const found = await findNumber(this.#db, number)
    if (found?.accountId !== accountId) throw new Refusal('campaign_missing')
    const { campaignId } = found
    this.#owners.set(number, { accountId, campaignId }, beganMs)
    return campaignId
  }

  /** Refusals are not cached: the cause may be fixed the next moment, or concern another account only. */
  async #lookUp(accountId: AccountId, campaignId: string): Promise<SendingContext> {
    const beganMs = this.#clock.nowMs()
    const context = await findContext(this.#db, accountId, campaignId)
    this.#cache.set(campaignId, { accountId, context }, beganMs)
    return context
  }
}

async function findContext(
  db: Queryable,
  accountId: AccountId,
  campaignId: string,
): Promise<SendingContext> {
  const campaign = await getCampaign(db, accountId, campaignId)
  checkNotEnded(campaign, 'it can no longer send messages')
  if (campaign.status !== 'ACTIVE') {
    throw new Refusal(
      'campaign_state',
      `The campaign is ${campaign.status}. Only an ACTIVE campaign can send messages`,
    )
  }
  const numbers = await listCampaignNumbers(db, accountId, campaignId)
  const inState = (expected: NumberStatus) =>
    numbers.flatMap(({ status, phoneNumber }) => (status === expected ? [phoneNumber] : []))
  const pending = inState('PENDING')
  const usable = [...inState('ACTIVE'), ...pending]
  if (usable.length === 0) throw new Refusal('campaign_numberless')
  return {
    campaignId,
    limits: campaign,
    numbers: usable,
    ...(pending.length > 0 && { pending: new Set(pending) }),
  }
}
