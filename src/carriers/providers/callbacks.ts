// Callbacks from providers: URLs that identify one message, sealed so nobody can forge one for another message, and
// what a callback means for the messages module (an inbound message or a receipt).

import { createHmac, timingSafeEqual } from 'node:crypto'
import type { AccountId } from '../../accounts/account.js'
import type { Inbound, Receipt } from '../../messages/carrier-port.js'
import type { MessageKey } from '../../messages/message.js'
import type { KeywordName } from '../../text/keywords.js'
import type { ProviderCallback } from './provider.js'

const SEAL_CHARACTERS = 22 // 128 bits
const STATUS = /^\/status\/([a-z0-9_]{1,40})\/([a-z0-9_]{1,40})\/([A-Za-z0-9_-]{22})$/

export class CallbackAddress {
  /** The link's URL without a trailing slash: the URL for inbound messages. */
  readonly base: string
  readonly #secret: string

  constructor(base: string, secret: string) {
    this.base = base
    this.#secret = secret
  }

  statusOf(message: MessageKey): string {
    const { accountId, id } = message
    return `${this.base}/status/${accountId}/${id}/${this.#sealOf(message)}`
  }

  /** Null if the path names no message, or if we did not create it. */
  readMessage(path: string): MessageKey | null {
    const [, accountId, id, seal] = STATUS.exec(path) ?? []
    if (!accountId || !id || !seal) return null
    const message = { accountId: accountId as AccountId, id }
    const expected = Buffer.from(this.#sealOf(message))
    return timingSafeEqual(Buffer.from(seal), expected) ? message : null
  }

  #sealOf({ accountId, id }: MessageKey): string {
    const mac = createHmac('sha256', this.#secret).update(`${accountId} ${id}`)
    return mac.digest('base64url').slice(0, SEAL_CHARACTERS)
  }
}

/** The provider has processed a STOP, perhaps one that we never received. */
export const OPTED_OUT = 1330

export function inboundOf(
  link: string,
  {
    from,
    to,
    body,
    mediaUrls,
    handled,
    facts,
    carrierId,
  }: Extract<ProviderCallback, { kind: 'inbound' }>,
): Inbound {
  const network = facts.network === undefined ? {} : { network: facts.network }
  const message = { link, carrierId, from, to, body, mediaUrls, part: null, handledAs: handled }
  return { ...message, ...network }
}

/** `message`: our message, if the callback's URL names it. */
export function receiptOf(
  link: string,
  { status, errorCode, carrierCode, carrierId }: Extract<ProviderCallback, { kind: 'receipt' }>,
  message: MessageKey | null,
): Receipt {
  return {
    link,
    of: message ?? { carrierIds: [carrierId] },
    ...(message && { carrierId }),
    status: status === 'UNCONFIRMED' ? 'SENT' : status,
    errorCode,
    carrierCode,
    ...(status === 'UNCONFIRMED' && { isUnconfirmed: true }),
    ...(errorCode === OPTED_OUT && { isOptedOut: true }),
  }
}

/** By word in capitals: the keyword that the provider recognizes, acts on, and answers. */
export function handledKeywords(
  words: Partial<Record<KeywordName, readonly string[]>>,
): ReadonlyMap<string, KeywordName> {
  const pairs = Object.entries(words) as [KeywordName, readonly string[]][]
  return new Map(pairs.flatMap(([name, list]) => list.map((word) => [word, name] as const)))
}
