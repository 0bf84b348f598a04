// The quota of media bytes: for uploads and for files of received messages. Files that outgoing messages need for two days count, but are
// never refused.

import type { AccountId } from '../../accounts/account.js'
import { quotaRefusal } from '../../accounts/quota.js'
import type { QuotaBook } from '../../accounts/quota-book.js'
import type { Refusal } from '../../kit/contract/refusal.js'
import type { Queryable } from '../../kit/postgres/db.js'
import { type FileKey, hasFile } from '../media-queries.js'
import { findMediaTotals } from '../media-totals-queries.js'

/** Why a file of this size does not fit. Null if it fits, or if the same content is stored already. */
export async function findMediaRefusal(
  db: Queryable,
  quotas: QuotaBook,
  key: FileKey,
  bytes: number,
): Promise<Refusal | null> {
  const refusal = await findFullRefusal(db, quotas, key.accountId, bytes)
  return refusal && (await hasFile(db, key)) ? null : refusal
}

/** The same for any content. */
export async function findFullRefusal(
  db: Queryable,
  quotas: QuotaBook,
  accountId: AccountId,
  bytes: number,
): Promise<Refusal | null> {
  const { mediaBytes: limit } = await quotas.get(accountId)
  if (limit === 0) return null
  const used = (await findMediaTotals(db, accountId)).bytes
  return used + bytes > limit ? quotaRefusal('mediaBytes', used, limit) : null
}
