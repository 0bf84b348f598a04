// Shared by all listeners: finds the trunk of a message, gets its answer, and counts it. The module sip/ computes the
// answer from the numbers in memory; nothing here waits.

import { elapsedMs } from '../kit/clock.js'
import { answerMessage, type SipAnswer, type SipOutcome } from '../sip/answer/answer-message.js'
import { LoadShedder } from '../sip/answer/load-shedder.js'
import { TokenBucket } from '../sip/answer/token-bucket.js'
import { TrunkFinder, type TrunkSettings } from '../sip/answer/trunk.js'
import type { FindTarget, ForwardingPolicy } from '../sip/forwarding/forwarding-policy.js'
import type { Source } from '../sip/message/via.js'
import type { CallLimits } from './call-limits.js'
import type { ConnectionShare } from './listener.js'
import type { SipMeter } from './sip-meter.js'

/** Retry-After for a peer while we are overloaded. */
const RETRY_AFTER_SECONDS = 5
/**
 * A call takes two messages, INVITE and ACK, and some are repeated or canceled. If a trunk sends more than this per
 * allowed call, its messages are not read: refusing a message costs as much as answering it.
 */
const MESSAGES_PER_CALL = 4
const PAUSE_MS_MAX = 1_000
const DROPPED: SipOutcome = { kind: 'ignored' }

export interface AnswererSettings {
  find: FindTarget
  policy: ForwardingPolicy
  /** Shared by all nodes. */
  key: Buffer
  callsPerSecond: number
  trunks: readonly TrunkSettings[]
  meter: SipMeter
  /** Null: no limits for numbers and accounts, and no daily limits. */
  limits: CallLimits | null
  onAnswered: (answered: SipAnswer) => void
}

export class Answerer {
  readonly #settings: AnswererSettings
  readonly #answering: Parameters<typeof answerMessage>[3]
  readonly #shedder: LoadShedder
  #trunks: TrunkFinder
  #trunkCount = 0
  /** How many messages may be read from each trunk, by name. */
  #messages = new Map<string, TokenBucket>()

  constructor(settings: AnswererSettings) {
    const { find, policy, key, callsPerSecond, trunks, limits } = settings
    const shedder = new LoadShedder(callsPerSecond, RETRY_AFTER_SECONDS)
    const refuse = (trunk: TrunkSettings, nowMs: number) =>
      limits?.refuseTrunk(trunk) ?? shedder.refuse(trunk, nowMs)
    this.#settings = settings
    this.#shedder = shedder
    const keyText = key.toString('base64')
    this.#answering = { find, policy, key: keyText, shedder: { refuse }, limiter: limits }
    this.#trunks = new TrunkFinder([])
    this.useTrunks(trunks)
  }

  /** Replaces the trunks. */
  useTrunks(trunks: readonly TrunkSettings[]): void {
    const { callsPerSecond } = this.#settings
    this.#trunks = new TrunkFinder(trunks)
    this.#trunkCount = trunks.length
    this.#shedder.useTrunks(trunks)
    this.#messages = new Map(
      trunks.map(({ name, limits }) => {
        const calls = Math.min(callsPerSecond, limits.callsPerSecond || callsPerSecond)
        return [name, new TokenBucket(Math.max(10, calls) * MESSAGES_PER_CALL)]
      }),
    )
  }

  /** Null: nobody from there may connect. Counted as a stranger. */
  shareOf(source: Pick<Source, 'transport' | 'address'>): ConnectionShare | null {
    const trunk = this.#trunks.find(source.address)
    if (trunk !== null) return { trunk: trunk.name, trunks: this.#trunkCount }
    this.#settings.meter.count(source, null)
    return null
  }

  /** Null: the source belongs to no trunk and gets no answer. */
  answer(bytes: Buffer, source: Source): SipOutcome | null {
    const trunk = this.#trunks.find(source.address)
    const nowMs = elapsedMs()
    if (trunk !== null && !this.#reads(trunk, source, nowMs)) {
      this.#settings.meter.drop(source)
      return DROPPED
    }
    const outcome = trunk && this.answerFor(trunk, bytes, source, nowMs)
    this.#settings.meter.count(source, outcome)
    return outcome
  }

  /** How long to pause reading from a connection, because its trunk sends too much. */
  pauseMs({ address }: Source): number {
    const trunk = this.#trunks.find(address)
    const messages = trunk && this.#messages.get(trunk.name)
    return messages ? Math.min(PAUSE_MS_MAX, messages.waitMs(elapsedMs())) : 0
  }

  /** The answer to a message as if it came from this trunk. */
  answerFor(
    trunk: TrunkSettings,
    bytes: Buffer,
    source: Source,
    nowMs: number = elapsedMs(),
  ): SipOutcome {
    const outcome = answerMessage(bytes, source, trunk, this.#answering, nowMs)
    if (outcome.kind === 'answered') this.#settings.onAnswered(outcome)
    return outcome
  }

  /** A datagram over the limit is dropped unread: its sender repeats it. Messages on a connection are only delayed. */
  #reads({ name }: TrunkSettings, { transport }: Source, nowMs: number): boolean {
    const messages = this.#messages.get(name)
    if (!messages) return true
    if (transport === 'udp') return messages.take(nowMs)
    messages.owe(nowMs)
    return true
  }
}
