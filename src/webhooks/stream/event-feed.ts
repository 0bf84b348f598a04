// The events of an account as they appear. One poller per account serves all listeners in this process. It reads
// the last moments again each time, because events carry the start time of their transaction and become visible
// when it commits.

import type { AccountId } from '../../accounts/account.js'
import type { Event } from '../../events/event.js'
import { listEventsAfter } from '../../events/event-queries.js'
import type { HintedAccounts } from '../../kit/hints.js'
import { idFloor } from '../../kit/ids.js'
import type { World } from '../../kit/world.js'
import { type DescribeMessages, describeEvent, type EventBody } from '../event-body.js'

const POLL_MS = 250
/** At hints, which are many on a busy service: each read starts two seconds back. */
const HINTED_POLL_MS = 50
const OVERLAP_MS = 2_000
const PAGE = 500

export type FeedListener = (events: EventBody[]) => void

export class EventFeeds {
  readonly #world: World
  readonly #describe: DescribeMessages
  readonly #feeds = new Map<AccountId, AccountFeed>()

  constructor(world: World, describe: DescribeMessages) {
    this.#world = world
    this.#describe = describe
  }

  countListeners(accountId: AccountId): number {
    return this.#feeds.get(accountId)?.listeners.size ?? 0
  }

  /** Gets every event from now on. Returns the function that stops it. */
  listen(accountId: AccountId, listener: FeedListener): () => void {
    let feed = this.#feeds.get(accountId)
    if (!feed) {
      feed = new AccountFeed(this.#world, (events) => this.#describeAll(events), accountId)
      this.#feeds.set(accountId, feed)
    }
    const { listeners } = feed
    listeners.add(listener)
    return () => {
      listeners.delete(listener)
      if (listeners.size > 0) return
      this.#feeds.get(accountId)?.close()
      this.#feeds.delete(accountId)
    }
  }

  /** What is stored after this event, page by page, oldest first. */
  async *listAfter(accountId: AccountId, eventId: string): AsyncGenerator<EventBody[]> {
    for (let after = eventId; ; ) {
      const page = await listEventsAfter(this.#world.db, accountId, after, PAGE)
      if (page.length > 0) yield await this.#describeAll(page)
      if (page.length < PAGE) return
      after = page.at(-1)!.id
    }
  }

  async #describeAll(events: readonly Event[]): Promise<EventBody[]> {
    const accountId = events[0]?.accountId
    if (accountId === undefined) return []
    const ids = [...new Set(events.flatMap((event) => event.messageId ?? []))]
    const messages = ids.length === 0 ? null : await this.#describe(this.#world.db, accountId, ids)
    return events.map((event) => describeEvent(event, messages?.get(event.messageId ?? '')))
  }
}

class AccountFeed {
  readonly listeners = new Set<FeedListener>()
  readonly #world: World
  readonly #describeAll: (events: readonly Event[]) => Promise<EventBody[]>
  readonly #accountId: AccountId
  readonly #timer: NodeJS.Timeout
  readonly #unsubscribe: () => void
  #isPolling = false
  #polledAtMs = Number.NEGATIVE_INFINITY
  #readAtMs: number
  /** Sent, and so recent that the next read finds them again. */
  #sent = new Set<string>()

  constructor(
    world: World,
    describeAll: (events: readonly Event[]) => Promise<EventBody[]>,
    accountId: AccountId,
  ) {
    this.#world = world
    this.#describeAll = describeAll
    this.#accountId = accountId
    this.#readAtMs = world.clock.now().getTime()
    this.#unsubscribe = world.hints.subscribe('deliveries', (accountIds) => this.#hear(accountIds))
    this.#timer = setInterval(() => this.#poll(), POLL_MS)
  }

  close(): void {
    clearInterval(this.#timer)
    this.#unsubscribe()
  }

  /** What comes too soon is found by the next poll. */
  #hear(accountIds: HintedAccounts): void {
    const isOurs = accountIds === null || accountIds.includes(this.#accountId)
    if (isOurs && performance.now() >= this.#polledAtMs + HINTED_POLL_MS) this.#poll()
  }

  #poll(): void {
    if (this.#isPolling) return
    this.#isPolling = true
    this.#polledAtMs = performance.now()
    this.#read()
      .catch((error) => this.#world.log.warn({ err: error }, 'reading events failed'))
      .finally(() => {
        this.#isPolling = false
      })
  }

  async #read(): Promise<void> {
    const nowMs = this.#world.clock.now().getTime()
    const met = new Set<string>()
    let after = idFloor('evt', new Date(this.#readAtMs - OVERLAP_MS))
    for (;;) {
      const page = await listEventsAfter(this.#world.db, this.#accountId, after, PAGE)
      for (const event of page) met.add(event.id)
      await this.#send(page.filter((event) => !this.#sent.has(event.id)))
      if (page.length < PAGE) break
      after = page.at(-1)!.id
    }
    this.#sent = met
    this.#readAtMs = nowMs
  }

  async #send(events: readonly Event[]): Promise<void> {
    const bodies = await this.#describeAll(events)
    for (const event of events) this.#sent.add(event.id)
    if (bodies.length > 0) for (const listener of this.listeners) listener(bodies)
  }
}
