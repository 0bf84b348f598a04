// The filters of a message search, in a query string or in the body of an export: their schema, and how they are read.

import { Type } from 'typebox'
import { readTime } from '../../kit/contract/iso-time.js'
import { fieldRefusal } from '../../kit/contract/refusal.js'
import { IdText } from '../../kit/contract/schema.js'
import { readPhoneQuery } from '../../text/number-schema.js'
import { LIST } from '../message-operations.js'
import type { SearchFilter } from './search-queries.js'

const ERROR_CODE_MAX = 99_999
const TEXT_LENGTH_MAX = 100
/** A key of 64 characters, a colon, and a value of 512. */
const PAIR_LENGTH_MAX = 577
const PRICE_MAX = 1_000
/** Including unknown ones, which get a warning. */
const FIELDS_MAX = 100
const MICROS = 1_000_000

/** The metadata key that names the batch of a message. */
const BATCH_KEY = 'batch'

const { direction, number, status, since, until } = LIST.schema.querystring.properties

const price = (description: string) =>
  Type.Optional(
    Type.Number({
      minimum: 0,
      maximum: PRICE_MAX,
      description,
      'x-expects': `must be an amount in dollars from 0 to ${PRICE_MAX}`,
    }),
  )

export const FILTER_FIELDS = {
  campaign: Type.Optional(IdText({ description: 'Only this campaign. Default: all' })),
  direction,
  number,
  status,
  errorCode: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: ERROR_CODE_MAX,
      description: 'Only messages that failed with this code. GET /v1/error/list returns the codes',
      'x-expects': 'must be a message error code, for example 1350',
      'x-also': ['error', 'code'],
    }),
  ),
  text: Type.Optional(
    Type.String({
      maxLength: TEXT_LENGTH_MAX,
      description: 'Only messages that contain this text anywhere, in any case',
      'x-expects': `must be a text of at most ${TEXT_LENGTH_MAX} characters`,
      'x-also': ['body', 'q', 'query', 'search', 'contains'],
    }),
  ),
  priceMin: price(
    'Only messages charged at least this amount in dollars. A refunded message counts as 0',
  ),
  priceMax: price(
    'Only messages charged at most this amount in dollars. A refunded message counts as 0',
  ),
  metadata: Type.Optional(
    Type.String({
      maxLength: PAIR_LENGTH_MAX,
      pattern: '^[^:]+:',
      description: 'Only messages with this pair in their metadata: `order:1042`',
      'x-expects': 'must be a key and a value with a colon between them, for example order:1042',
      'x-also': ['meta', 'tag', 'tags'],
    }),
  ),
  batch: Type.Optional(
    Type.String({
      maxLength: 512,
      description: `Only messages with this value of \`${BATCH_KEY}\` in their metadata. In a CSV file, the column \`metadata.batch\` sets it`,
      'x-expects': 'must be a text of at most 512 characters',
      'x-also': ['batchId'],
    }),
  ),
  since,
  until,
}

export const FilterShape = Type.Object(FILTER_FIELDS, {
  title: 'MessageFilter',
  maxProperties: FIELDS_MAX,
})
export type WireFilter = Type.Static<typeof FilterShape>

/** A blank text or batch matches everything. */
export function readFilter(wire: WireFilter): SearchFilter {
  const { priceMin, priceMax } = wire
  if (priceMin !== undefined && priceMax !== undefined && priceMin > priceMax) {
    throw fieldRefusal('priceMin', 'must not be more than priceMax')
  }
  return {
    campaignId: wire.campaign ?? null,
    direction: wire.direction ?? null,
    phone: readPhoneQuery(wire.number),
    status: wire.status ?? null,
    errorCode: wire.errorCode ?? null,
    text: wire.text?.trim() || null,
    priceMicrosMin: microsOf(priceMin),
    priceMicrosMax: microsOf(priceMax),
    metadata: pairsOf(wire),
    since: wire.since === undefined ? null : readTime('since', wire.since),
    until: wire.until === undefined ? null : readTime('until', wire.until),
  }
}

function microsOf(dollars: number | undefined): bigint | null {
  return dollars === undefined ? null : BigInt(Math.round(dollars * MICROS))
}

function pairsOf({ metadata, batch }: WireFilter): Record<string, string> | null {
  if (metadata === undefined && !batch) return null
  const pairs = batch ? { [BATCH_KEY]: batch } : {}
  if (metadata === undefined) return pairs
  const colon = metadata.indexOf(':')
  return { ...pairs, [metadata.slice(0, colon)]: metadata.slice(colon + 1) }
}
