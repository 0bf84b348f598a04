// A limit and its use in words: what is counted, what waits, and what happens at the limit.

import type { LimitUse } from '../../../generated/types.gen'
import { formatCount } from '../../lib/format'
import { formatClock, formatDuration } from '../../lib/format-time'

export const LIMIT_NAMES: Record<LimitUse['name'], string> = {
  smsTpmAtt: 'AT&T SMS',
  mmsTpmAtt: 'AT&T MMS',
  dailyTmoCap: 'T-Mobile',
}

const DAY_S = 86_400
const NEAR = 0.8

/** The line under a meter. */
export function describeLimit(use: LimitUse, now: Date): string {
  const { limit, used } = use
  if (limit === null || used === null) return ''
  const lines = [describeWindow(use, now)]
  if (used >= limit) lines.push(describeAtLimit(use))
  else if (used >= limit * NEAR) lines.push(describeNearLimit(use, now))
  else if (use.waiting > 0) lines.push(`${formatCount(use.waiting)} waiting`)
  return lines.join(' · ')
}

function describeWindow({ period, resetsAt }: LimitUse, now: Date): string {
  if (period === 'minute' || resetsAt === null) return 'Last 60 seconds'
  const left = (Date.parse(resetsAt) - now.getTime()) / 1000
  return `Today. Resets at midnight Pacific (in ${formatDuration(Math.max(0, left))})`
}

function describeNearLimit({ period, limit, used, resetsAt }: LimitUse, now: Date): string {
  if (period === 'minute' || resetsAt === null) return 'Near the limit. New messages may be delayed'
  const passedS = DAY_S - (Date.parse(resetsAt) - now.getTime()) / 1000
  const leftS = ((limit! - used!) / used!) * passedS
  return `At this pace, you will reach the limit in about ${formatDuration(leftS)}`
}

function describeAtLimit({ waiting, waitingUntil, atLimit }: LimitUse): string {
  if (atLimit === 'fail') return 'Limit reached. New messages fail with error 1320 and are refunded'
  const next = waitingUntil ? `, next at ${formatClock(new Date(waitingUntil))}` : ''
  return `Limit reached. ${formatCount(waiting)} waiting${next}`
}
