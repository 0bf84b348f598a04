// How much of each carrier limit a campaign has used, from its lanes: the same numbers that the dispatcher uses, so
// a client never sees capacity that the next claim would not find. Pure.

import type { Campaign } from '../../campaigns/campaign.js'
import { currentSlots, limitOf, type Route, resetOf, usedIn } from '../lane.js'
import type { LaneUse } from './lane-use-queries.js'

/** The limits of a campaign, in the order and with the names of its `limits`. */
const LIMITED = [
  { name: 'smsTpmAtt', route: 'att-sms', carrier: 'att', period: 'minute' },
  { name: 'mmsTpmAtt', route: 'att-mms', carrier: 'att', period: 'minute' },
  { name: 'dailyTmoCap', route: 'tmo', carrier: 'tmo', period: 'day' },
] as const satisfies readonly { route: Route; [name: string]: string }[]

type Limited = (typeof LIMITED)[number]

export interface LimitUse extends Pick<Limited, 'name' | 'carrier' | 'period'> {
  unit: 'segment'
  /** False before approval, when null does not mean "no limit" yet. */
  isAssigned: boolean
  limit: number | null
  /** Null if there is no limit, because nothing is counted then. */
  used: number | null
  resetsAt: Date | null
  waiting: number
  waitingSince: Date | null
  waitingUntil: Date | null
  atLimit: 'wait' | 'fail'
}

export function limitUses(campaign: Campaign, lanes: readonly LaneUse[], now: Date): LimitUse[] {
  return LIMITED.map(({ route, name, carrier, period }) => {
    const lane = lanes.find((one) => one.route === route)
    const limit = limitOf(route, campaign)
    const slots = currentSlots(route, lane?.slots ?? {}, now)
    return {
      name,
      carrier,
      period,
      unit: 'segment',
      isAssigned: campaign.approvedAt !== null,
      limit,
      used: limit === null ? null : usedIn(slots),
      resetsAt: limit === null ? null : resetOf(route, slots, now),
      waiting: lane?.waiting ?? 0,
      waitingSince: lane?.oldestDueAt ?? null,
      waitingUntil: lane?.waitingUntil ?? null,
      atLimit: route === 'tmo' && !campaign.holdAtDailyCap ? 'fail' : 'wait',
    }
  })
}
