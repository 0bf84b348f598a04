// Searches messages of one campaign or all, by their fields.

import type { AccountId } from '../../accounts/account.js'
import type { Page } from '../../kit/contract/schema.js'
import type { Store } from '../../kit/postgres/db.js'
import { piece } from '../../kit/postgres/sql.js'
import { type MessageFilter, SEARCH_REACH } from '../message-queries.js'
import type { Status } from '../message-state.js'
import { type WalkPage, walkMessages } from './walk-queries.js'

type Piece = ReturnType<typeof piece>

export interface SearchFilter extends Omit<MessageFilter, 'campaignId'> {
  campaignId: string | null
  /** Whether `phone` is where messages went or came from. Absent: either. */
  phoneIs?: 'to' | 'from'
  status: Status | null
  errorCode: number | null
  /** Anywhere in the text, in any case. */
  text: string | null
  /** What was charged, without refunds. Both bounds are included. */
  priceMicrosMin: bigint | null
  priceMicrosMax: bigint | null
  /** The message has all these pairs. */
  metadata: Readonly<Record<string, string>> | null
}

export const EVERY_MESSAGE: SearchFilter = {
  campaignId: null,
  direction: null,
  phone: null,
  status: null,
  errorCode: null,
  text: null,
  priceMicrosMin: null,
  priceMicrosMax: null,
  metadata: null,
  since: null,
  until: null,
}

/** The direction of messages in which the other party has that role. */
const TO_PEER = { to: 'OUTBOUND', from: 'INBOUND' } as const

export async function searchMessages(
  db: Store,
  accountId: AccountId,
  filter: SearchFilter,
  page: Page,
  reach = SEARCH_REACH,
): Promise<WalkPage> {
  const wanted = conditionsOf(filter)
  const pageEnd = page.skip + page.limit + 1
  const steps = wanted.length === 0 ? pageEnd : Math.max(page.skip + reach, pageEnd)
  return walkMessages(db, accountId, filter, {
    ...page,
    reach: steps,
    peerReach: steps,
    isWanted: wanted.reduce((all, one) => piece`${all} and ${one}`, piece`true`),
    isUnprepared: hasContentFilter(filter),
  })
}

/** By what a message contains or costs. The other filters have few combinations, which are prepared. */
function hasContentFilter(filter: SearchFilter): boolean {
  const { text, priceMicrosMin, priceMicrosMax, metadata } = filter
  return [text, priceMicrosMin, priceMicrosMax, metadata].some((value) => value !== null)
}

/** Those that no index of the walk decides. */
export function conditionsOf(filter: SearchFilter): Piece[] {
  const { direction, status, errorCode, phone, phoneIs, text, metadata } = filter
  const { priceMicrosMin, priceMicrosMax } = filter
  const charged = piece`case when is_refunded then 0 else price_micros end`
  return [
    direction === null ? null : piece`direction = ${direction}`,
    status === null ? null : piece`status = ${status}`,
    errorCode === null ? null : piece`error_code = ${errorCode}`,
    phoneIs === undefined ? null : piece`(peer = ${phone}) = (direction = ${TO_PEER[phoneIs]})`,
    text === null ? null : piece`body ilike ${likePattern(text)}`,
    priceMicrosMin === null ? null : piece`${charged} >= ${priceMicrosMin}`,
    priceMicrosMax === null ? null : piece`${charged} <= ${priceMicrosMax}`,
    metadata === null ? null : piece`metadata @> ${JSON.stringify(metadata)}::jsonb`,
  ].filter((condition) => condition !== null)
}

/** Matches the text itself: its own wildcards have no meaning. */
function likePattern(text: string): string {
  return `%${text.replaceAll(/[\\%_]/g, '\\$&')}%`
}
