// Shares hints between the processes of a cluster, so none of them needs to poll all shards for new work. A hint
// is sent after the commit it is about. If it is lost, a poll finds the work seconds later. For each role, one process at
// a time has the turn to poll.

import { randomBytes } from 'node:crypto'
import type { Hint, Turn } from './kit/hints.js'
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

/** Does nothing unless the database is a cluster: polls of a single PostgreSQL cost little. */
export async function relayHints(world: World): Promise<{ stop: () => Promise<void> }> {
  const { db, hints } = world
  if (world.config.databasePooler !== 'none' || !(await db.workers.isCluster())) {
    return { stop: async () => {} }
  }
  const sender = randomBytes(6).toString('hex')
  const incoming = new Throttle<Hint>(EVERY_MS, (hint) => hints.receive(hint))
  const outgoing = new Throttle<Hint>(EVERY_MS, (hint) => {
    notifyOthers(db, CHANNEL, `${sender} ${hint}`).catch(() => {}) // a poll finds the work
  })
  const relay = (hint: Hint) => {
    if (SHARED.has(hint)) outgoing.add(hint)
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
      const [from, hint = ''] = payload.split(' ')
      if (from !== sender && SHARED.has(hint)) incoming.add(hint as Hint)
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
