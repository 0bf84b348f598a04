// Addresses of files that go out: a carrier fetches them without a token, so each names one file of one account, until
// when it is good, and a seal over both. Whoever changes anything about it gets nothing.

import { createHmac, timingSafeEqual } from 'node:crypto'
import type { AccountId } from '../../accounts/account.js'
import type { FileKey } from '../media-queries.js'
import { extensionOf } from './identify-type.js'

const HOUR_MS = 60 * 60 * 1000
const SEAL_CHARACTERS = 22 // 128 bits
const NAME = /^([\w-]{43})\.(\d{1,9})\.\w{1,8}$/

/** What follows /media/ in an address. */
export interface SealedParts {
  accountId: string
  until: string
  seal: string
  name: string
}

/** A file within its account, with an ending that says what it is. */
export function fileName({ hash, bytesMax }: Omit<FileKey, 'accountId'>, type: string): string {
  return `${hash}.${bytesMax}.${extensionOf(type)}`
}

export class SealedAddresses {
  readonly #base: string
  readonly #key: Buffer
  readonly #hours: number

  constructor(
    { publicUrl, mediaLinkHours }: { publicUrl: string; mediaLinkHours: number },
    key: Buffer,
  ) {
    this.#base = `${publicUrl}/media`
    this.#key = key
    this.#hours = mediaLinkHours
  }

  /** Good until a full hour, so that one picture for many has one address, which carriers fetch once. */
  of(accountId: AccountId, name: string, now: Date): string {
    const until = String(Math.ceil(now.getTime() / HOUR_MS) + this.#hours)
    return `${this.#base}/${accountId}/${until}/${this.#sealOf({ accountId, until, name })}/${name}`
  }

  /** Null where it was not made by us, or is past its time. */
  read({ accountId, until, seal, name }: SealedParts, now: Date): FileKey | null {
    const [, hash, bytesMax] = NAME.exec(name) ?? []
    const expected = Buffer.from(this.#sealOf({ accountId, until, name }))
    const given = Buffer.from(seal)
    if (!hash || given.length !== expected.length || !timingSafeEqual(given, expected)) return null
    if (now.getTime() >= Number(until) * HOUR_MS) return null
    return { accountId: accountId as AccountId, hash, bytesMax: Number(bytesMax) }
  }

  #sealOf({ accountId, until, name }: Omit<SealedParts, 'seal'>): string {
    const mac = createHmac('sha256', this.#key).update(`${accountId}/${until}/${name}`)
    return mac.digest('base64url').slice(0, SEAL_CHARACTERS)
  }
}
