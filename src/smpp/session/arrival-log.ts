// Estimates when recent parts reached the carrier. A per-second limit applies by the carrier's clock, and network
// delay can turn an even stream into a burst. A part arrives between its send and its response. If a response took
// longer than the fastest ones, the part may have arrived late by the difference. Until enough responses are known,
// a part counts as late as its response. A faster response corrects earlier estimates. A connection keeps its
// order, so a response also shows that everything sent before it has arrived.

interface Entry {
  sentAt: number
  /** When its response came, or when it was given up; null: neither yet. */
  endedAt: number | null
  isAnswered: boolean
  /** The connection; null: it has not left yet. */
  lane: object | null
}

const WINDOW_MS = 1_000
/** For timers and clocks that count in milliseconds. */
const MARGIN_MS = 10
/** A part without an answer counts as on its way for this long at most. */
const OVERDUE_MAX_MS = 5_000
/** One that was allowed to leave and does neither that nor is reported as unused counts for this long. */
const UNSENT_MAX_MS = 10_000
/** By this much the way may become quicker than the quickest answers were. */
const QUICKER_MS = 50
/** The quickest of fewer responses, or of a shorter time, says nothing. */
const SAMPLES_MIN = 20
const SAMPLED_MS_MIN = 5_000
/** How often to check for a part that should have been answered. */
const POLL_MS = 10
/** The quickest answer is that of the last one or two of these periods. One with too few responses lasts longer. */
const QUICKEST_MS = 30_000

export class ArrivalLog {
  /** Oldest first: those that may be in the carrier's last second. */
  #entries: Entry[] = []
  #head = 0
  /** Allowed to leave, and not gone yet, oldest first. */
  #unsent: Entry[] = []
  readonly #byToken = new Map<unknown, Entry>()
  /** Unanswered, oldest first, by connection. */
  readonly #lanes = new Map<object, Entry[]>()
  #quickest = Number.POSITIVE_INFINITY
  #quickestBefore = Number.POSITIVE_INFINITY
  #quickestSince: number | null = null
  #samples = 0
  #sortedAt = Number.NEGATIVE_INFINITY

  /** Zero if the carrier's last second has fewer than `max`. Otherwise the milliseconds until it is worth asking again. */
  waitMs(max: number, now: number): number {
    this.#dropFree(now)
    if (this.#size >= max && now - this.#sortedAt >= POLL_MS) this.#sortOut(now)
    if (this.#size < max) return 0
    const blocking = this.#entries[this.#head + this.#size - max]!
    return Math.max(1, Math.ceil(this.#freeAt(blocking, now) - now))
  }

  /** How many may be in the carrier's last second, or are still to arrive. */
  recent(now: number): number {
    this.#sortOut(now)
    return this.#size
  }

  /** One is about to leave. */
  add(now: number): void {
    this.#unsent.push(this.#append(now))
  }

  #append(now: number): Entry {
    const entry = { sentAt: now, endedAt: null, isAnswered: false, lane: null }
    this.#entries.push(entry)
    return entry
  }

  /** One of those does not leave after all. */
  unused(): void {
    const entry = this.#unsent.pop()
    if (entry) entry.endedAt = Number.NEGATIVE_INFINITY
  }

  /** One of those has left, over this connection. */
  left(token: unknown, lane: object, now: number): void {
    const waiting = this.#unsent.shift()
    // One that waited too long was not counted any more: now it is again.
    const isCounted = waiting !== undefined && now < waiting.sentAt + UNSENT_MAX_MS
    const entry = isCounted ? waiting : this.#append(now)
    entry.sentAt = now
    entry.lane = lane
    this.#byToken.set(token, entry)
    const open = this.#lanes.get(lane)
    if (open) open.push(entry)
    else this.#lanes.set(lane, [entry])
  }

  /** An answer came: this one has arrived, and so has everything that left before it over the same connection. */
  answered(token: unknown, now: number): void {
    const entry = this.#byToken.get(token)
    if (entry === undefined) return
    this.#byToken.delete(token)
    this.#notice(now - entry.sentAt, now)
    this.#settle(entry, now, true)
  }

  /** No answer came, or none will. */
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

  /** One part that is late, or a connection that is stuck, must not hold up what has arrived before it. */
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

  /** From when on it is certainly not in the carrier's last second. */
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

  /** What the way and the carrier take at least, as far as responses show it. */
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
