// The gates of all links of this process. They follow the database within a second, so a link that is paused in one
// process is paused in all. What this process learns about a link is written there.

import os from 'node:os'
import type { Actor } from '../../accounts/audit.js'
import { recordAct } from '../../accounts/audit-queries.js'
import type { Loop } from '../../kit/worker-loop.js'
import type { World } from '../../kit/world.js'
import type { Carrier } from '../../messages/carrier-port.js'
import {
  claimProbe,
  deleteLinkPause,
  insertLinkPause,
  type LinkPause,
  listLinkPauses,
} from '../../messages/link-pause-queries.js'
import { LinkGate, REFUSALS_IN_A_ROW, type RepeatedRefusal } from './link-gate.js'
import { RefusedSenders } from './refused-senders.js'

const STEP_MS = 1_000
const PROBE_FIRST_MS = 30_000
const PROBE_MAX_MS = 600_000
const DESCRIPTION_LENGTH_MAX = 200

type Deps = Pick<World, 'db' | 'clock' | 'log' | 'hints' | 'config'>

export class LinkGates {
  readonly loop: Loop
  readonly senders: RefusedSenders
  readonly #world: Deps
  readonly #gates = new Map<string, LinkGate>()
  /** Applied here, and not yet in the database. */
  readonly #unwritten = new Map<string, LinkPause>()
  /** Accepted probes whose pauses must be ended in the database. */
  readonly #resumed = new Set<string>()

  constructor(world: Deps) {
    this.#world = world
    this.senders = new RefusedSenders(world)
    this.loop = {
      name: 'link pauses',
      hints: ['links', 'clock'],
      idleMs: STEP_MS,
      onError: (error) => world.log.warn({ err: error }, 'link pauses not followed'),
      step: async () => {
        await this.follow()
        return 0
      },
    }
  }

  /** One per name: a link that a reload replaces keeps it. */
  of(link: string): LinkGate {
    const existing = this.#gates.get(link)
    if (existing) return existing
    const gate = new LinkGate({
      pause: (repeated) => this.#pause(link, repeated),
      resume: () => this.#resume(link),
      refusalOf: (sender) => this.senders.refusalOf(link, sender),
      noteSender: (sender, answer) => this.senders.note(link, sender, answer),
    })
    this.#gates.set(link, gate)
    return gate
  }

  /** A carrier that is one link, with its gate. */
  guard(carrier: Carrier): Carrier {
    const gate = this.of(carrier.name)
    return {
      ...carrier,
      linksFor: () => [carrier.name],
      isUp: () => gate.isOpen && (carrier.isUp?.() ?? true),
      submit: async (submissions) => {
        const answers = await gate.pass(submissions, (some) => carrier.submit(some))
        return answers as Awaited<ReturnType<Carrier['submit']>>
      },
    }
  }

  /** Reads the pauses from the database: once before messages are sent, then every second. */
  async follow(): Promise<void> {
    const { db, hints } = this.#world
    await this.senders.follow()
    await this.#writeDown()
    const pauses = new Map((await listLinkPauses(db)).map((pause) => [pause.link, pause]))
    for (const [link, gate] of this.#gates) {
      const wasOpen = gate.isOpen
      const pause = this.#resumed.has(link) ? null : (pauses.get(link) ?? null)
      gate.follow(this.#unwritten.get(link) ?? pause)
      if (pause) await this.#probe(gate, pause)
      if (gate.isOpen && !wasOpen) hints.notify('messages')
    }
  }

  async #probe(gate: LinkGate, { link, probeAt, probes }: LinkPause): Promise<void> {
    const { db, clock, config } = this.#world
    const now = clock.now()
    if (probeAt === null || probeAt > now || !config.roles.includes('dispatch')) return
    const waitMs = Math.min(PROBE_FIRST_MS * 2 ** (probes + 1), PROBE_MAX_MS)
    const nextAt = new Date(now.getTime() + waitMs)
    if (await claimProbe(db, link, { now, nextAt })) gate.allowProbe()
  }

  #pause(link: string, { code, description }: RepeatedRefusal): LinkPause {
    const { clock, hints } = this.#world
    const pausedAt = clock.now()
    const pause: LinkPause = {
      ...{ link, pausedAt, pausedBy: SERVICE.name, code, probes: 0 },
      reason: `The carrier refused ${REFUSALS_IN_A_ROW} messages in a row: ${description.slice(0, DESCRIPTION_LENGTH_MAX)}`,
      probeAt: new Date(pausedAt.getTime() + PROBE_FIRST_MS),
    }
    this.#unwritten.set(link, pause)
    hints.notify('links')
    return pause
  }

  #resume(link: string): void {
    this.#resumed.add(link)
    this.#world.hints.notify('links')
  }

  /** Writes what this process learned. A failure is retried in the next step. */
  async #writeDown(): Promise<void> {
    const { db, clock, log } = this.#world
    const now = clock.now()
    for (const [link, pause] of this.#unwritten) {
      const { code, reason } = pause
      const isNew = await db.transaction(async (tx) => {
        if (!(await insertLinkPause(tx, pause))) return false
        const act = { act: 'carrier.pause', accountId: null, subject: link, before: null } as const
        await recordAct(tx, SERVICE, { ...act, after: { code, reason } }, now)
        return true
      })
      this.#unwritten.delete(link)
      if (isNew) log.error({ link, code, reason }, 'carrier link paused: messages wait')
    }
    for (const link of this.#resumed) {
      const isEnded = await db.transaction(async (tx) => {
        if (!(await deleteLinkPause(tx, link, true))) return false
        const act = { act: 'carrier.resume', accountId: null, subject: link, before: null } as const
        await recordAct(tx, SERVICE, { ...act, after: { reason: PROBE_ACCEPTED } }, now)
        return true
      })
      this.#resumed.delete(link)
      if (isEnded) log.info({ link }, 'carrier link resumed: a message was accepted')
    }
  }
}

const PROBE_ACCEPTED = 'The carrier accepted a message again'
/** The actor in the audit log: the program itself, on this machine. */
const SERVICE: Actor = {
  ...{ kind: 'command', id: null, name: 'longcode (automatic)', requestId: null },
  origin: os.hostname(),
}
