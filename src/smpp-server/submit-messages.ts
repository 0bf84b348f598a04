// Submits: the same checks, prices, limits, and opt-outs as POST /v1/message/send, by the same functions. Only
// messages that are stored and paid for, or stored parts, are acknowledged.

import { hashRequest } from '../accounts/idempotency.js'
import { isBindAlive } from '../accounts/smpp-bind-queries.js'
import { asRefusal } from '../http/failure-replies.js'
import { createRateLimiter, type RateLimiter } from '../http/rate-limit.js'
import { Cache } from '../kit/cache.js'
import { Refusal } from '../kit/contract/refusal.js'
import type { Check } from '../kit/contract/validation.js'
import type { World } from '../kit/world.js'
import { replayOf } from '../messages/send/accept-messages.js'
import type { IdempotencyKey } from '../messages/send/accept-queries.js'
import { createSendCheck } from '../messages/send/check-send.js'
import type { SendInput } from '../messages/send/compose-message.js'
import { idOrRefusal, type SendMessage } from '../messages/send/send-message.js'
import { findNumber } from '../numbers/number-queries.js'
import type { SubmitPdu } from '../smpp/pdu/pdu.js'
import type { PartFacts } from '../smpp/text/user-data-header.js'
import { endSet, joinedText, REFUSED, type StoreContext, storePart } from './join-parts.js'
import { deleteParts, markSetDone, type SubmittedPart } from './part-queries.js'
import { readSubmit, type Submit } from './read-submit.js'
import { metadataOf } from './receipt-request.js'
import { isTemporary, type No, noOf } from './refusal-status.js'
import type { Bind, System } from './system.js'

export interface CustomerSubmitDeps {
  send: SendMessage
  /** Submits per second for an account without its own limit. 0: no limit. */
  perSecond: number
}

const KEPT_MS = 1_000
const KEPT_MAX = 5_000
/** The burst, in seconds of the rate. */
const BURST_SECONDS = 2
const RATES_MAX = 1_000
/** One line per account and minute, because a client that is too fast is throttled thousands of times. */
const LOGGED_MS = 60_000

/** The response to a submit. */
export type Submitted = { id: string } | No

export class Submitter {
  readonly #world: World
  readonly #deps: CustomerSubmitDeps
  readonly #check: Check
  /** The campaigns of sending numbers, so most submits need no lookup. */
  readonly #campaigns: Cache<string, string | null>
  /** By rate. */
  readonly #limiters = new Cache<number, RateLimiter>({ max: RATES_MAX })
  readonly #throttled: Cache<string, true>

  constructor(world: World, deps: CustomerSubmitDeps) {
    this.#world = world
    this.#deps = deps
    this.#check = createSendCheck(world.config)
    const { clock } = world
    const nowMs = () => clock.nowMs()
    this.#campaigns = new Cache({ max: KEPT_MAX, keptMs: KEPT_MS, nowMs })
    this.#throttled = new Cache({ max: KEPT_MAX, keptMs: LOGGED_MS, nowMs })
  }

  /** Never rejects. */
  async submit(bind: Pick<Bind, 'id' | 'system'>, pdu: SubmitPdu): Promise<Submitted> {
    const { clock, log } = this.#world
    try {
      this.#countSubmit(bind.system)
      const submit = readSubmit(pdu, bind.system, clock.now())
      if ('status' in submit) return submit
      await this.#nameCampaign(bind.system, submit.input)
      // Nobody could receive them: no bind of such a token receives.
      if (!bind.system.scopes.includes('read')) submit.receipt = 0
      if (submit.part) return await this.#submitPart(bind, submit, submit.part)
      return { id: await this.#send(bind.system, submit) }
    } catch (error) {
      return noOf(asRefusal(error, bind.id, log))
    }
  }

  #countSubmit({ accountId, tokenId, limits }: System): void {
    const perSecond = limits.submitsPerSecond ?? this.#deps.perSecond
    if (this.#limiterOf(perSecond).take(accountId)?.isAllowed !== false) return
    if (this.#throttled.peek(accountId) === undefined) {
      const text = 'SMPP submits are throttled: the account is over its rate'
      this.#world.log.warn({ token: tokenId, perSecond }, text)
      this.#throttled.set(accountId, true)
    }
    throw new Refusal('rate_limited', 'Too many submits a second: slow down and submit it again')
  }

  #limiterOf(perSecond: number): RateLimiter {
    const existing = this.#limiters.peek(perSecond)
    if (existing) return existing
    const limiter = createRateLimiter(perSecond, Math.max(1, perSecond * BURST_SECONDS))
    this.#limiters.set(perSecond, limiter)
    return limiter
  }

