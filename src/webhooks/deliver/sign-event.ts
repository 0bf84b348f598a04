// The signature of an event in addition to the contract's `signature`: that of Standard Webhooks, which its public
// libraries verify.

import { createHmac, createSecretKey, type KeyObject } from 'node:crypto'
import { Cache } from '../../kit/cache.js'
import { VERSION } from '../../kit/settings/installation.js'
import type { RequestHead } from '../sent-request.js'
import type { Webhook } from '../webhook.js'

export const USER_AGENT = `Longcode/${VERSION}`

/** `v1,` and the base64 of HMAC-SHA256 over id, time and body. The URL is not part of it. */
export function signStandard(
  secret: string,
  eventId: string,
  timestampSeconds: number,
  body: string | Buffer,
): string {
  const hmac = createHmac('sha256', keyOf(secret)).update(`${eventId}.${timestampSeconds}.`)
  return `v1,${hmac.update(body).digest('base64')}`
}

const KEYS_KEPT_MAX = 1_000
const keys = new Cache<string, KeyObject>({ max: KEYS_KEPT_MAX })

/** Decoded once, because a webhook signs thousands of events with it. */
function keyOf(secret: string): KeyObject {
  const cached = keys.peek(secret)
  if (cached) return cached
  const key = createSecretKey(secret.replace(/^whsec_/, ''), 'base64')
  keys.set(secret, key)
  return key
}

type Signer = Pick<Webhook, 'url' | 'secret' | 'formerSecret' | 'formerSecretUntil'>

export interface SigningTime {
  /** The service's time: decides which secrets are valid. */
  now: Date
  /** How far the service's clock is ahead of real time. */
  offsetMs: number
}

/**
 * Signs the event's ID, the time, and the body. The time is that of the attempt, so a receiver can refuse old
 * requests. It is real time, because a receiver knows nothing about a moved test clock.
 */
export function signEvent(
  webhook: Signer,
  eventId: string,
  body: string | Buffer,
  { now, offsetMs }: SigningTime,
): RequestHead {
  const seconds = Math.floor((now.getTime() - offsetMs) / 1000)
  return {
    timestamp: String(seconds),
    userAgent: USER_AGENT,
    signatures: liveSecrets(webhook, now)
      .map((secret) => signStandard(secret, eventId, seconds, body))
      .join(' '),
    url: webhook.url,
  }
}

function liveSecrets(webhook: Signer, now: Date): string[] {
  const { secret, formerSecret, formerSecretUntil } = webhook
  const isFormerLive =
    formerSecret !== null && formerSecretUntil !== null && formerSecretUntil > now
  return isFormerLive ? [secret, formerSecret] : [secret]
}
