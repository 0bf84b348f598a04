// Verifies what a webhook received (Standard Webhooks: HMAC-SHA256 of id.timestamp.body) and returns the typed event.
// It uses Web Crypto, so it also runs on edge platforms.

import { LongcodeError } from './error.js'
import type { WebhookEvent } from './types.js'

const TOLERANCE_S = 300
/** Beyond this, the oldest requests are no longer recognized when they are replayed. */
const REMEMBERED_MAX = 100_000

/** Remembers requests, so that a copy of one is refused. Several processes need a shared store, such as Redis. */
export interface ReplayStore {
  /** Returns false if the store already has the key. It may delete the key after this time. */
  add(key: string, ttlSeconds: number): boolean | Promise<boolean>
}

export interface WebhookVerifierOptions {
  /** How far `webhook-timestamp` may differ from the current time. Default: 300. */
  toleranceSeconds?: number | undefined
  /** Default: in memory. With null, replays are not detected. */
  replays?: ReplayStore | null | undefined
  /** The current time in milliseconds. Default: Date.now. */
  now?: (() => number) | undefined
}

/** As in a Request of fetch, or as in Node's http, Express, and Fastify. */
export type WebhookHeaders = Headers | Readonly<Record<string, string | string[] | undefined>>

type Bytes = Uint8Array<ArrayBuffer>
// Its name is not global on every platform.
type Key = Awaited<ReturnType<typeof importKey>>

export class WebhookVerifier {
  readonly #keys: Promise<Key[]>
  readonly #toleranceSeconds: number
  readonly #replays: ReplayStore | null
  readonly #now: () => number

  /** Takes the secret of a webhook, or several if one endpoint serves several webhooks. */
  constructor(secret: string | readonly string[], options: WebhookVerifierOptions = {}) {
    const secrets = [secret].flat().map(readSecret)
    if (secrets.length === 0) throw new TypeError('a webhook secret is required')
    this.#keys = Promise.all(secrets.map(importKey))
    this.#toleranceSeconds = options.toleranceSeconds ?? TOLERANCE_S
    this.#now = options.now ?? Date.now
    this.#replays = options.replays === undefined ? new MemoryStore(this.#now) : options.replays
  }

  /**
   * Takes the body exactly as received, before JSON parsing. Throws a LongcodeError whose `code` is
   * webhook_headers_missing, webhook_signature_wrong, webhook_too_old, webhook_too_new, webhook_replayed, or
   * webhook_body_unreadable.
   *
   * The service delivers at least once. A later attempt has a new timestamp and is not a replay: use `id` of the
   * event to drop duplicates.
   */
  async verify(
    body: string | Uint8Array | ArrayBuffer,
    headers: WebhookHeaders,
  ): Promise<WebhookEvent> {
    const bytes = typeof body === 'string' ? new TextEncoder().encode(body) : new Uint8Array(body)
    const id = readHeader(headers, 'webhook-id')
    const timestamp = readHeader(headers, 'webhook-timestamp')
    const signatures = readHeader(headers, 'webhook-signature').split(' ')
    await this.#verifySignature(joinBytes(`${id}.${timestamp}.`, bytes), signatures)
    this.#verifyTime(timestamp)
    // Two attempts for one event differ in their timestamps. Only a copy of a request has both in common.
    const ttlSeconds = 2 * this.#toleranceSeconds
    if (this.#replays && !(await this.#replays.add(`${id}.${timestamp}`, ttlSeconds))) {
      throw refused('webhook_replayed', 'This request was already received: it is a replay.')
    }
    return readEvent(bytes)
  }

  /** Reads and verifies a Request of fetch. */
  async verifyRequest(request: Request): Promise<WebhookEvent> {
    return this.verify(await request.arrayBuffer(), request.headers)
  }

  async #verifySignature(signed: Bytes, signatures: readonly string[]): Promise<void> {
    const given = signatures.map(readSignature).filter((one) => one !== null)
    for (const key of await this.#keys) {
      for (const signature of given) {
        // Compares in constant time.
        if (await crypto.subtle.verify('HMAC', key, signature, signed)) return
      }
    }
    const message =
      'The signature is wrong. Check the secret, and pass the body exactly as received.'
    throw refused('webhook_signature_wrong', message)
  }

  #verifyTime(timestamp: string): void {
    const ageSeconds = this.#now() / 1_000 - Number(timestamp)
    if (ageSeconds > this.#toleranceSeconds) {
      const message = `The request is ${Math.round(ageSeconds)} seconds old. It may be a replay, or your clock is fast.`
      throw refused('webhook_too_old', message)
    }
    // Also refuses a timestamp that is not a number.
    if (!(ageSeconds >= -this.#toleranceSeconds)) {
      throw refused('webhook_too_new', 'The request is from the future. Check your clock.')
    }
  }
}

class MemoryStore implements ReplayStore {
  readonly #untilMs = new Map<string, number>()
  readonly #now: () => number

  constructor(now: () => number) {
    this.#now = now
  }

  add(key: string, ttlSeconds: number): boolean {
    const nowMs = this.#now()
    // In order of insertion, which is also the order of expiry.
    for (const [old, untilMs] of this.#untilMs) {
      if (untilMs > nowMs && this.#untilMs.size < REMEMBERED_MAX) break
      this.#untilMs.delete(old)
    }
    if (this.#untilMs.has(key)) return false
    this.#untilMs.set(key, nowMs + ttlSeconds * 1_000)
    return true
  }
}

function refused(code: string, message: string, cause?: unknown): LongcodeError {
  return new LongcodeError(message, { code, cause })
}

function readHeader(headers: WebhookHeaders, name: string): string {
  const value = headers instanceof Headers ? headers.get(name) : fromRecord(headers, name)
  if (value) return value
  throw refused('webhook_headers_missing', `The request has no ${name} header.`)
}

function fromRecord(headers: Exclude<WebhookHeaders, Headers>, name: string): string | undefined {
  const entry = Object.entries(headers).find(([key]) => key.toLowerCase() === name)
  return [entry?.[1]].flat()[0]
}

function readSecret(secret: string): Bytes {
  const key = secret?.startsWith('whsec_') ? decodeBase64(secret.slice('whsec_'.length)) : null
  if (key) return key
  throw new TypeError('This is not a webhook secret. Secrets start with whsec_ followed by base64.')
}

function readSignature(entry: string): Bytes | null {
  return entry.startsWith('v1,') ? decodeBase64(entry.slice(3)) : null
}

function decodeBase64(text: string): Bytes | null {
  try {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0))
  } catch {
    return null
  }
}

function importKey(secret: Bytes) {
  const algorithm = { name: 'HMAC', hash: 'SHA-256' }
  return crypto.subtle.importKey('raw', secret, algorithm, false, ['verify'])
}

function joinBytes(start: string, rest: Uint8Array): Bytes {
  const first = new TextEncoder().encode(start)
  const all = new Uint8Array(first.length + rest.length)
  all.set(first)
  all.set(rest, first.length)
  return all
}

function readEvent(bytes: Uint8Array): WebhookEvent {
  try {
    return JSON.parse(new TextDecoder().decode(bytes))
  } catch (cause) {
    throw refused('webhook_body_unreadable', 'The body is not JSON.', cause)
  }
}
