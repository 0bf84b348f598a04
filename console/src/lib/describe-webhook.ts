// Webhooks and their deliveries in words: what each event reports, what a delivery is about, and when its next
// attempts are due.

import type { CreateWebhookBody, Delivery, Webhook } from '../../generated/types.gen'
import { formatPhone } from './format'

export type WebhookEventType = CreateWebhookBody['eventTypes'][number]

export interface EventKind {
  type: WebhookEventType
  tells: string
}

const TELLS: Readonly<Record<WebhookEventType, string>> = {
  'message.incoming': 'A message arrives. Includes the keyword it matched, if any.',
  'message.status': 'A message is sent, delivered, or read, or it fails.',
  'recipient.optout': 'Someone opts out.',
  'campaign.changed': 'The campaign is approved, returned, suspended, renewed, …',
  'number.changed': 'A number is bought, released, moved, forwarded, …',
  'brand.changed': 'The campaign’s brand is verified, refused, vetted, …',
  'conversation.changed': 'A conversation is replied to, assigned, closed, …',
  'alert.raised': 'The service notices a problem, such as a low delivery rate.',
  'alert.cleared': 'A problem is over.',
}

export const EVENT_KINDS: readonly EventKind[] = Object.entries(TELLS).map(([type, tells]) => ({
  type: type as WebhookEventType,
  tells,
}))

export function webhookName({ name, url }: Pick<Webhook, 'name' | 'url'>): string {
  return name?.trim() || url.replace(/^https?:\/\//, '')
}

export interface About {
  who: string
  what: string
}

/** Described by the event's own body. Before the first attempt, by its message. */
export function aboutOf({ requestBody, messageId }: Delivery): About {
  const data = dataOf(requestBody)
  if (!data) return { who: messageId ?? '', what: '' }
  const { message, recipient, change, campaign, brand, number } = data
  if (message?.direction === 'INBOUND') {
    return { who: formatPhone(message.from), what: message.body }
  }
  if (message) return { who: formatPhone(message.to), what: sentenceCase(message.status) }
  if (recipient) return { who: formatPhone(recipient), what: 'opted out' }
  const name = campaign?.displayName ?? brand?.displayName ?? formatPhone(number?.phoneNumber ?? '')
  return { who: name, what: change ?? '' }
}

interface EventData {
  message?: { direction: string; from: string; to: string; body: string; status: string }
  recipient?: string
  change?: string
  campaign?: { displayName: string }
  brand?: { displayName: string }
  number?: { phoneNumber: string }
  test?: boolean
}

export function isTest({ requestBody }: Pick<Delivery, 'requestBody'>): boolean {
  return dataOf(requestBody)?.test === true
}

function dataOf(body: string | null): EventData | null {
  try {
    return body === null ? null : JSON.parse(body).data
  } catch {
    return null
  }
}

function sentenceCase(word: string): string {
  return word.charAt(0) + word.slice(1).toLowerCase()
}

const SECOND = 1000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE
/** The longest delays between eight attempts. Each is up to 10% shorter: see docs/webhooks.md. */
const WAITS_MS = [5 * SECOND, 5 * MINUTE, 30 * MINUTE, 2 * HOUR, 5 * HOUR, 10 * HOUR, 10 * HOUR]

/** Allows for the time between an attempt and its record on a busy service. */
const SLACK_MS = 60_000

/**
 * When the attempts after the next one are due, at the latest, if all fail. A replay starts a new round with all
 * attempts, so the position in a round is derived from its current delay.
 */
export function plannedAttempts(attemptedAt: Date, nextAt: Date, attempts: number): Date[] {
  const waitMs = nextAt.getTime() - attemptedAt.getTime()
  const isWait = (at: number) =>
    waitMs >= WAITS_MS[at]! * 0.9 - SECOND && waitMs <= WAITS_MS[at]! + SLACK_MS
  const newest = Math.min(attempts, WAITS_MS.length) - 1
  let step = newest
  while (step >= 0 && !isWait(step)) step -= 1
  let at = nextAt.getTime()
  // If the endpoint asked for a longer delay, the number of attempts shows the position.
  return WAITS_MS.slice((step < 0 ? newest : step) + 1).map((wait) => {
    at += wait
    return new Date(at)
  })
}
