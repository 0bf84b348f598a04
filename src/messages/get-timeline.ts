// The timeline of a message: its stored entries, and what it is waiting for right now.

import { findCampaign } from '../campaigns/campaign-queries.js'
import type { Queryable } from '../kit/postgres/db.js'
import type { World } from '../kit/world.js'
import { findNumber } from '../numbers/number-queries.js'
import type { RoutePort } from './carrier-port.js'
import { listLinkOutages } from './dispatch/link-outage-queries.js'
import { describeLimit, limitOf } from './lane.js'
import { listLinkPauses } from './link-pause-queries.js'
import type { Message } from './message.js'
import { findTimeline, type LimitWait } from './message-queries.js'
import { readTimeline, type TimelineEntry } from './timeline.js'

export async function getTimeline(
  {
    db,
    config,
    carrier,
  }: Pick<World, 'db' | 'config'> & { carrier: Pick<RoutePort, 'canSend' | 'linksFor'> },
  message: Message,
  now: Date,
): Promise<TimelineEntry[]> {
  const { entries, dueSince, limitWait } = await findTimeline(
    db,
    message.accountId,
    message.id,
    now,
  )
  const timeline = [...readTimeline(message, entries), ...(await numberEntry(db, carrier, message))]
  const paused = carrier.linksFor ? await pauseEntries(db, message, carrier.linksFor) : []
  if (paused.length > 0) return [...timeline, ...paused]
  if (dueSince === null) return timeline
  return [
    ...timeline,
    ...(limitWait ? await limitEntry(db, message, limitWait) : []),
    ...(await linkEntry({ db, config }, dueSince, now)),
  ]
}

async function numberEntry(
  db: Queryable,
  carrier: Pick<RoutePort, 'canSend'>,
  message: Message,
): Promise<TimelineEntry[]> {
  if (message.status !== 'QUEUED') return []
  const { number, createdAt } = message
  const found = await findNumber(db, number)
  if (found && carrier.canSend?.(found, message.campaignId) === false) {
    const text = `Waiting: no carrier link that hosts ${number} carries this campaign. The operator must connect one. If the message expires first, it is refunded`
    return [{ at: createdAt, kind: 'waiting', text }]
  }
  if (found?.status !== 'PENDING') return []
  const cause = found.statusReason === null ? 'activates it' : 'moves it to its campaign'
  const text = `Waiting for the number ${number}: it is PENDING until its provider ${cause}`
  return [{ at: createdAt, kind: 'waiting', text }]
}

/** Explains the wait when every link that could send the message is paused. */
async function pauseEntries(
  db: Queryable,
  { status, createdAt, number, peer, campaignId, type }: Message,
  linksFor: NonNullable<RoutePort['linksFor']>,
): Promise<TimelineEntry[]> {
  if (status !== 'QUEUED') return []
  const pauses = new Map((await listLinkPauses(db)).map((pause) => [pause.link, pause]))
  if (pauses.size === 0) return []
  const links = linksFor({ from: number, to: peer, campaignId, type })
  if (!links.every((link) => pauses.has(link))) return []
  return links.map((link) => {
    const { pausedAt, code } = pauses.get(link)!
    const why = code === null ? '' : `. It refused several messages in a row (${code})`
    const text = `Waiting: the carrier link ${link} has been paused since ${pausedAt.toISOString()}${why}`
    return { at: pausedAt > createdAt ? pausedAt : createdAt, kind: 'waiting', text }
  })
}

async function limitEntry(
  db: Queryable,
  message: Message,
  { route, from, until }: LimitWait,
): Promise<TimelineEntry[]> {
  const campaign = await findCampaign(db, message.accountId, message.campaignId)
  const limit = campaign && limitOf(route, campaign)
  if (limit === null) return []
  const text = `Waiting until ${until.toISOString()}, because ${describeLimit(route, limit)} was reached`
  return [{ at: from, kind: 'waiting', text }]
}

/** Computed when read, so an outage is one line no matter how long it lasts. */
async function linkEntry(
  { db, config }: Pick<World, 'db' | 'config'>,
  dueSince: Date,
  now: Date,
): Promise<TimelineEntry[]> {
  if (config.carrier === 'none') {
    const text = 'Waiting: no carrier link is set up. If the message expires first, it is refunded'
    return [{ at: dueSince, kind: 'down', text }]
  }
  const [lost] = await listLinkOutages(db, now)
  if (!lost) return []
  const { downSince } = lost
  const text = `The carrier link has been down since ${downSince.toISOString()}`
  return [{ at: downSince > dueSince ? downSince : dueSince, kind: 'down', text }]
}
