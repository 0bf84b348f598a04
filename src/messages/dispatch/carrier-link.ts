// Whether this process's dispatcher can reach the carrier. While it cannot, nothing is claimed and no attempt is
// used. When it can again, the queue continues automatically, oldest message first.

import assert from 'node:assert/strict'
import { elapsedMs } from '../../kit/clock.js'
import type { World } from '../../kit/world.js'
import type { CarrierIdentity, SubmitAnswer, SubmitPort } from '../carrier-port.js'
import type { Span } from '../validity.js'

/** A link that reports up but responds as down is checked again after this time. */
const ASK_AGAIN_MS = 2_000

export class CarrierLink {
  readonly #carrier: CarrierIdentity & Pick<SubmitPort, 'isUp'>
  readonly #world: Pick<World, 'clock' | 'log'>
  #downSince: Date | null = null
  /** When to try with a message after such a response, because the link itself cannot tell. */
  #askAtMs: number | null = null
  #lastOutage: Span | null = null

  constructor(
    carrier: CarrierIdentity & Pick<SubmitPort, 'isUp'>,
    world: Pick<World, 'clock' | 'log'>,
  ) {
    this.#carrier = carrier
    this.#world = world
  }

  get downSince(): Date | null {
    return this.#downSince
  }

  /** Messages that were due then have waited for the link. */
  get lastOutage(): Span | null {
    return this.#lastOutage
  }

  /** Whether nothing should be submitted right now. */
  get isDown(): boolean {
    if (this.#downSince === null) return false
    return this.#askAtMs === null || elapsedMs() < this.#askAtMs
  }

  /** One lane is enough to find out. */
  get isAsking(): boolean {
    return this.#downSince !== null && !this.isDown
  }

  look(): void {
    if (this.#carrier.isUp?.() === false) this.#lose(null)
    else if (this.#downSince !== null && this.#askAtMs === null) this.#find()
  }

  /** The link's responses to submitted messages, some of them possibly from before the outage. */
  learn(answers: readonly SubmitAnswer[]): void {
    // A message that never left proves nothing.
    if (answers.every((answer) => answer.kind === 'window_missed')) return
    if (answers.some((answer) => answer.kind === 'down' && !answer.isElsewhereUp))
      this.#lose(elapsedMs() + ASK_AGAIN_MS)
    else if (this.isAsking) this.#find()
  }

  #lose(askAtMs: number | null): void {
    this.#askAtMs = askAtMs
    if (this.#downSince !== null) return
    this.#downSince = this.#world.clock.now()
    if (this.#carrier.isAbsent) return // the startup log reports this
    this.#world.log.warn({ carrier: this.#carrier.name }, 'carrier link is down: messages wait')
  }

  #find(): void {
    assert.ok(this.#downSince, 'the link is not lost')
    const { clock, log } = this.#world
    this.#lastOutage = [this.#downSince.getTime(), clock.nowMs()]
    this.#downSince = null
    this.#askAtMs = null
    log.info({ carrier: this.#carrier.name }, 'carrier link is up again')
  }
}
