// URLs of outbound files. A carrier fetches them without a token, so each contains one file of one account, an
// expiry time, and a seal over both. A changed URL is refused.

import { createHmac, timingSafeEqual } from 'node:crypto'
import type { AccountId } from '../../accounts/account.js'
import { HOUR_MS } from '../../kit/clock.js'
import type { FileKey } from '../media-queries.js'
import { extensionOf } from './identify-type.js'

const SEAL_CHARACTERS = 22 // 128 bits
const NAME = /^([\w-]{43})\.(\d{1,9})\.\w{1,8}$/

/** The part after /media/ in a URL. */
export interface SealedParts {
  accountId: string
  until: string
  seal: string
  name: string
}

/** A file within its account, with an extension for its type. */
export function fileName({ hash, bytesMax }: Omit<FileKey, 'accountId'>, type: string): string {
  return `${hash}.${bytesMax}.${extensionOf(type)}`
}

export function fullHourAfter(now: Date, hours: number): Date {
  return new Date((Math.ceil(now.getTime() / HOUR_MS) + hours) * HOUR_MS)
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

  /** Valid until a full hour, so a picture sent to many has one URL, which carriers fetch once. */
  of(accountId: AccountId, name: string, now: Date): string {
    return this.until(accountId, name, fullHourAfter(now, this.#hours))
  }

  /** Valid until the given full hour. */
  until(accountId: AccountId, name: string, end: Date): string {
    const until = String(end.getTime() / HOUR_MS)
    return `${this.#base}/${accountId}/${until}/${this.#sealOf({ accountId, until, name })}/${name}`
  }

  /** Null for a URL elsewhere and for an inbound file. Does not check the seal. */
  partsOf(url: string): SealedParts | null {
    if (!url.startsWith(`${this.#base}/`)) return null
    const [accountId, until, seal, name, ...rest] = url.slice(this.#base.length + 1).split('/')
    if (name === undefined || rest.length > 0) return null
    return { accountId: accountId!, until: until!, seal: seal!, name }
  }

  /** Null if we did not create it or it has expired. */
  read(parts: SealedParts, now: Date): FileKey | null {
    return now.getTime() < Number(parts.until) * HOUR_MS ? this.open(parts) : null
  }

  /** Null if we did not create it. It may have expired. */
  open({ accountId, until, seal, name }: SealedParts): FileKey | null {
    const [, hash, bytesMax] = NAME.exec(name) ?? []
    const expected = Buffer.from(this.#sealOf({ accountId, until, name }))
    const received = Buffer.from(seal)
    if (!hash || received.length !== expected.length || !timingSafeEqual(received, expected))
      return null
    return { accountId: accountId as AccountId, hash, bytesMax: Number(bytesMax) }
  }

  #sealOf({ accountId, until, name }: Omit<SealedParts, 'seal'>): string {
    const mac = createHmac('sha256', this.#key).update(`${accountId}/${until}/${name}`)
    return mac.digest('base64url').slice(0, SEAL_CHARACTERS)
  }
}
