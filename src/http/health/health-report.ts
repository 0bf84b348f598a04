// The state of the service for its operator: components, queues, results of the last minutes' messages,
// webhooks, and connections. It is computed at most every few seconds, regardless of how many clients ask.

import { listLinkReports } from '../../carriers/link-queries.js'
import { findDeliveryDepth } from '../../events/queue/delivery-depth-queries.js'
import { MINUTE_MS } from '../../kit/clock.js'
import type { World } from '../../kit/world.js'
import { listLinkOutages } from '../../messages/dispatch/link-outage-queries.js'
import { CARRIERS, carrierOf, ROUTES } from '../../messages/lane.js'
import {
  type Depth,
  findDeepestLanes,
  findRouteDepths,
} from '../../messages/queue-depth-queries.js'
import { countRecent, type RecentCount } from '../../messages/usage/recent-queries.js'
import { linksOf } from '../../operator/oversight/list-carriers.js'
import { keepFor } from './keep-for.js'
import { type Link, linkState } from './link-view.js'

const KEPT_MS = 3_000
const MINUTES = 15
/** Above this number, messages are not counted one by one, and the report shows that there were more. */
const COUNTED_MAX = 10_000
const LANES_MAX = 20
const ERRORS_MAX = 5

/** Null if the database does not respond in time. */
export function createHealthReport(world: World, carrier: Link) {
  return keepFor(KEPT_MS, async () => {
    const { db, clock } = world
    const now = clock.now()
    const depths = await findRouteDepths(db, now)
    const lanes = await findDeepestLanes(db, now, LANES_MAX)
    const [lost] = await listLinkOutages(db, now)
    const links = linksOf(await listLinkReports(db, clock.machineNow()))
    const firstMs = (Math.floor(now.getTime() / MINUTE_MS) - MINUTES + 1) * MINUTE_MS
    const counts = await countRecent(db, new Date(firstMs), COUNTED_MAX)
    const webhooks = await findDeliveryDepth(db, 'webhook', now)
    return {
      now: now.toISOString(),
      carrier: {
        name: carrier.name,
        state: lost ? ('down' as const) : linkState(carrier),
        downSince: lost?.downSince.toISOString() ?? null,
        links: links.map(({ link, kind, state, since, detail }) => ({
          link,
          kind,
          state,
          since,
          detail,
        })),
      },
      queue: ROUTES.map((route) => {
        const depth = depths.find((one) => one.route === route)
        return { route, carrier: carrierOf(route), ...wireDepth(depth, now) }
      }),
      lanes: lanes.map(({ accountId, campaignId, route, ...depth }) => ({
        accountId,
        campaignId,
        route,
        ...wireDepth(depth, now),
      })),
      recent: recentOf(counts, firstMs),
      webhooks: { ...wireDepth(webhooks, now), off: webhooks.disabledSubscriptions },
      workers: (await db.workers.listAway()).map(({ name, since, accounts }) => ({
        worker: name,
        since: since.toISOString(),
        accounts,
      })),
      connections: connectionsOf(world),
    }
  })
}

function wireDepth(depth: Depth | undefined, now: Date) {
  const oldestMs = depth?.oldestDueAt ? now.getTime() - depth.oldestDueAt.getTime() : null
  return {
    waiting: depth?.waiting ?? 0,
    pending: depth?.pending ?? 0,
    oldestSeconds: oldestMs === null ? null : Math.max(0, Math.round(oldestMs / 1000)),
  }
}

function connectionsOf({ db, config }: World) {
  const { total, idle, waiting } = db.poolUse()
  return { busy: total - idle, idle, waiting, max: config.databasePoolMax }
}

function recentOf(counts: readonly RecentCount[], firstMs: number) {
  const total = counts.reduce((sum, { count }) => sum + count, 0)
  return {
    minutes: MINUTES,
    isComplete: total < COUNTED_MAX,
    carriers: CARRIERS.map((carrier) => {
      const own = counts.filter(({ route }) => carrierOf(route) === carrier)
      return { carrier, ...outcomeOf(own), errors: errorsOf(own) }
    }),
    byMinute: Array.from({ length: MINUTES }, (_, i) => {
      const startMs = firstMs + i * MINUTE_MS
      const own = counts.filter(({ minute }) => minute.getTime() === startMs)
      return { start: new Date(startMs).toISOString(), ...outcomeOf(own) }
    }),
  }
}

const WAITS: readonly string[] = ['CREATED', 'QUEUED']
const FAILS: readonly string[] = ['FAILED', 'EXPIRED']
const ARRIVES: readonly string[] = ['DELIVERED', 'READ']

/** Scheduled messages are neither waiting nor late. */
function outcomeOf(counts: readonly RecentCount[]) {
  const sum = (isOf: (status: string) => boolean) =>
    counts.reduce((all, { status, count }) => all + (isOf(status) ? count : 0), 0)
  return {
    accepted: sum(() => true),
    waiting: sum((status) => WAITS.includes(status)),
    sent: sum((status) => status === 'SENT' || ARRIVES.includes(status)),
    delivered: sum((status) => ARRIVES.includes(status)),
    failed: sum((status) => FAILS.includes(status)),
  }
}

function errorsOf(counts: readonly RecentCount[]): { code: number; count: number }[] {
  const byCode = new Map<number, number>()
  for (const { errorCode, count } of counts) {
    if (errorCode !== null) byCode.set(errorCode, (byCode.get(errorCode) ?? 0) + count)
  }
  const errors = [...byCode].map(([code, count]) => ({ code, count }))
  return errors.sort((a, b) => b.count - a.count || a.code - b.code).slice(0, ERRORS_MAX)
}
