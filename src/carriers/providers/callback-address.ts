// The address by which a provider tells what became of one message: it names the message, and a seal over the name
// makes sure that nobody who may call can name another's.

import { createHmac, timingSafeEqual } from 'node:crypto'
import type { AccountId } from '../../accounts/account.js'
import type { NamedMessage } from './provider.js'

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
