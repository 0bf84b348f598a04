// Adds, replaces, and removes links at a reload without losing a message. New settings apply at once. Unchanged
// links stay bound. A changed link is replaced: by binds next to the old ones if the carrier allows both, otherwise
// after the old link has settled its messages. A removed link settles its messages, accepts late receipts for a
// while, and then stops.

import { setTimeout as sleep } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import type { Log } from '../../kit/log.js'
import type { LinkSettings } from '../settings/carrier-settings.js'
import type { RunningLink } from './running-link.js'

/** A link that has not answered by then has no answer, because every submit has its own shorter timeout. */
const ANSWER_MS_MAX = 60_000
/** Used if its successor waits. A stopping link returns its unsent messages. */
const HANDOVER_MS_MAX = 3_000
const PROBE_MS = 50

export interface RosterDeps {
  create: (settings: LinkSettings) => RunningLink
  /** Does nothing if this process's links hold no connections. */
  start: (link: RunningLink) => Promise<void>
  log: Log
}

interface Slot {
  current: RunningLink
  /** The successor that is binding alongside it, unless it was abandoned. */
  next: { link: RunningLink; abandoned: AbortController } | null
}

export class LinkRoster {
  readonly #deps: RosterDeps
  readonly #slots = new Map<string, Slot>()
  readonly #leaving = new Set<RunningLink>()
  readonly #tasks = new Set<Promise<void>>()
  readonly #stopping = new AbortController()
  #isStarted = false

  constructor(deps: RosterDeps, links: readonly LinkSettings[]) {
    this.#deps = deps
    for (const settings of links) this.#add(settings)
  }

  /** The links that may get messages. */
  find(name: string): RunningLink | null {
    return this.#slots.get(name)?.current ?? null
  }

  /** Also finds a link that is leaving, because receipts, queries, and callbacks may still concern it. */
  findAny(name: string): RunningLink | null {
    return this.find(name) ?? [...this.#leaving].find((link) => link.name === name) ?? null
  }

  /** The links in use. */
  current(): RunningLink[] {
    return [...this.#slots.values()].map(({ current }) => current)
  }

  all(): RunningLink[] {
    const inUse = [...this.#slots.values()].flatMap(({ current, next }) =>
      next ? [current, next.link] : [current],
    )
    return [...inUse, ...this.#leaving]
  }

  async start(): Promise<void> {
    this.#isStarted = true
    await Promise.all(this.current().map((link) => this.#deps.start(link)))
  }

  async stop(): Promise<void> {
    this.#stopping.abort()
    await Promise.all(this.all().map((link) => link.stop()))
    await Promise.all(this.#tasks)
  }

  /** Returns what happens to each link. Links follow in the background. */
  follow(links: readonly LinkSettings[]): {
    added: string[]
    changed: string[]
    removed: string[]
  } {
    const byName = new Map(links.map((settings) => [settings.name, settings]))
    const removed = [...this.#slots.keys()].filter((name) => !byName.has(name))
    for (const name of removed) this.#remove(name)
    const added = links.filter(({ name }) => !this.#slots.has(name))
    for (const settings of added) this.#enter(settings)
    const changed = links.filter((settings) => this.#change(settings))
    const namesOf = (of: readonly LinkSettings[]) => of.map(({ name }) => name)
    return { added: namesOf(added), changed: namesOf(changed), removed }
  }

  #add(settings: LinkSettings): Slot {
    const slot: Slot = { current: this.#deps.create(settings), next: null }
    this.#slots.set(settings.name, slot)
    return slot
  }

  #enter(settings: LinkSettings): void {
    const { current } = this.#add(settings)
    this.#run(() => this.#beginAlone(current))
  }

  #remove(name: string): void {
    const slot = this.#slots.get(name)!
    const { current } = slot
    this.#giveUpNext(slot)
    this.#slots.delete(name)
    this.#leaving.add(current)
    this.#run(async () => {
      await this.#answered(current)
      await this.#rest(current.settings.drainMs)
      await this.#end(current)
    })
  }

  /** False if the link already matches the settings, or is about to. */
  #change(settings: LinkSettings): boolean {
    const slot = this.#slots.get(settings.name)!
    const latest = slot.next?.link ?? slot.current
    if (isSameLink(latest.settings, settings)) {
      latest.follow(settings)
      return false
    }
    this.#giveUpNext(slot)
    if (isSameLink(slot.current.settings, settings)) slot.current.follow(settings)
    else if (settings.mayOverlap) this.#bindBeside(slot, settings)
    else this.#replace(slot, settings)
    return true
  }

  /** The new link is down until it has started. Other links of the route take over meanwhile. */
  #replace(slot: Slot, settings: LinkSettings): void {
    const previous = slot.current
    slot.current = this.#deps.create(settings)
    this.#leaving.add(previous)
    const { current } = slot
    this.#run(async () => {
      await this.#answered(previous, HANDOVER_MS_MAX)
      await this.#beginAlone(current)
    })
  }

  #bindBeside(slot: Slot, settings: LinkSettings): void {
    const next = { link: this.#deps.create(settings), abandoned: new AbortController() }
    slot.next = next
    const isOver = () => next.abandoned.signal.aborted || this.#stopping.signal.aborted
    this.#run(async () => {
      await this.#begin(next.link)
      while (!next.link.isUp && !isOver()) await this.#rest(PROBE_MS)
      if (isOver()) return
      const previous = slot.current
      slot.current = next.link
      slot.next = null
      this.#leaving.add(previous)
      await this.#answered(previous)
      await this.#end(previous)
    })
  }

  /** Earlier settings that never took effect. The working link continues. */
  #giveUpNext(slot: Slot): void {
    if (!slot.next) return
    const { link, abandoned } = slot.next
    abandoned.abort()
    slot.next = null
    this.#leaving.add(link)
    this.#run(() => this.#end(link))
  }

  /** Those of its name that are still leaving end first: the carrier may not take both. */
  async #beginAlone(link: RunningLink): Promise<void> {
    const leaving = [...this.#leaving].filter(({ name }) => name === link.name)
    await Promise.all(leaving.map((one) => this.#end(one)))
    await this.#begin(link)
  }

  async #begin(link: RunningLink): Promise<void> {
    if (!this.#isStarted || this.#stopping.signal.aborted || link.isClosed) return
    await this.#deps.start(link)
  }

  async #answered(link: RunningLink, maxMs = ANSWER_MS_MAX): Promise<void> {
    const waiting = new AbortController()
    const tooLong = this.#rest(maxMs, waiting.signal)
    await Promise.race([link.close(), tooLong])
    waiting.abort()
  }

  async #end(link: RunningLink): Promise<void> {
    await link.stop().finally(() => this.#leaving.delete(link))
  }

  /** Cut short when the set stops. */
  async #rest(ms: number, aborting?: AbortSignal): Promise<void> {
    const signal = aborting
      ? AbortSignal.any([aborting, this.#stopping.signal])
      : this.#stopping.signal
    await sleep(ms, undefined, { signal }).catch(() => {})
  }

  #run(work: () => Promise<void>): void {
    const task = work()
      .catch((error) =>
        this.#deps.log.error({ err: error }, 'carrier link not changed as the settings say'),
      )
      .finally(() => this.#tasks.delete(task))
    this.#tasks.add(task)
  }
}

/** Ignores settings that may change on a running link: see RunningLink.follow. */
function isSameLink(a: LinkSettings, b: LinkSettings): boolean {
  return a.kind === b.kind && isDeepStrictEqual(a.settings, b.settings)
}
