// One running link of a set: whether it can be used, which messages it still has to settle, and how it stops. A
// link that was down is used again once it has been up for a while, or sooner if no other link can take the
// message.

import { elapsedMs } from '../../kit/clock.js'
import type {
  Carrier,
  CarrierListener,
  LinkStatus,
  Submission,
  SubmitAnswer,
} from '../../messages/carrier-port.js'
import type { LinkSettings } from '../settings/carrier-settings.js'
import type { LinkGate } from './link-gate.js'

export type LinkReadiness = 'ready' | 'settling' | 'down'

export class RunningLink {
  readonly carrier: Carrier
  readonly #gate: LinkGate | null
  #settings: LinkSettings
  #isStarted = false
  #underWay = 0
  #idle: (() => void)[] = []
  /** Accepts nothing more. */
  #isClosed = false
  #wasUp = false
  #upSinceMs: number | null = null
  #stopping: Promise<void> | null = null

  constructor(settings: LinkSettings, carrier: Carrier, gate: LinkGate | null = null) {
    this.#settings = settings
    this.carrier = carrier
    this.#gate = gate
  }

  get settings(): LinkSettings {
    return this.#settings
  }

  /** The settings that can change without a new link: how it recovers, and how it leaves. */
  follow(settings: LinkSettings): void {
    this.#settings = settings
    void settings.tune?.(this.carrier) // never rejects
  }

  get name(): string {
    return this.settings.name
  }

  get isUp(): boolean {
    return this.#isStarted && (this.carrier.isUp?.() ?? true)
  }

  get isClosed(): boolean {
    return this.#isClosed
  }

  /** Checks the link. Its state since the last check is all that is known. */
  readiness(nowMs = elapsedMs()): LinkReadiness {
    if (!this.isUp) {
      this.#upSinceMs = null
      return 'down'
    }
    // At its first start, there was no outage to recover from.
    this.#upSinceMs ??= this.#wasUp ? nowMs : Number.NEGATIVE_INFINITY
    this.#wasUp = true
    // A paused link may still be up: it receives, and is used again as soon as it resumes.
    if (this.#isClosed || this.#gate?.isOpen === false) return 'down'
    return nowMs - this.#upSinceMs >= this.settings.failbackMs ? 'ready' : 'settling'
  }

  async start(listener: CarrierListener): Promise<void> {
    await this.carrier.start(listener)
    this.#isStarted = true
  }

  /** Never rejects. If a link breaks its promise, the outcome of its messages is unknown. */
  async submit(
    submissions: readonly Submission[],
    onFault: (error: unknown) => void,
  ): Promise<SubmitAnswer[]> {
    this.#underWay += 1
    try {
      const submit = (some: readonly Submission[]) => this.carrier.submit(some)
      const answers = await (this.#gate
        ? this.#gate.pass(submissions, submit)
        : submit(submissions))
      return submissions.map((_, i) => this.#marked(answers[i]))
    } catch (error) {
      onFault(error)
      return submissions.map(() => this.#marked(undefined))
    } finally {
      this.#underWay -= 1
      if (this.#underWay === 0) for (const resolve of this.#idle.splice(0)) resolve()
    }
  }

  #marked(answer: SubmitAnswer | undefined): SubmitAnswer {
    if (!answer) return { kind: 'unknown', detail: 'the link gave no answer', link: this.name }
    if (answer.kind === 'down') this.#upSinceMs = null
    if (answer.kind !== 'sent' && answer.kind !== 'unknown') return answer
    return { ...answer, link: this.name }
  }

  /** Accepts nothing more. Resolves when everything it accepted is settled. */
  async close(): Promise<void> {
    this.#isClosed = true
    if (this.#underWay === 0) return
    await new Promise<void>((resolve) => this.#idle.push(resolve))
  }

  /** All callers share the same end. */
  stop(): Promise<void> {
    this.#isClosed = true
    this.#stopping ??= this.carrier.stop()
    return this.#stopping
  }

  statuses(): LinkStatus[] {
    const { name: link, kind } = this.#settings
    const paused = this.#gate && { isPaused: this.#gate.pause !== null }
    const links = this.carrier.links?.() ?? []
    const own = links.map((status) => ({ ...status, ...paused, link, kind }))
    return this.#isClosed ? own.map((status) => ({ ...status, detail: LEAVING })) : own
  }
}

const LEAVING = 'leaving: finishes what it has, and takes late receipts'
