// The binds of this process. They are confirmed in the database every few seconds, so limits apply across
// processes and customers see them. Every two seconds their tokens are checked: a bind with a revoked one is
// unbound well within the five seconds that we promise.

import { setTimeout as sleep } from 'node:timers/promises'
import {
  confirmBinds,
  deleteBind,
  deleteStaleBinds,
  insertBind,
  listStaleBinds,
  type SmppBind,
} from '../accounts/smpp-bind-queries.js'
import { mayBindFrom } from '../accounts/smpp-limits.js'
import { listLiveSystems } from '../accounts/smpp-system-queries.js'
import { elapsedMs } from '../kit/clock.js'
import type { Database } from '../kit/postgres/db.js'
import { deleteEach, writeTogether } from '../kit/postgres/workers/together.js'
import type { Loop } from '../kit/worker-loop.js'
import type { World } from '../kit/world.js'
import { type Bind, receives } from './system.js'

const CHECK_EVERY_MS = 2_000
const CONFIRM_EVERY_MS = 5_000
const NONE: ReadonlySet<Bind> = new Set()

export class BindRegistry {
  readonly loop: Loop
  readonly #world: World
  readonly #bindsMax: number
  readonly #window: number
  readonly #binds = new Map<string, Bind>()
  /** Binds that receive messages, by token. */
  readonly #receivers = new Map<string, Set<Bind>>()
  #confirmedAtMs = 0

  /** The server's limits, for accounts without their own. */
  constructor(world: World, { binds, window }: { binds: number; window: number }) {
    this.#world = world
    this.#bindsMax = binds
    this.#window = window
    this.loop = {
      name: 'smpp binds',
      idleMs: CHECK_EVERY_MS,
      step: () => this.#step(),
      onError: (error) => world.log.error({ err: error }, 'looking after SMPP binds failed'),
    }
  }

  get all(): Bind[] {
    return [...this.#binds.values()]
  }

  /** False if the account has reached its own limit or the server's. */
  async reserve(bind: SmppBind, own: number | null): Promise<boolean> {
    const now = this.#world.clock.machineNow()
    const bindsMax = own ?? this.#bindsMax
    return this.#world.db.transaction((tx) => insertBind(tx, bind, bindsMax, now))
  }

  async reserveAfter(ms: number, bind: SmppBind, own: number | null): Promise<boolean> {
    await sleep(ms, undefined, { ref: false })
    return this.reserve(bind, own)
  }

  add(bind: Bind): void {
    this.#binds.set(bind.id, bind)
    if (!receives(bind)) return
    const { tokenId } = bind.system
    this.#receivers.set(tokenId, (this.#receivers.get(tokenId) ?? new Set()).add(bind))
  }

  /** Also for a bind that was reserved and never added. */
  remove(bind: Pick<SmppBind, 'accountId' | 'id'>): void {
    const existing = this.#binds.get(bind.id)
    this.#binds.delete(bind.id)
    if (existing) this.#removeReceiver(existing)
    // A leftover row soon stops counting.
    deleteBind(this.#world.db, bind).catch(() => {})
  }

  /** The window of its account, or the server's. */
  applyWindow({ system, socket }: Bind): void {
    socket.unansweredMax = system.limits.window ?? this.#window
  }

  /** The binds of a token that receive messages. */
  receiversOf(tokenId: string): ReadonlySet<Bind> {
    return this.#receivers.get(tokenId) ?? NONE
  }

  #removeReceiver(bind: Bind): void {
    const { tokenId } = bind.system
    const own = this.#receivers.get(tokenId)
    if (own?.delete(bind) && own.size === 0) this.#receivers.delete(tokenId)
  }

  async #step(): Promise<number> {
    const { db, clock, log } = this.#world
    const binds = this.all
    if (binds.length === 0) return 0
    const systemIds = [...new Set(binds.map(({ system }) => system.systemId))]
    const live = await listLiveSystems(db, systemIds, clock.now())
    for (const bind of binds) {
      const { system, socket } = bind
      const allowed = live.get(system.systemId)
      const token = system.tokenId
      if (!allowed) log.info({ token }, 'unbinding: its token has ended')
      else if (mayBindFrom(allowed.allowedAddresses, socket.remote.address)) {
        if (allowed.limits) system.limits = allowed.limits
        this.applyWindow(bind)
        continue
      } else log.warn({ token }, 'unbinding: its address is no longer on the allowlist')
      socket.unbind()
    }
    if (elapsedMs(this.#confirmedAtMs) < CONFIRM_EVERY_MS) return 0
    this.#confirmedAtMs = elapsedMs()
    const now = clock.machineNow()
    await writeTogether(db.workers, binds.map(rowOf), (rows) => confirmBinds(db, rows, now))
    await purgeStale(db, now)
    return 0
  }
}

/** Binds of processes that died. */
async function purgeStale(db: Database, now: Date): Promise<void> {
  const stale = await listStaleBinds(db, now)
  await deleteEach(db.workers, stale, ([bind]) => deleteStaleBinds(db, bind!.accountId, now))
}

function rowOf({ id, system, as, socket }: Bind): SmppBind {
  const { accountId, tokenId } = system
  return { accountId, id, tokenId, boundAs: as, peer: socket.peer }
}
