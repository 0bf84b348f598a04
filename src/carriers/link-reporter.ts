// Reports the state of this process's links to other processes, through the database, and reloads the carriers file
// when one of them requests it.

import { randomBytes } from 'node:crypto'
import os from 'node:os'
import type { Loop } from '../kit/worker-loop.js'
import type { World } from '../kit/world.js'
import type { LifecyclePort, LinkStatus, Reloaded } from '../messages/carrier-port.js'
import type { LinkCounts, LinkError, LinkMeter, LinkMeters } from './link-meter.js'
import {
  deleteLinkReport,
  findReloadRequest,
  type ReloadRequest,
  saveLinkReport,
} from './link-queries.js'

const STEP_MS = 2_000
/** Rows expire after 30 seconds, so an unchanged one is written again before then. */
const RENEW_MS = 8_000

export const NOTHING_TO_RELOAD = {
  ok: false,
  error: 'There is nothing to reload: LONGCODE_CARRIERS names no file.',
} as const satisfies Reloaded

type Deps = Pick<World, 'db' | 'clock' | 'log' | 'config'>

export class LinkReporter {
  readonly #world: Deps
  readonly #carrier: Pick<LifecyclePort, 'links' | 'reload'>
  readonly #meters: LinkMeters
  readonly #isDispatching: boolean
  readonly #process = processName()
  readonly #startedAt: Date
  #loadedAt: Date
  #reloadId: string | null = null
  #reloadError: string | null = null
  #written: { text: string; atMs: number } | null = null

  constructor(world: Deps, carrier: Pick<LifecyclePort, 'links' | 'reload'>, meters: LinkMeters) {
    this.#world = world
    this.#carrier = carrier
    this.#meters = meters
    this.#isDispatching = world.config.roles.includes('dispatch')
    this.#startedAt = world.clock.machineNow()
    this.#loadedAt = this.#startedAt
  }

  /** None for a process without links and without settings that could change. */
  get loops(): Loop[] {
    if (!this.#isDispatching && !this.#carrier.reload) return []
    const loop: Loop = {
      name: 'carrier links',
      idleMs: STEP_MS,
      onError: (error) => this.#world.log.warn({ err: error }, 'carrier links not reported'),
      step: async () => {
        await this.#followRequests()
        if (this.#isDispatching) await this.#report()
        return 0
      },
    }
    return [loop]
  }

  /** Reloads the settings. Problems are logged and reported. */
  async reload(): Promise<Reloaded> {
    const { log, clock } = this.#world
    const reloaded = (await this.#carrier.reload?.()) ?? NOTHING_TO_RELOAD
    this.#reloadError = reloaded.ok ? null : reloaded.error
    if (reloaded.ok) {
      this.#loadedAt = clock.machineNow()
      log.info('carriers reloaded')
    } else {
      log.error({ problem: reloaded.error }, 'carriers not reloaded')
    }
    return reloaded
  }

  /** This process reports nothing more. Its row would soon expire anyway. */
  async withdraw(): Promise<void> {
    const { db, clock, log } = this.#world
    if (!this.#written) return
    await deleteLinkReport(db, this.#process, clock.machineNow()).catch((error) =>
      log.warn({ err: error }, 'carrier links not taken back'),
    )
  }

  async #followRequests(): Promise<void> {
    const request = await findReloadRequest(this.#world.db)
    if (!request || !this.#isNew(request)) return
    await this.reload()
    this.#reloadId = request.id
  }

  /** Reloads requested before this process read its settings are done. */
  #isNew({ id, requestedAt }: ReloadRequest): boolean {
    return id !== this.#reloadId && requestedAt >= this.#startedAt
  }

  async #report(): Promise<void> {
    const { db, clock } = this.#world
    const links: ReportedLink[] = reportLinks(this.#carrier, (link) => this.#meters.of(link))
    const report = {
      process: this.#process,
      links,
      loadedAt: this.#loadedAt,
      reloadId: this.#reloadId,
      reloadError: this.#reloadError,
    }
    const now = clock.machineNow()
    const text = JSON.stringify(report)
    const ageMs = now.getTime() - (this.#written?.atMs ?? 0)
    if (text === this.#written?.text && ageMs < RENEW_MS) return
    await saveLinkReport(db, report, now)
    this.#written = { text, atMs: now.getTime() }
  }
}

/** Host and process ID, for people. The rest distinguishes two services in one process. */
function processName(): string {
  return `${os.hostname()}:${process.pid}:${randomBytes(3).toString('hex')}`
}

/** Times as in JSON. */
type Written<T> = T extends Date
  ? string
  : T extends object
    ? { [Name in keyof T]: Written<T[Name]> }
    : T

export type ReportedLink = Written<LinkStatus & { counts: LinkCounts; errors: LinkError[] }>

/** What a dispatching process reports about its links, as stored. */
export interface LinkReport {
  process: string
  links: ReportedLink[]
  loadedAt: Date
  /** The last reload request that was carried out. */
  reloadId: string | null
  /** The problem at that time. */
  reloadError: string | null
}

function reportLinks(
  carrier: Pick<LifecyclePort, 'links'>,
  meterOf: (link: string) => LinkMeter,
): ReportedLink[] {
  const links = (carrier.links?.() ?? []).map((status) => {
    const meter = meterOf(status.link)
    return { ...status, counts: meter.counts(), errors: meter.errors() }
  })
  return JSON.parse(JSON.stringify(links))
}
