// Estimates when recent parts reached the carrier. A per-second limit applies by the carrier's clock, and network
// delay can turn an even stream into a burst. A part arrives between its send and its response. If a response took
// longer than the fastest ones, the part may have arrived late by the difference. Until enough responses are known,
// a part counts as late as its response. A faster response corrects earlier estimates. A connection keeps its
// order, so a response also shows that everything sent before it has arrived.

interface Entry {
  sentAt: number
  /** When its response arrived, or when it was abandoned. Null: neither yet. */
  endedAt: number | null
  isAnswered: boolean
  /** The connection. Null: not sent yet. */
  lane: object | null
}

const WINDOW_MS = 1_000
/** Margin for timers and clocks with millisecond resolution. */
const MARGIN_MS = 10
/** A part without a response counts as in transit for at most this long. */
const OVERDUE_MAX_MS = 5_000
/** A part that was permitted but neither sent nor reported as unused counts for this long. */
const UNSENT_MAX_MS = 10_000
/** The connection may become faster than the fastest responses so far by this much. */
const QUICKER_MS = 50
/** The fastest of fewer responses, or of a shorter time, means nothing. */
const SAMPLES_MIN = 20
const SAMPLED_MS_MIN = 5_000
/** How often to check for overdue responses. */
const POLL_MS = 10
/**
 * The fastest response is taken from the last one or two of these periods. A period with too few responses lasts
 * longer.
 */
const QUICKEST_MS = 30_000

export class ArrivalLog {
  /** Parts that may be in the carrier's last second, oldest first. */
  #entries: Entry[] = []
  #head = 0
  /** Permitted but not sent yet, oldest first. */
  #unsent: Entry[] = []
  readonly #byToken = new Map<unknown, Entry>()
  /** Unanswered, oldest first, by connection. */
  readonly #lanes = new Map<object, Entry[]>()
  #quickest = Number.POSITIVE_INFINITY
  #quickestBefore = Number.POSITIVE_INFINITY
  #quickestSince: number | null = null
  #samples = 0
  #sortedAt = Number.NEGATIVE_INFINITY

  /** Zero if the carrier's last second has fewer than `max`. Otherwise the milliseconds until the next try. */
  waitMs(max: number, now: number): number {
    this.#dropFree(now)
    if (this.#size >= max && now - this.#sortedAt >= POLL_MS) this.#sortOut(now)
    if (this.#size < max) return 0
    const blocking = this.#entries[this.#head + this.#size - max]!
    return Math.max(1, Math.ceil(this.#freeAt(blocking, now) - now))
  }

  /** How many may be in the carrier's last second or are still in transit. */
  recent(now: number): number {
    this.#sortOut(now)
    return this.#size
  }

  /** A part is about to be sent. */
  add(now: number): void {
    this.#unsent.push(this.#append(now))
  }

  #append(now: number): Entry {
    const entry = { sentAt: now, endedAt: null, isAnswered: false, lane: null }
    this.#entries.push(entry)
    return entry
  }

  /** A permitted part is not sent after all. */
  unused(): void {
    const entry = this.#unsent.pop()
    if (entry) entry.endedAt = Number.NEGATIVE_INFINITY
  }

  /** A permitted part was sent over this connection. */
  left(token: unknown, lane: object, now: number): void {
    const waiting = this.#unsent.shift()
    // A part that waited too long was no longer counted. Count it again.
    const isCounted = waiting !== undefined && now < waiting.sentAt + UNSENT_MAX_MS
    const entry = isCounted ? waiting : this.#append(now)
    entry.sentAt = now
    entry.lane = lane
    this.#byToken.set(token, entry)
    const open = this.#lanes.get(lane)
    if (open) open.push(entry)
    else this.#lanes.set(lane, [entry])
  }

  /** A response arrived: this part has arrived, and so has everything sent before it over the same connection. */
  answered(token: unknown, now: number): void {
    const entry = this.#byToken.get(token)
    if (entry === undefined) return
    this.#byToken.delete(token)
    this.#notice(now - entry.sentAt, now)
    this.#settle(entry, now, true)
  }

  /** No response arrived, or none will. */
  lost(token: unknown, now: number): void {
    const entry = this.#byToken.get(token)
    if (entry === undefined) return
    this.#byToken.delete(token)
    this.#settle(entry, now, false)
  }

  get #size(): number {
    return this.#entries.length - this.#head
  }

  #drop(): void {
    this.#head += 1
    if (this.#head < 1_024 || this.#head * 2 < this.#entries.length) return
    this.#entries = this.#entries.slice(this.#head)
    this.#head = 0
  }

  #dropFree(now: number): void {
    while (this.#size > 0 && this.#freeAt(this.#entries[this.#head]!, now) <= now) this.#drop()
  }

  /** A late part, or a stuck connection, must not delay parts that arrived before it. */
  #sortOut(now: number): void {
    this.#sortedAt = now
    const open = this.#entries.slice(this.#head)
    this.#entries = open.filter((entry) => this.#freeAt(entry, now) > now)
    this.#head = 0
    this.#unsent = this.#unsent.filter(({ sentAt }) => now < sentAt + UNSENT_MAX_MS)
  }

  #settle(entry: Entry, now: number, hasArrived: boolean): void {
    const open = entry.lane && this.#lanes.get(entry.lane)
    const index = open ? open.indexOf(entry) : -1
    if (!open || index < 0) return
    const settled = hasArrived ? open.splice(0, index + 1) : open.splice(index, 1)
    if (open.length === 0) this.#lanes.delete(entry.lane!)
    for (const one of settled) Object.assign(one, { endedAt: now, isAnswered: hasArrived })
  }

  /** The time after which it is certainly not in the carrier's last second. */
  #freeAt({ sentAt, endedAt, isAnswered, lane }: Entry, now: number): number {
    const freeAfter = WINDOW_MS + MARGIN_MS
    if (endedAt !== null) {
      const arrivedBy = isAnswered ? Math.max(sentAt, endedAt - this.#wayMs(now)) : endedAt
      return Math.min(arrivedBy, sentAt + OVERDUE_MAX_MS) + freeAfter
    }
    if (lane === null) return now < sentAt + UNSENT_MAX_MS ? now + POLL_MS : now
    const soonest = sentAt + freeAfter
    if (now < soonest) return soonest
    return now < soonest + OVERDUE_MAX_MS ? now + POLL_MS : soonest
  }

  /** The minimum round trip, as far as responses show it. */
  #wayMs(now: number): number {
    const isShown = this.#quickestBefore < Number.POSITIVE_INFINITY || this.#hasSamples(now)
    if (!isShown) return 0
    return Math.max(0, Math.min(this.#quickest, this.#quickestBefore) - QUICKER_MS)
  }

  #hasSamples(now: number): boolean {
    const since = this.#quickestSince ?? now
    return this.#samples >= SAMPLES_MIN && now - since >= SAMPLED_MS_MIN
  }

  #notice(ms: number, now: number): void {
    this.#quickestSince ??= now
    if (now - this.#quickestSince >= QUICKEST_MS && this.#hasSamples(now)) {
      this.#quickestBefore = this.#quickest
      this.#quickest = Number.POSITIVE_INFINITY
      this.#quickestSince = now
      this.#samples = 0
    }
    this.#quickest = Math.min(this.#quickest, ms)
    this.#samples += 1
  }
}
