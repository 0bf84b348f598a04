// Shares hints between the processes of a cluster, so none of them needs to poll all shards for new work. A hint
// is sent after the commit it is about. If it is lost, a poll finds the work seconds later. For each role, one process at
// a time has the turn to poll.

import { randomBytes } from 'node:crypto'
import type { Hint, HintedAccounts, Turn } from './kit/hints.js'
import { notifyOthers } from './kit/postgres/notify-queries.js'
import { Throttle } from './kit/work/throttle.js'
import type { World } from './kit/world.js'

const CHANNEL = 'longcode_hints'
/** Hints about work that another process may do. */
const SHARED: ReadonlySet<string> = new Set<Hint>([
  'messages',
  'deliveries',
  'reviews',
  'numbers',
  'forwardings',
  'media',
  'exports',
])
/** Roles whose processes take turns to poll. */
const TURNS: readonly Turn[] = ['dispatch', 'deliver', 'schedule']
/** The first hint is passed on at once. Later ones wait this long, however many there are. */
const EVERY_MS = 100
/** More are not named: a payload has at most 8,000 bytes. */
const ACCOUNTS_MAX = 100

/** Does nothing unless the database is a cluster: polls of a single PostgreSQL cost little. */
export async function relayHints(world: World): Promise<{ stop: () => Promise<void> }> {
  const { db, hints } = world
  if (world.config.databasePooler !== 'none' || !(await db.workers.isCluster())) {
    return { stop: async () => {} }
  }
  const sender = randomBytes(6).toString('hex')
  const incoming = new HintThrottle((hint, accountIds) => hints.receive(hint, accountIds))
  const outgoing = new HintThrottle((hint, accountIds) => {
    const payload = [sender, hint, ...(accountIds ?? [])].join(' ')
    notifyOthers(db, CHANNEL, payload).catch(() => {}) // a poll finds the work
  })
  const relay = (hint: Hint, accountIds: HintedAccounts) => {
    if (SHARED.has(hint)) outgoing.add(hint, accountIds)
  }
  const receiveAll = () => {
    for (const hint of SHARED) hints.receive(hint as Hint)
  }
  const listener = db.listen({
    channel: CHANNEL,
    turns: TURNS.filter((turn) => world.config.roles.includes(turn)),
    // The one that had the turn may have left work behind.
    onTurns: receiveAll,
    onMessage: (payload) => {
      const [from, hint = '', ...accountIds] = payload.split(' ')
      if (from === sender || !SHARED.has(hint)) return
      incoming.add(hint as Hint, accountIds.length > 0 ? accountIds : null)
    },
    onConnected: (isConnected) => {
      hints.share(isConnected ? { relay, hasTurn: (turn) => listener.holds(turn) } : null)
      // What was sent before the connection is unknown.
      if (isConnected) receiveAll()
    },
  })
  return {
    stop: async () => {
      hints.share(null)
      incoming.stop()
      outgoing.stop()
      await listener.stop()
    },
  }
}

/** Passes on each kind of hint at most once per interval, with the accounts that were named meanwhile. */
class HintThrottle {
  readonly #named = new Map<Hint, Set<string> | null>()
  readonly #throttle: Throttle<Hint>

  constructor(pass: (hint: Hint, accountIds: HintedAccounts) => void) {
    this.#throttle = new Throttle<Hint>(EVERY_MS, (hint) => {
      const named = this.#named.get(hint)
      this.#named.delete(hint)
      pass(hint, named ? [...named] : null)
    })
  }

  add(hint: Hint, accountIds: HintedAccounts): void {
    const named = this.#named.get(hint) === null ? null : (this.#named.get(hint) ?? new Set())
    for (const accountId of accountIds ?? []) named?.add(accountId)
    const isForAll = accountIds === null || named === null || named.size > ACCOUNTS_MAX
    this.#named.set(hint, isForAll ? null : named)
    this.#throttle.add(hint)
  }

  stop(): void {
    this.#throttle.stop()
  }
}
