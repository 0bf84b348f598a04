// The proof that travels with an event beside the contract's `signature`: that of Standard Webhooks, which any
// of its public libraries verifies.

import { createHmac, createSecretKey, type KeyObject } from 'node:crypto'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { Cache } from '../../kit/cache.js'
import type { RequestHead } from '../sent-request.js'
import type { Webhook } from '../webhook.js'

const { version } = JSON.parse(
  readFileSync(path.resolve(import.meta.dirname, '../../../package.json'), 'utf8'),
) as { version: string }

const USER_AGENT = `Longcode/${version}`

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

/** Read once: a webhook signs thousands of events with it. */
function keyOf(secret: string): KeyObject {
  const known = keys.peek(secret)
  if (known) return known
  const key = createSecretKey(secret.replace(/^whsec_/, ''), 'base64')
  keys.set(secret, key)
  return key
}

type Signer = Pick<Webhook, 'url' | 'secret' | 'formerSecret' | 'formerSecretUntil'>

export interface SigningTime {
  /** The service's: says which secrets are live. */
  now: Date
  /** How far the service's clock is ahead of the world's. */
  offsetMs: number
}

/**
 * What is signed is the event's id, the time and the body. The time is that of the attempt, so that a receiver can refuse what is old; it is
 * the world's time, because a receiver knows nothing of a test clock that was moved.
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
