// Numbers that a link's carrier refuses as senders, as known to this process. Nothing is sent from such a number
// for a minute. Then a message shows whether it is accepted again. Other numbers of the link are not affected.

import type { World } from '../../kit/world.js'
import type { Failed, SubmitAnswer } from '../../messages/carrier-port.js'
import { SENDER_REFUSED } from '../../messages/message-errors.js'
import { flagSender, type SenderRefusal } from '../../numbers/refuse-sender.js'
import { listRefusedSenders } from '../../numbers/refused-sender-queries.js'

const HOLD_MS = 60_000
const SENDERS_MAX = 1_000
const WRITES_PER_STEP = 50
const REASON_LENGTH_MAX = 200

type Deps = Pick<World, 'db' | 'clock' | 'log' | 'hints'>

export class RefusedSenders {
  readonly #world: Deps
  /** By link and number. */
  #refusals = new Map<string, SenderRefusal>()
  /** To be written, by number: a refusal, or null if the number was accepted. */
  readonly #unwritten = new Map<string, SenderRefusal | null>()

  constructor(world: Deps) {
    this.#world = world
  }

  /** The answer to a message from this number, without asking the carrier. Null: it may be tried. */
  refusalOf(link: string, number: string): Failed | null {
    if (this.#refusals.size === 0) return null
    const refusal = this.#refusals.get(`${link} ${number}`)
    if (!refusal || refusal.until <= this.#world.clock.now()) return null
    return {
      ...{ kind: 'failed', errorCode: SENDER_REFUSED, concerns: 'sender' },
      carrierCode: `${refusal.reason}, just before`,
    }
  }

  note(link: string, number: string, answer: SubmitAnswer | undefined): void {
    if (answer?.kind === 'sent') this.accept(link, number)
    else if (answer?.kind === 'failed' && answer.concerns === 'sender') {
      this.refuse(link, number, answer.carrierCode ?? 'without a code')
    }
  }

  refuse(link: string, number: string, reason: string): void {
    const until = new Date(this.#world.clock.nowMs() + HOLD_MS)
    const refusal = { link, reason: reason.slice(0, REASON_LENGTH_MAX), until }
    if (this.#refusals.size < SENDERS_MAX) this.#refusals.set(`${link} ${number}`, refusal)
    this.#unwritten.set(number, refusal)
    this.#world.hints.notify('links')
  }

  accept(link: string, number: string): void {
    if (!this.#refusals.delete(`${link} ${number}`)) return
    this.#unwritten.set(number, null)
    this.#world.hints.notify('links')
  }

  /** Writes what this process learned, and reads what others or an operator changed. */
  async follow(): Promise<void> {
    const { db } = this.#world
    await this.#writeDown()
    const listed = await listRefusedSenders(db, SENDERS_MAX)
    const refusals = new Map(
      listed.map(({ link, phoneNumber, reason, until }) => [
        `${link} ${phoneNumber}`,
        { link, reason, until },
      ]),
    )
    for (const [number, refusal] of this.#unwritten) {
      if (refusal) refusals.set(`${refusal.link} ${number}`, refusal)
    }
    this.#refusals = refusals
  }

  async #writeDown(): Promise<void> {
    const { db, clock, log, hints } = this.#world
    for (const [number, refusal] of [...this.#unwritten].slice(0, WRITES_PER_STEP)) {
      const isDone = await db.transaction((tx) => flagSender(tx, number, refusal, clock.now()))
      if (this.#unwritten.get(number) === refusal) this.#unwritten.delete(number)
      if (!isDone) continue
      hints.notify('deliveries')
      if (refusal)
        log.warn({ link: refusal.link, code: refusal.reason }, 'the carrier refuses a sender')
    }
  }
}
