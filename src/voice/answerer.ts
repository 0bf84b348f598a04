// What every listener asks: who sent this, what is the answer, and what is counted of it. The answer itself is
// made by sip/, from the numbers in memory; nothing here waits.

import { elapsedMs } from '../kit/clock.js'
import { type Answered, answerMessage, type Outcome } from '../sip/answer/answer-message.js'
import { LoadShedder } from '../sip/answer/load-shedder.js'
import { TrunkFinder, type TrunkSettings } from '../sip/answer/trunk.js'
import type { FindTarget, ForwardingPolicy } from '../sip/forwarding/judge-forwarding.js'
import type { Source } from '../sip/message/via.js'
import type { SipMeter } from './sip-meter.js'

/** How long a peer keeps away that was told that we are too busy. */
const RETRY_AFTER_SECONDS = 5

export interface AnswererSettings {
  find: FindTarget
  policy: ForwardingPolicy
  /** Shared by all nodes. */
  key: Buffer
  callsPerSecond: number
  trunks: readonly TrunkSettings[]
  meter: SipMeter
  onAnswered: (answered: Answered) => void
}

export class Answerer {
  readonly #settings: AnswererSettings
  readonly #answering: Parameters<typeof answerMessage>[3]
  #trunks: TrunkFinder

  constructor(settings: AnswererSettings) {
    const { find, policy, key, callsPerSecond, trunks } = settings
    const shedder = new LoadShedder(callsPerSecond, RETRY_AFTER_SECONDS)
    this.#settings = settings
    this.#answering = { find, policy, key: key.toString('base64'), shedder }
    this.#trunks = new TrunkFinder(trunks)
  }

  /** From now on. */
  useTrunks(trunks: readonly TrunkSettings[]): void {
    this.#trunks = new TrunkFinder(trunks)
  }

  /** Whether a connection from there may be opened. One that may not is counted as a stranger. */
  allows(source: Pick<Source, 'transport' | 'address'>): boolean {
    if (this.#trunks.find(source.address) !== null) return true
    this.#settings.meter.count(source, null)
    return false
  }

  /** Null: from a source that no trunk names. It gets no answer at all. */
  answer(octets: Buffer, source: Source): Outcome | null {
    const trunk = this.#trunks.find(source.address)
    const outcome = trunk && this.answerFor(trunk, octets, source)
    this.#settings.meter.count(source, outcome)
    return outcome
  }

  /** As it would be answered had it come by this trunk. */
  answerFor(trunk: TrunkSettings, octets: Buffer, source: Source): Outcome {
    const outcome = answerMessage(octets, source, trunk, this.#answering, elapsedMs())
    if (outcome.kind === 'answered') this.#settings.onAnswered(outcome)
    return outcome
  }
}
