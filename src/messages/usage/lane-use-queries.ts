// The current lanes of a campaign or an account: how much of their limits is used, and what waits.

import type { AccountId } from '../../accounts/account.js'
import type { Queryable } from '../../kit/postgres/db.js'
import { NOTHING, piece, sql } from '../../kit/postgres/sql.js'
import type { LaneSlots, Route } from '../lane.js'
import { listOpenLanes } from '../queue-depth-queries.js'

export interface LaneUse {
  route: Route
  slots: LaneSlots
  /** Until when the limit keeps its messages waiting. Null if it does not. */
  waitingUntil: Date | null
  /** Could be sent now, except for a limit or a lack of dispatchers. */
  waiting: number
  /** Since when the longest waiting one could have been sent. */
  oldestDueAt: Date | null
}

/** How many messages are counted one by one: in all lanes together, and at least and at most in one lane. */
const COUNTED_MAX = 5_000
const PER_LANE = { min: 10, max: 1_000 }

/**
 * No lane: nothing was ever queued there. If more than a bounded number wait in a lane, all QUEUED messages count
 * as waiting, including claimed ones and retries.
 */
export async function listLaneUse(
  db: Queryable,
  accountId: AccountId,
  campaignId: string | null,
  now: Date,
): Promise<LaneUse[]> {
  const open = await listOpenLanes(db, accountId, campaignId)
  const share = Math.floor(COUNTED_MAX / Math.max(1, open.length))
  const countedMax = Math.min(PER_LANE.max, Math.max(PER_LANE.min, share))
  const lanes = await db.query<LaneUse & { campaignId: string }>(sql`
    select l.campaign_id as "campaignId", l.route, l.window_slots as slots, d.waiting, d."oldestDueAt",
      case when l.held_from is not null and l.next_due_at > ${now} then l.next_due_at end
        as "waitingUntil"
    from lanes l cross join lateral (
      select count(*)::int as waiting, min(due_at) as "oldestDueAt" from (
        select due_at from messages m
        where m.account_id = ${accountId} and m.campaign_id = l.campaign_id and m.route = l.route
          and m.due_at is not null and m.due_at <= ${now}
        order by due_at limit ${countedMax}) due) d
    where l.account_id = ${accountId}
      ${campaignId === null ? NOTHING : piece`and l.campaign_id = ${campaignId}`}`)
  const queued = new Map(open.map((lane) => [`${lane.campaignId} ${lane.route}`, lane.queued]))
  return lanes.map(({ campaignId: campaign, ...lane }) => {
    if (lane.waiting < countedMax) return lane
    return {
      ...lane,
      waiting: Math.max(lane.waiting, queued.get(`${campaign} ${lane.route}`) ?? 0),
    }
  })
}
