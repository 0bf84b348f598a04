// Files that customers upload for later messages. An upload is stored once per account by its content. Its URL is
// sealed: it names the account, works for a week, and is read from the database when a message uses it.

import type { AccountId } from '../../accounts/account.js'
import type { QuotaBook } from '../../accounts/quota-book.js'
import { fieldRefusal, Refusal } from '../../kit/contract/refusal.js'
import type { World } from '../../kit/world.js'
import type { FileKey } from '../media-queries.js'
import type { AddressBook } from './address-book.js'
import { hashContent } from './hash-content.js'
import { findMediaRefusal } from './media-quota.js'
import type { FilePreparer } from './prepare-files.js'
import { fileName, fullHourAfter, type SealedAddresses } from './sealed-address.js'
import { insertUpload, sumUploads } from './upload-queries.js'

const LASTS_HOURS = 7 * 24
const FILES_MAX = 1_000
const BYTES_MAX = 500_000_000

/** Each may hold 10 MB of memory while it arrives. */
const AT_ONCE = 8
const AT_ONCE_PER_ACCOUNT = 2

export interface Upload {
  id: string
  url: string
  type: string
  bytes: number
  expiresAt: Date
}

interface UploadsDeps {
  addresses: AddressBook
  preparer: Pick<FilePreparer, 'typeOf' | 'factsOf'>
  quotas: QuotaBook
}

export class Uploads {
  readonly #world: Pick<World, 'db' | 'clock'>
  readonly #deps: UploadsDeps
  readonly #arriving = new Map<AccountId, number>()
  #arrivingInAll = 0

  constructor(world: Pick<World, 'db' | 'clock'>, deps: UploadsDeps) {
    this.#world = world
    this.#deps = deps
  }

  /** Reserves memory for one body that is about to arrive. Throws if refused. The result releases it, once. */
  begin(accountId: AccountId): () => void {
    const own = this.#arriving.get(accountId) ?? 0
    if (own >= AT_ONCE_PER_ACCOUNT || this.#arrivingInAll >= AT_ONCE) {
      throw new Refusal('uploads_busy')
    }
    this.#arriving.set(accountId, own + 1)
    this.#arrivingInAll += 1
    let isOver = false
    return () => {
      if (isOver) return
      isOver = true
      this.#arrivingInAll -= 1
      const left = this.#arriving.get(accountId)! - 1
      if (left === 0) this.#arriving.delete(accountId)
      else this.#arriving.set(accountId, left)
    }
  }

  async store(accountId: AccountId, content: Buffer, declared: string): Promise<Upload> {
    const { db, clock } = this.#world
    const contentType = await this.#checkedType(content, declared)
    const now = clock.now()
    const hash = await hashContent(content)
    const { files, bytes } = await sumUploads(db, { accountId, hash }, now)
    if (files >= FILES_MAX || bytes + content.length > BYTES_MAX) throw new Refusal('uploads_full')
    await this.#checkQuota({ accountId, hash, bytesMax: 0 }, content.length)
    const until = fullHourAfter(now, LASTS_HOURS)
    await insertUpload(db, { accountId, hash, contentType, content, until }, now)
    const addresses = await this.#deps.addresses.open()
    const url = addresses.until(accountId, fileName({ hash, bytesMax: 0 }, contentType), until)
    return { id: `upl_${hash}`, url, type: contentType, bytes: content.length, expiresAt: until }
  }

  async #checkQuota(key: FileKey, bytes: number): Promise<void> {
    const { db } = this.#world
    const refusal = await findMediaRefusal(db, this.#deps.quotas, key, bytes)
    if (refusal) throw refusal
  }

  async #checkedType(content: Buffer, declared: string): Promise<string> {
    const { preparer } = this.#deps
    if (content.length === 0) {
      throw new Refusal('body_invalid', 'The file is empty. Send the file as the request body')
    }
    const found = await preparer.typeOf(content, declared)
    if ('code' in found) throw new Refusal('media_unsendable', found.detail)
    const facts = await preparer.factsOf({ contentType: found.type, content })
    if (facts && 'code' in facts) throw new Refusal('media_unsendable', facts.detail)
    return found.type
  }
}

/** The uploaded file behind this URL. Null for every other URL. It may have expired. */
export async function findUpload(book: AddressBook, url: string): Promise<FileKey | null> {
  const addresses = await book.open()
  const parts = addresses.partsOf(url)
  return parts && addresses.open(parts)
}

/** Why this account cannot use one of these URLs now, or at the message's scheduled time. */
export function findUploadProblem(
  addresses: SealedAddresses,
  accountId: AccountId,
  urls: readonly string[],
  { now, scheduledAt }: { now: Date; scheduledAt: Date | null },
): Refusal | null {
  for (const [i, url] of urls.entries()) {
    const parts = addresses.partsOf(url)
    if (!parts) continue
    const field = `mediaUrls[${i}]`
    const key = addresses.read(parts, now)
    if (!key) {
      return fieldRefusal(field, 'is not a valid upload URL or has expired. Upload the file again')
    }
    if (key.accountId !== accountId) {
      return fieldRefusal(
        field,
        'is an upload of another account. Upload the file with this account',
      )
    }
    if (scheduledAt && !addresses.read(parts, scheduledAt)) {
      return fieldRefusal(
        field,
        'expires before scheduledAt. Upload the file again closer to that time',
      )
    }
  }
  return null
}