  /**
   * The same lookup as the send's, cached for a second. A number of another account is left for the send to
   * refuse.
   */
  async #nameCampaign({ accountId }: System, input: SendInput): Promise<void> {
    const { campaign, from } = input
    if (campaign !== undefined || from === undefined) return
    const found = await this.#campaigns.get(`${accountId} ${from}`, async () => {
      const number = await findNumber(this.#world.db, from)
      return number?.accountId === accountId ? number.campaignId : null
    })
    if (found !== null) input.campaign = found
  }

  async #send(system: System, submit: Submit): Promise<string> {
    const { input, receipt, reference, key } = submit
    const { systemId, accountId } = system
    const metadata = metadataOf({ systemId, receipt, reference, set: null })
    const whole = { ...input, metadata }
    const refusal = this.#check(whole)
    if (refusal) throw refusal
    // Relative times differ in a repeat. The key stands for the text and the recipient.
    const content = JSON.stringify([input.to, input.from, input.body, receipt])
    const once = key === null ? null : { key, requestHash: hashRequest('SMPP', systemId, content) }
    return idOrRefusal(await this.#deps.send(accountId, whole, once)).id
  }

  async #submitPart(
    { id: bindId, system }: Pick<Bind, 'id' | 'system'>,
    submit: Submit,
    { reference, total, sequence }: PartFacts,
  ): Promise<Submitted> {
    const { db, clock } = this.#world
    const { accountId, tokenId } = system
    const { input, sender, receipt } = submit
    // A part may be blank. The whole message is checked again.
    const refusal = this.#check({ ...input, body: 'part' })
    if (refusal) throw refusal
    const key = { accountId, tokenId, sender, peer: input.to, reference }
    const part = { ...key, sequence, total, body: input.body, receipt, bindId }
    const moment: StoreContext = {
      now: clock.now(),
      isBindAlive: (tx, id) => isBindAlive(tx, { accountId, id }, clock.machineNow()),
    }
    const stored = await db.transaction((tx) => storePart(tx, part, moment), { accountId })
    if (stored.kind === 'answered') return { id: stored.id }
    return this.#sendWhole(system, submit, stored.parts, sequence)
  }

  /** Once, however often its last part arrives: the set's ID is the key. */
  async #sendWhole(
    system: System,
    submit: Submit,
    parts: readonly SubmittedPart[],
    last: number,
  ): Promise<Submitted> {
    const { db } = this.#world
    const { accountId, systemId } = system
    const first = parts[0]!
    const others = parts.filter(({ sequence }) => sequence !== last)
    const set = {
      id: first.setId,
      parts: others.map(({ sequence, receipt }) => ({ sequence, flags: receipt })),
    }
    const { receipt, reference } = submit
    const metadata = metadataOf({ systemId, receipt, reference, set })
    const input = { ...submit.input, body: joinedText(parts), metadata }
    try {
      const refusal = this.#check(input)
      if (refusal) throw refusal
      const { id } = idOrRefusal(await this.#deps.send(accountId, input, onceOfSet(first.setId)))
      await markSetDone(db, first, id)
      return { id }
    } catch (error) {
      return this.#refuseWhole(parts, last, error)
    }
  }

  /** If it may be accepted later, it waits for its last part to arrive again. Otherwise it ends here. */
  async #refuseWhole(
    parts: readonly SubmittedPart[],
    last: number,
    error: unknown,
  ): Promise<Submitted> {
    const { db, clock, log } = this.#world
    const no = noOf(asRefusal(error, parts[0]!.setId, log))
    if (isTemporary(no)) await deleteParts(db, parts[0]!, last)
    else await db.transaction((tx) => endSet(tx, parts, REFUSED, clock.now(), last))
    return no
  }
}

function onceOfSet(setId: string): IdempotencyKey {
  return { key: `smpp:${setId}`, requestHash: hashRequest('SMPP', 'parts', setId) }
}

/** The message that a set has become, if recording it failed. Null: none. */
export async function findMessageOfSet(
  world: World,
  { accountId, setId }: Pick<SubmittedPart, 'accountId' | 'setId'>,
): Promise<string | null> {
  const found = await replayOf(world, accountId, onceOfSet(setId), world.clock.now())
  return found && !(found instanceof Refusal) ? found.id : null
}
