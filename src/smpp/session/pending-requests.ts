// Our requests that are waiting for a response, by sequence number, oldest first. All have the same timeout, so the
// first is always the next to time out. Timed-out requests are remembered for a while, because a late response
// still reports the outcome of a message.

import type { CommandName } from '../pdu/commands.js'

export interface PendingRequest<T> {
  command: CommandName
  sentAt: number
  /** Null: the session's own, such as enquire_link. */
  work: { token: T } | null
}

const SEQUENCE_MAX = 0x7fffffff
const LATE_MAX = 1_000

export class PendingRequests<T> {
  readonly #pending = new Map<number, PendingRequest<T>>()
  readonly #late = new Map<number, T>()
  #lastSequence: number
  #workCount = 0

  constructor(lastSequence = 0) {
    this.#lastSequence = lastSequence
  }

  /** Only requests that carry work. */
  get workCount(): number {
    return this.#workCount
  }

  /** The next sequence number. No pending request has it. */
  nextSequence(): number {
    let next = this.#lastSequence
    do next = next >= SEQUENCE_MAX ? 1 : next + 1
    while (this.#pending.has(next))
    return next
  }

  add(sequence: number, request: PendingRequest<T>): void {
    this.#lastSequence = sequence
    this.#late.delete(sequence)
    this.#pending.set(sequence, request)
    if (request.work) this.#workCount += 1
  }

  get(sequence: number): PendingRequest<T> | undefined {
    return this.#pending.get(sequence)
  }

  oldest(): [sequence: number, request: PendingRequest<T>] | null {
    for (const entry of this.#pending) return entry
    return null
  }

  remove(sequence: number): void {
    if (this.#pending.get(sequence)?.work) this.#workCount -= 1
    this.#pending.delete(sequence)
  }

  /** Removes a request whose response may still arrive. */
  giveUp(sequence: number, token: T): void {
    this.remove(sequence)
    this.#late.set(sequence, token)
    if (this.#late.size <= LATE_MAX) return
    for (const oldest of this.#late.keys()) {
      this.#late.delete(oldest)
      return
    }
  }

  /** The token of a timed-out request, at most once. */
  takeLate(sequence: number): { token: T } | null {
    if (!this.#late.has(sequence)) return null
    const token = this.#late.get(sequence) as T
    this.#late.delete(sequence)
    return { token }
  }
}
