// The timeline of a message: what was kept of it, and what it waits for at this moment.

import { findCampaign } from '../campaigns/campaign-queries.js'
import type { Queryable } from '../kit/db.js'
import { limitOf, limitWords } from './lane.js'
import type { Message } from './message.js'
import { findTimeline } from './message-queries.js'
import { readTimeline, type TimelineEntry } from './timeline.js'

export async function getTimeline(
  db: Queryable,
  message: Message,
  now: Date,
): Promise<TimelineEntry[]> {
  const { entries, hold } = await findTimeline(db, message.accountId, message.id, now)
  const timeline = readTimeline(message, entries)
  if (!hold) return timeline
  const campaign = await findCampaign(db, message.accountId, message.campaignId)
  const limit = campaign && limitOf(hold.route, campaign)
  if (limit === null) return timeline
  const text = `Waiting for ${limitWords(hold.route, limit)}, used up until ${hold.until.toISOString()}`
  return [...timeline, { at: hold.from, kind: 'waiting', text }]
}
