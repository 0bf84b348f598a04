// Pieces of schema that every room uses. One TypeBox object gives the check at the border, the type
// in the code and the shape in openapi.json, where `title` names a schema and x-parameter a parameter.
// Words of our own steer the sentences: x-missing (the whole text when absent), x-expects (continues the
// field's name), x-explains (the same, made from the value), x-text (any fault), x-also (what callers may
// call it instead), x-fields (the schema whose names an object has that is checked elsewhere).

import { type TProperties, type TSchema, Type } from 'typebox'

/** An object with a name of its own in openapi.json, and so a type in clients made from it. */
export function Noun<Fields extends TProperties>(title: string, fields: Fields) {
  return Type.Object(fields, { title })
}

export const PAGE_LIMIT_MAX = 1000
/** What is passed over is read: so far that takes some tens of milliseconds, whatever the list has. */
const SKIP_MAX = 10_000
const ID_LENGTH_MAX = 500
/** More than Node's own limit for a request line. */
export const PATH_TEXT_LENGTH_MAX = 20_000

export const Timestamp = Type.String({
  title: 'Timestamp',
  format: 'date-time',
  description: 'ISO 8601 UTC with milliseconds',
  examples: ['2026-11-15T12:00:00.000Z'],
})

export const NullableTimestamp = Type.Unsafe<string | null>({
  type: ['string', 'null'],
  format: 'date-time',
})

export const NullableString = Type.Unsafe<string | null>({ type: ['string', 'null'] })
export const NullableNumber = Type.Unsafe<number | null>({ type: ['number', 'null'] })

/** Text that must say something. Blank counts as missing. */
export function RequiredText(maxLength: number, options: Record<string, unknown> = {}) {
  return Type.String({ minLength: 1, maxLength, pattern: '\\S', ...options })
}

export function OptionalText(maxLength: number, options: Record<string, unknown> = {}) {
  return Type.Optional(Type.String({ maxLength, ...options }))
}

/** What callers may call the field instead: answered with the nearest name where they do. */
export function also<T extends TSchema>(schema: T, ...words: string[]): T {
  return { ...schema, 'x-also': words }
}

/** The id of a record, where one is asked for. Whether there is such a record is for the room to say. */
export function IdText(options: Record<string, unknown> = {}) {
  return Type.String({ maxLength: ID_LENGTH_MAX, ...options })
}

/** A step of the path. However long it is, it is unknown rather than malformed. */
export function PathText(options: Record<string, unknown> = {}) {
  return Type.String({ maxLength: PATH_TEXT_LENGTH_MAX, ...options })
}

export const IdParams = Type.Object({
  id: PathText({ description: 'The id of the record', 'x-parameter': 'Id' }),
})

const PAGE_FIELDS = {
  limit: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: PAGE_LIMIT_MAX,
      default: 10,
      description: 'How many records at most',
      'x-expects': `must be a whole number from 1 to ${PAGE_LIMIT_MAX}`,
      'x-also': ['count', 'pageSize', 'perPage', 'size', 'max', 'take', 'first'],
      'x-parameter': 'Limit',
    }),
  ),
  skip: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: SKIP_MAX,
      default: 0,
      description: 'How many records to pass over; `after` goes further, at the same cost anywhere',
      'x-explains': skipProblem,
      'x-also': ['offset', 'start', 'page'],
      'x-parameter': 'Skip',
    }),
  ),
  after: Type.Optional(
    Type.String({
      pattern: '^[a-z]{3}_[0-9a-z]{26}$',
      description: 'The id of the last record of the former page. Extension (not in the contract)',
      'x-expects': 'must be the id of the last record of the former page',
      'x-also': ['cursor', 'startingAfter', 'lastId', 'pageToken'],
      'x-parameter': 'After',
    }),
  ),
}

function skipProblem(value: unknown): string {
  const isTooFar = Number.isInteger(Number(value)) && Number(value) > SKIP_MAX
  return isTooFar
    ? `must be at most ${SKIP_MAX}: beyond that, give the last record of the former page as after`
    : 'must be a whole number, 0 or more'
}

export const PageQuery = Type.Object(PAGE_FIELDS)

export function pageQueryWith<T extends Parameters<typeof Type.Object>[0]>(fields: T) {
  return Type.Object({ ...fields, ...PAGE_FIELDS })
}

export interface Page {
  limit: number
  skip: number
  after: string | null
}

export function pageOf(query: { limit?: number; skip?: number; after?: string }): Page {
  return { limit: query.limit ?? 10, skip: query.skip ?? 0, after: query.after ?? null }
}

export const HasMore = Type.Boolean({
  title: 'HasMore',
  description: 'Whether more records follow. Extension (not in the contract)',
})

/** Cuts the one row too many that a list query asks for to learn whether more follow. */
export function cutPage<Row>(rows: Row[], page: Page): { rows: Row[]; hasMore: boolean } {
  return { rows: rows.slice(0, page.limit), hasMore: rows.length > page.limit }
}
