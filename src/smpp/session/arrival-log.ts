// When the last parts reached the carrier, as far as we can know. A limit per second applies by the carrier's clock, and a
// delay on the way turns what left evenly into a burst. The time of arrival lies between the send and the answer: as much as
// an answer took longer than the quickest ones do, the part may have been late. A connection keeps its order, so an answer
// also shows that everything sent before it has arrived.

interface Entry {
  sentAt: number
  /** The latest moment at which it can have arrived, less the time that the way always takes; null: not known yet. */
  arrivedBy: number | null
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
/** How often to check for a part that should have been answered. */
const POLL_MS = 10
/** The quickest answer is that of the last one or two of these periods. */
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
  #quickestSince = 0
  #sortedAt = Number.NEGATIVE_INFINITY

  /** Zero if the carrier's last second has fewer than `max`. Otherwise the milliseconds until it is worth asking again. */
  waitMs(max: number, now: number): number {
    while (this.#size > 0 && this.#freeAt(this.#entries[this.#head]!, now) <= now) this.#drop()
    if (this.#size >= max && now - this.#sortedAt >= POLL_MS) this.#sortOut(now)
    if (this.#size < max) return 0
    const blocking = this.#entries[this.#head + this.#size - max]!
    return Math.max(1, Math.ceil(this.#freeAt(blocking, now) - now))
  }

  /** One is about to leave. */
  add(now: number): void {
    const entry = { sentAt: now, arrivedBy: null, lane: null }
    this.#entries.push(entry)
    this.#unsent.push(entry)
  }

  /** One of those does not leave after all. */
  unused(): void {
    const entry = this.#unsent.pop()
    if (entry) entry.arrivedBy = Number.NEGATIVE_INFINITY
  }

  /** One of those has left, over this connection. */
  left(token: unknown, lane: object, now: number): void {
    const entry = this.#unsent.shift()
    if (entry === undefined) return
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
    const wayMs = Math.max(0, this.#usualMs() - QUICKER_MS)
    this.#settle(entry, now - wayMs, true)
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

  /** One connection that is stuck must not hold up what the others have answered. */
  #sortOut(now: number): void {
    if (this.#entries[this.#head]!.arrivedBy !== null) return
    this.#sortedAt = now
    const open = this.#entries.slice(this.#head)
    this.#entries = open.filter((entry) => this.#freeAt(entry, now) > now)
    this.#head = 0
    this.#unsent = this.#unsent.filter(({ sentAt }) => now < sentAt + UNSENT_MAX_MS)
  }

  #settle(entry: Entry, by: number, hasArrived: boolean): void {
    const open = entry.lane && this.#lanes.get(entry.lane)
    const index = open ? open.indexOf(entry) : -1
    if (!open || index < 0) return
    const settled = hasArrived ? open.splice(0, index + 1) : open.splice(index, 1)
    if (open.length === 0) this.#lanes.delete(entry.lane!)
    for (const one of settled) one.arrivedBy = Math.max(one.sentAt, by)
  }

  /** From when on it is certainly not in the carrier's last second. */
  #freeAt({ sentAt, arrivedBy, lane }: Entry, now: number): number {
    const freeAfter = WINDOW_MS + MARGIN_MS
    if (arrivedBy !== null) return Math.min(arrivedBy, sentAt + OVERDUE_MAX_MS) + freeAfter
    if (lane === null) return now < sentAt + UNSENT_MAX_MS ? now + POLL_MS : now
    const soonest = sentAt + freeAfter
    if (now < soonest) return soonest
    return now < soonest + OVERDUE_MAX_MS ? now + POLL_MS : soonest
  }

  /** How long the quickest answers take; 0 as long as none came. */
  #usualMs(): number {
    const quickest = Math.min(this.#quickest, this.#quickestBefore)
    return quickest === Number.POSITIVE_INFINITY ? 0 : quickest
  }

  #notice(ms: number, now: number): void {
    if (now - this.#quickestSince >= QUICKEST_MS) {
      this.#quickestBefore = this.#quickest
      this.#quickest = Number.POSITIVE_INFINITY
      this.#quickestSince = now
    }
    this.#quickest = Math.min(this.#quickest, ms)
  }
}
