// Callbacks of providers: the address that names one message, sealed so that no caller can name another's, and what a
// callback means for the messages room (an inbound message or a receipt).

import { createHmac, timingSafeEqual } from 'node:crypto'
import type { AccountId } from '../../accounts/account.js'
import type { Inbound, Receipt } from '../../messages/carrier-port.js'
import type { KeywordName } from '../../text/keywords.js'
import type { NamedMessage, ProviderCallback } from './provider.js'

const SEAL_CHARACTERS = 22 // 128 bits
const STATUS = /^\/status\/([a-z0-9_]{1,40})\/([a-z0-9_]{1,40})\/([A-Za-z0-9_-]{22})$/

export class CallbackAddress {
  /** Of the link, without a slash at its end: what is called for inbound messages. */
  readonly base: string
  readonly #secret: string

  constructor(base: string, secret: string) {
    this.base = base
    this.#secret = secret
  }

  statusOf(message: NamedMessage): string {
    const { accountId, messageId } = message
    return `${this.base}/status/${accountId}/${messageId}/${this.#sealOf(message)}`
  }

  /** Null where the path names no message, or one that was not named by us. */
  readMessage(path: string): NamedMessage | null {
    const [, accountId, messageId, seal] = STATUS.exec(path) ?? []
    if (!accountId || !messageId || !seal) return null
    const message = { accountId: accountId as AccountId, messageId }
    const expected = Buffer.from(this.#sealOf(message))
    return timingSafeEqual(Buffer.from(seal), expected) ? message : null
  }

  #sealOf({ accountId, messageId }: NamedMessage): string {
    const mac = createHmac('sha256', this.#secret).update(`${accountId} ${messageId}`)
    return mac.digest('base64url').slice(0, SEAL_CHARACTERS)
  }
}

/** The provider has accepted a STOP, maybe one that we never saw. */
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

/** `named`: our own name for the message, where the callback carries it. */
export function receiptOf(
  link: string,
  { status, errorCode, carrierCode, carrierId }: Extract<ProviderCallback, { kind: 'receipt' }>,
  named: NamedMessage | null,
): Receipt {
  return {
    link,
    of: named ?? { carrierIds: [carrierId] },
    ...(named && { carrierId }),
    status: status === 'UNCONFIRMED' ? 'SENT' : status,
    errorCode,
    carrierCode,
    ...(status === 'UNCONFIRMED' && { isUnconfirmed: true }),
    ...(errorCode === OPTED_OUT && { isOptedOut: true }),
  }
}

/** By word in capitals: the keyword for which a provider takes it, acts on it and answers the phone. */
export function handledKeywords(
  words: Partial<Record<KeywordName, readonly string[]>>,
): ReadonlyMap<string, KeywordName> {
  const pairs = Object.entries(words) as [KeywordName, readonly string[]][]
  return new Map(pairs.flatMap(([name, list]) => list.map((word) => [word, name] as const)))
}
