// An export: messages that match a filter, as a CSV file that is written in the background.

import type { AccountId, Caller } from '../../accounts/account.js'
import { DAY_MS, MINUTE_MS } from '../../kit/clock.js'
import type { WireFilter } from '../reads/message-filter.js'

export const EXPORT_STATUSES = ['RUNNING', 'DONE', 'FAILED'] as const
type ExportStatus = (typeof EXPORT_STATUSES)[number]

/** More than a spreadsheet opens (1,048,576 rows with the header). */
export const EXPORT_ROWS_MAX = 1_000_000
/** A list has all of them. */
export const EXPORTS_MAX = 10
export const EXPORT_KEPT_MS = 7 * DAY_MS
/** An export that is not finished by then fails, so it does not block the next one forever. */
export const EXPORT_TIME_MAX_MS = DAY_MS
/** Much longer than a part takes. Afterwards another process continues. */
export const EXPORT_LEASE_MS = MINUTE_MS / 2

export interface MessageExport {
  accountId: AccountId
  id: string
  /** The person or token that requested it; null: from before this was recorded. */
  createdBy: string | null
  name: string
  filter: WireFilter
  status: ExportStatus
  rowCount: number
  byteCount: number
  partCount: number
  /** The last message ID read. Null: none yet. */
  position: string | null
  isTruncated: boolean
  dueAt: Date
  createdAt: Date
  finishedAt: Date | null
  expiresAt: Date
}

/** One's own, and with the scope `manage` also those of others. */
export function mayDeleteExport(
  { tokenId, scopes }: Pick<Caller, 'tokenId' | 'scopes'>,
  { createdBy }: MessageExport,
): boolean {
  return createdBy === tokenId || scopes.includes('manage')
}

/** Runs from the request, with nothing read yet. Messages that arrive later do not belong to it. */
export function newExport(
  {
    accountId,
    id,
    createdBy,
    name,
  }: Pick<MessageExport, 'accountId' | 'id' | 'createdBy' | 'name'>,
  filter: WireFilter,
  now: Date,
): MessageExport {
  return {
    ...{ accountId, id, createdBy, name },
    filter: { until: now.toISOString(), ...filter },
    status: 'RUNNING',
    ...{ rowCount: 0, byteCount: 0, partCount: 0, position: null, isTruncated: false },
    dueAt: now,
    createdAt: now,
    finishedAt: null,
    expiresAt: new Date(now.getTime() + EXPORT_KEPT_MS),
  }
}
