// Alerts for operators: a carrier link that is down, or that delivers less than it should. Pure. A link that is down raises
// no second alert about its rate.

import { MINUTE_MS } from '../kit/clock.js'
import { type AlertFinding, type FoundAlerts, keyOf, type OpenAlerts } from './alert.js'
import { count, percent } from './describe-delivery.js'

/** A reconnect takes less. */
const DOWN_MS = MINUTE_MS
const RECEIPTS_MIN = 100
const RATE = { raise: 0.7, clear: 0.8 }

export interface WatchedLink {
  link: string
  /** paused: automatically, after repeated refusals. An operator's own pause is no alert. */
  state: 'up' | 'partly' | 'down' | 'paused' | 'paused by an operator'
  since: Date
  detail: string | null
  /** Receipts of the last minutes. */
  delivered: number
  failed: number
  minutes: number
}

/** Without reports of any process, nothing is known: open alerts stay. */
export function findLinkTrouble(
  links: readonly WatchedLink[],
  open: OpenAlerts,
  now: Date,
): FoundAlerts {
  if (links.length === 0) return { findings: [], kept: [...open.keys()] }
  const results = links.map((link) => findTrouble(link, open, now))
  return {
    findings: results.flatMap(({ findings }) => findings),
    kept: results.flatMap(({ kept }) => kept),
  }
}

function findTrouble(link: WatchedLink, open: OpenAlerts, now: Date): FoundAlerts {
  const isStopped = link.state === 'down' || link.state === 'paused'
  const age = now.getTime() - link.since.getTime()
  const key = keyOf({ kind: 'link_down', subject: link.link })
  const isOpen = open.has(key)
  if (isStopped && (isOpen || age >= DOWN_MS)) return { findings: [downFinding(link)], kept: [] }
  // It must stay up for as long as it had to be down.
  if (!isStopped && isOpen && age < DOWN_MS) return { findings: [], kept: [key] }
  return { findings: isStopped ? [] : rateFindings(link, open, now), kept: [] }
}

function downFinding({ link, state, since, detail }: WatchedLink): AlertFinding {
  const reason = detail === null ? '' : ` ${detail}`
  return {
    kind: 'link_down',
    subject: link,
    campaignId: null,
    since,
    whatHappened:
      state === 'paused'
        ? `Link ${link} is paused after repeated refusals.${reason}`
        : `Link ${link} is down.${reason}`,
    whatToDo:
      'Check the connection and the credentials, and ask the carrier. Messages wait or use another link of their route until it is back.',
    figures: {},
  }
}

function rateFindings(
  { link, delivered, failed, minutes }: WatchedLink,
  open: OpenAlerts,
  now: Date,
): AlertFinding[] {
  const alert = open.get(keyOf({ kind: 'link_delivery', subject: link }))
  const messages = delivered + failed
  if (messages < RECEIPTS_MIN) return []
  const rate = delivered / messages
  if (rate >= (alert ? RATE.clear : RATE.raise)) return []
  return [
    {
      kind: 'link_delivery',
      subject: link,
      campaignId: null,
      since: alert?.since ?? new Date(now.getTime() - minutes * MINUTE_MS),
      whatHappened: `Link ${link}: ${percent(rate)} of ${count(messages)} receipts in the last ${minutes} minutes report a delivery.`,
      whatToDo:
        'Check the last errors of the link and ask the carrier. Move traffic to another link if there is one.',
      figures: { rate, messages, failed },
    },
  ]
}
