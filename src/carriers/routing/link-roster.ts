// The links of a set as they come and go. New settings are put into force at once; links follow without
// losing a message: those that did not change stay bound, one that changed is replaced (by binds beside the
// old ones where the carrier takes both, else after the old one has answered for what it took), one that was
// taken out answers for what it took, then takes late receipts for a while, then stops.

import { setTimeout as sleep } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import type { Log } from '../../kit/log.js'
import type { LinkSettings } from '../settings/carrier-settings.js'
import type { RunningLink } from './running-link.js'

/** A link that has not answered by then has no answer: every submit has its own, shorter, time limit. */
const ANSWER_MS_MAX = 60_000
const LOOK_MS = 50

export interface RosterDeps {
  create: (settings: LinkSettings) => RunningLink
  /** Where links of this process hold no connections, it does nothing. */
  start: (link: RunningLink) => Promise<void>
  log: Log
}

interface Slot {
  current: RunningLink
  /** Binding beside it, to take its place. */
  next: RunningLink | null
}

export class LinkRoster {
  readonly #deps: RosterDeps
  readonly #slots = new Map<string, Slot>()
  readonly #leaving = new Set<RunningLink>()
  readonly #tasks = new Set<Promise<void>>()
  #stopping = new AbortController()
  /** Of the settings in force: what still waits for a bind is for those before. */
  #waiting = new AbortController()
  #isStarted = false

  constructor(deps: RosterDeps, links: readonly LinkSettings[]) {
    this.#deps = deps
    for (const settings of links) this.#add(settings)
  }

  /** What may be handed messages. */
  find(name: string): RunningLink | null {
    return this.#slots.get(name)?.current ?? null
  }

  /** Also one that is leaving: receipts, queries and calls may still be about it. */
  findAny(name: string): RunningLink | null {
    return this.find(name) ?? [...this.#leaving].find((link) => link.name === name) ?? null
  }

  /** In use. */
  current(): RunningLink[] {
    return [...this.#slots.values()].map(({ current }) => current)
  }

  all(): RunningLink[] {
    const inUse = [...this.#slots.values()].flatMap(({ current, next }) =>
      next ? [current, next] : [current],
    )
    return [...inUse, ...this.#leaving]
  }

  async start(): Promise<void> {
    this.#isStarted = true
    await Promise.all(this.current().map((link) => this.#deps.start(link)))
  }

  async stop(): Promise<void> {
    this.#stopping.abort()
    this.#waiting.abort()
    await Promise.all(this.all().map((link) => link.stop()))
    await Promise.all(this.#tasks)
  }

  /** Says what becomes of each; links follow in the background. */
  follow(links: readonly LinkSettings[]): {
    added: string[]
    changed: string[]
    removed: string[]
  } {
    this.#giveUpWaiting()
    const wanted = new Map(links.map((settings) => [settings.name, settings]))
    const removed = [...this.#slots.keys()].filter((name) => !wanted.has(name))
    for (const name of removed) this.#remove(name)
    const added: string[] = []
    const changed: string[] = []
    for (const settings of links) {
      const slot = this.#slots.get(settings.name)
      if (!slot) {
        added.push(settings.name)
        this.#enter(settings)
      } else if (isSameLink(slot.current.settings, settings)) {
        slot.current.follow(settings)
      } else {
        changed.push(settings.name)
        this.#change(slot, settings)
      }
    }
    return { added, changed, removed }
  }

  #add(settings: LinkSettings): Slot {
    const slot: Slot = { current: this.#deps.create(settings), next: null }
    this.#slots.set(settings.name, slot)
    return slot
  }

  /** One of that name may still be leaving: its binds go first, unless the carrier takes both. */
  #enter(settings: LinkSettings): void {
    const former = [...this.#leaving].find(({ name }) => name === settings.name)
    const { current } = this.#add(settings)
    this.#run(async () => {
      if (former && !settings.mayOverlap) await this.#end(former)
      await this.#begin(current)
    })
  }

  #remove(name: string): void {
    const { current } = this.#slots.get(name)!
    this.#slots.delete(name)
    this.#leaving.add(current)
    this.#run(async () => {
      await this.#answered(current)
      await this.#rest(current.settings.drainMs)
      await this.#end(current)
    })
  }

  #change(slot: Slot, settings: LinkSettings): void {
    const next = this.#deps.create(settings)
    const former = slot.current
    if (settings.mayOverlap) {
      slot.next = next
      this.#run(() => this.#bindBeside(slot, next, this.#waiting.signal))
      return
    }
    slot.current = next // it is down until it has started, and other links of the route take over
    this.#leaving.add(former)
    this.#run(async () => {
      await this.#answered(former)
      await this.#end(former)
      await this.#begin(next)
    })
  }

  async #bindBeside(slot: Slot, next: RunningLink, given: AbortSignal): Promise<void> {
    await this.#begin(next)
    while (!next.isUp && !given.aborted) await this.#rest(LOOK_MS)
    if (given.aborted) return
    const former = slot.current
    slot.current = next
    slot.next = null
    this.#leaving.add(former)
    await this.#answered(former)
    await this.#end(former)
  }

  /** Settings that came before these and were not reached: the link that works goes on. */
  #giveUpWaiting(): void {
    this.#waiting.abort()
    this.#waiting = new AbortController()
    for (const slot of this.#slots.values()) {
      const { next } = slot
      if (!next) continue
      slot.next = null
      this.#leaving.add(next)
      this.#run(() => this.#end(next))
    }
  }

  async #begin(link: RunningLink): Promise<void> {
    if (!this.#isStarted || this.#stopping.signal.aborted || link.isClosed) return
    await this.#deps.start(link)
  }

  async #answered(link: RunningLink): Promise<void> {
    const waiting = new AbortController()
    const tooLong = this.#rest(ANSWER_MS_MAX, waiting.signal)
    await Promise.race([link.close(), tooLong])
    waiting.abort()
  }

  async #end(link: RunningLink): Promise<void> {
    await link.stop()
    this.#leaving.delete(link)
  }

  /** Cut short when the set stops. */
  async #rest(ms: number, given?: AbortSignal): Promise<void> {
    const signal = given ? AbortSignal.any([given, this.#stopping.signal]) : this.#stopping.signal
    await sleep(ms, undefined, { signal }).catch(() => {})
  }

  #run(work: () => Promise<void>): void {
    const task = work().catch((error) =>
      this.#deps.log.error({ err: error }, 'carrier link not changed as the settings say'),
    )
    this.#tasks.add(task)
    task.finally(() => this.#tasks.delete(task))
  }
}

/** What may change while the link goes on is not compared: see RunningLink.follow. */
function isSameLink(a: LinkSettings, b: LinkSettings): boolean {
  return a.kind === b.kind && isDeepStrictEqual(a.settings, b.settings)
}
