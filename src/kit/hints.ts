// Signals "there may be work", so a loop need not wait for its next poll. Only a hint: a loop that misses it finds
// the work by polling. Hints stay in the process unless a relay shares them (src/hint-relay.ts). A hint names the
// accounts that have the work if it is known, because on a cluster a read for some accounts costs far less.

import { elapsedMs } from './clock.js'

export type Hint =
  | 'messages'
  | 'deliveries'
  | 'reviews'
  | 'clock'
  | 'forwardings'
  | 'media'
  | 'numbers'
  | 'tokens'
  | 'links'
  | 'exports'

/** Kinds of work that processes take turns to poll for, while hints are shared. */
export type Turn = 'dispatch' | 'deliver' | 'schedule'

/** While hints are shared, polls only find what a stopped process left behind, and what is not urgent. */
const SHARED_POLL = { times: 30, atMostMs: 150_000 }
const SHARED_POLL_MIN_MS: Record<Turn, number> = {
  dispatch: 30_000,
  deliver: 30_000,
  schedule: 60_000,
}
/** What is done once a minute or less, such as purges, may as well be done every five minutes. */
const UNHURRIED = { fromMs: 60_000, everyMs: 300_000 }
/** Polls of a process that does not have the turn. Only needed if the one that has it cannot do the work. */
export const WAITING_POLL_MS = 300_000

/** What is due later than that is found by a poll that is late by a small part of the wait. */
const REMINDED_MS = 300_000

/** Whose work it is. Null: it may be anybody's. */
export type HintedAccounts = readonly string[] | null
type Listener = (accountIds: HintedAccounts) => void

interface Sharing {
  relay: (hint: Hint, accountIds: HintedAccounts) => void
  hasTurn: (turn: Turn) => boolean
}

export class Hints {
  readonly #listeners = new Map<Hint, Set<Listener>>()
  #sharing: Sharing | null = null
  /** One per second, because each costs a read of all shards. */
  readonly #reminders = new Set<string>()

  notify(hint: Hint, accountIds: HintedAccounts = null): void {
    this.receive(hint, accountIds)
    this.#sharing?.relay(hint, accountIds)
  }

  /** The same for a hint that is not passed on, because it came from another process. */
  receive(hint: Hint, accountIds: HintedAccounts = null): void {
    for (const listener of this.#listeners.get(hint) ?? []) listener(accountIds)
  }

  /** Returns a function that unsubscribes. */
  subscribe(hint: Hint, listener: Listener): () => void {
    const listeners = this.#listeners.get(hint) ?? new Set()
    this.#listeners.set(hint, listeners.add(listener))
    return () => listeners.delete(listener)
  }

  /** Null: other processes do not receive our hints, or we do not receive theirs. */
  share(sharing: Sharing | null): void {
    this.#sharing = sharing
  }

  /** Whether work of other processes is announced here. */
  get areShared(): boolean {
    return this.#sharing !== null
  }

  /** Whether this process polls for this kind of work. */
  hasTurn(turn: Turn): boolean {
    return this.#sharing?.hasTurn(turn) ?? true
  }

  /** The time between polls that read across all accounts, which is expensive where hints are shared. */
  pollMs(ms: number, turn: Turn): number {
    if (!this.#sharing) return ms
    const { times, atMostMs } = SHARED_POLL
    const sharedMs = Math.min(atMostMs, Math.max(SHARED_POLL_MIN_MS[turn], times * ms))
    return Math.max(ms, sharedMs, this.waitMs(turn))
  }

  /** This process has postponed work that polls might find too late: the same hint again, in the second after it is due. */
  remind(hint: Hint, ms: number): void {
    if (!this.#sharing || ms >= REMINDED_MS) return
    const nowMs = elapsedMs()
    const second = Math.ceil((nowMs + ms) / 1000)
    const key = `${hint} ${second}`
    if (this.#reminders.has(key)) return
    this.#reminders.add(key)
    const remind = () => {
      this.#reminders.delete(key)
      this.receive(hint)
    }
    setTimeout(remind, second * 1000 - nowMs).unref()
  }

  /** The rest of a loop that always rests this long. */
  restMs(ms: number, turn: Turn): number {
    const isUnhurried = this.#sharing !== null && ms >= UNHURRIED.fromMs
    return Math.max(isUnhurried ? Math.max(ms, UNHURRIED.everyMs) : ms, this.waitMs(turn))
  }

  /** The least time between polls of a process that does not have the turn; 0 if it has. */
  waitMs(turn: Turn): number {
    return this.hasTurn(turn) ? 0 : WAITING_POLL_MS
  }
}
