// Message statistics of the account: one response for a page of figures.

import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { Static } from 'typebox'
import { getCampaign } from '../../campaigns/campaign-queries.js'
import { DAY_MS } from '../../kit/clock.js'
import { readTime } from '../../kit/contract/iso-time.js'
import { fieldRefusal } from '../../kit/contract/refusal.js'
import type { World } from '../../kit/world.js'
import { type LaneUse, listLaneUse } from './lane-use-queries.js'
import { readStats, type Stats, type StatsSpan } from './stats.js'
import { DAYS_DEFAULT, DAYS_MAX, STATS, type StatsShape } from './stats-operation.js'
import { countMessages, findCountedSpan } from './stats-queries.js'
import { BUCKET_MS, type UsageBucket } from './summed-span.js'

type Query = Partial<Record<'from' | 'to' | 'campaign', string>> &
  Partial<Pick<StatsSpan, 'bucket' | 'by'>>

export const statsRoutes: FastifyPluginAsyncTypebox<World> = async (app, { db, clock }) => {
  app.get('/stats/messages', STATS, async ({ caller: { accountId }, query }) => {
    const now = clock.now()
    const requested = readSpan(query, now)
    if (requested.campaignId !== null) await getCampaign(db, accountId, requested.campaignId)
    const { from, to } = await findCountedSpan(db, accountId, requested, now)
    const counted = await countMessages(db, accountId, { ...requested, from, to })
    const span = { ...requested, from, to: requested.to > now ? requested.to : to }
    const queue = queueOf(await listLaneUse(db, accountId, span.campaignId, now))
    return { stats: wireStats(span, readStats(span, counted), queue), now: now.toISOString() }
  })
}

function readSpan({ bucket = 'hour', by = 'status', ...query }: Query, now: Date): StatsSpan {
  const to = query.to === undefined ? endOfBucket(bucket, now) : readTime('to', query.to)
  const from =
    query.from === undefined
      ? new Date(to.getTime() - DAYS_DEFAULT[bucket] * DAY_MS)
      : readTime('from', query.from)
  if (from >= to) throw fieldRefusal('from', 'must be before to')
  if (to.getTime() - from.getTime() > DAYS_MAX[bucket] * DAY_MS) {
    const instead = bucket === 'hour' ? ', or use bucket=day' : ''
    throw fieldRefusal(
      'from',
      `must be at most ${DAYS_MAX[bucket]} days before to with bucket=${bucket}${instead}`,
    )
  }
  return { from, to, bucket, by, campaignId: query.campaign ?? null }
}

function endOfBucket(bucket: UsageBucket, now: Date): Date {
  const sizeMs = BUCKET_MS[bucket]
  return new Date((Math.floor(now.getTime() / sizeMs) + 1) * sizeMs)
}

interface Queue {
  waiting: number
  oldestDueAt: Date | null
}

function queueOf(lanes: readonly LaneUse[]): Queue {
  const due = lanes.flatMap(({ oldestDueAt }) => oldestDueAt?.getTime() ?? [])
  return {
    waiting: lanes.reduce((sum, lane) => sum + lane.waiting, 0),
    oldestDueAt: due.length === 0 ? null : new Date(Math.min(...due)),
  }
}

function wireStats(
  { from, to, bucket, by }: StatsSpan,
  { total, groups, buckets }: Stats,
  { waiting, oldestDueAt }: Queue,
): Static<typeof StatsShape> {
  return {
    from: from.toISOString(),
    to: to.toISOString(),
    bucket,
    by,
    total,
    groups,
    buckets: buckets.map((one) => ({ ...one, start: one.start.toISOString() })),
    queue: { waiting, oldestDueAt: oldestDueAt?.toISOString() ?? null },
  }
}
