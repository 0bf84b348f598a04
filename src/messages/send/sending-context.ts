// What a send needs to know of its campaign: its limits and its numbers. Kept for a second while the
// campaign can send; whether it is ACTIVE is checked again by the statement that accepts.

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
  /** The default number first, those that are not ready last. Never empty. */
  numbers: readonly string[]
  /** Those on their way from a provider: what is sent from them waits in the queue. Absent: none. */
  pending?: ReadonlySet<string>
}

interface Known {
  accountId: AccountId
  context: SendingContext
}

export class SendingContexts {
  readonly #db: Queryable
  readonly #clock: Clock
  /** By campaign alone, which is quicker than by both: whose it is, is asked of what is found. */
  readonly #known: Cache<string, Known>
  /** All messages of a large batch ask at once, and each account for itself. */
  readonly #lookUps = new Cache<string, SendingContext>({ max: KEPT_MAX, keptMs: 0 })

  constructor(db: Queryable, clock: Clock) {
    this.#db = db
    this.#clock = clock
    this.#known = new Cache({ max: KEPT_MAX, keptMs: KEPT_MS, nowMs: () => clock.nowMs() })
  }

  /** The context where it is known: most sends of a busy campaign. */
  peek(accountId: AccountId, campaignId: string, from?: string): SendingContext | undefined {
    const known = this.#known.peek(campaignId)
    if (known?.accountId !== accountId) return undefined
    const { context } = known
    // A number that is not among the kept ones may have been bought this second.
    return from === undefined || context.numbers.includes(from) ? context : undefined
  }

  /** Refuses a campaign that is unknown, not ACTIVE, or without a number. */
  async get(accountId: AccountId, campaignId: string, from?: string): Promise<SendingContext> {
    const known = this.peek(accountId, campaignId, from)
    if (known) return known
    const key = `${accountId} ${campaignId}`
    let isFresh = false
    const found = await this.#lookUps.get(key, () => {
      isFresh = true
      return this.#lookUp(accountId, campaignId)
    })
    // Another send had begun to look it up, perhaps before the number was bought.
    if (isFresh || from === undefined || found.numbers.includes(from)) return found
    return this.#lookUps.get(key, () => this.#lookUp(accountId, campaignId))
  }

  /** The campaign that a number belongs to. */
  async campaignOf(accountId: AccountId, number: string): Promise<string> {
    const found = await findNumber(this.#db, number)
    if (found?.accountId !== accountId) throw new Refusal('campaign_missing')
    return found.campaignId
  }

  /** A refusal is not kept: it may be mended the next moment, and need not be the owner's. */
  async #lookUp(accountId: AccountId, campaignId: string): Promise<SendingContext> {
    const beganMs = this.#clock.nowMs()
    const context = await findContext(this.#db, accountId, campaignId)
    this.#known.set(campaignId, { accountId, context }, beganMs)
    return context
  }
}

async function findContext(
  db: Queryable,
  accountId: AccountId,
  campaignId: string,
): Promise<SendingContext> {
  const campaign = await getCampaign(db, accountId, campaignId)
  checkNotEnded(campaign, 'nothing can be sent from it any more')
  if (campaign.status !== 'ACTIVE') {
    throw new Refusal(
      'campaign_state',
      `The campaign is ${campaign.status}: only an ACTIVE campaign can send`,
    )
  }
  const numbers = await listCampaignNumbers(db, accountId, campaignId)
  const inState = (wanted: NumberStatus) =>
    numbers.flatMap(({ status, phoneNumber }) => (status === wanted ? [phoneNumber] : []))
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
