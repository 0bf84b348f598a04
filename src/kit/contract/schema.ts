// Schema parts that every module uses. One TypeBox object provides the validation, the type in the code, and
// the shape in openapi.json, where `title` names a schema and x-parameter a parameter. Our own keywords
// control the texts: x-missing (the whole text if absent), x-expects (follows the field's name), x-explains
// (the same, built from the value), x-text (for any problem), x-also (synonyms for the field), x-fields (the
// schema with the field names of an object that is checked elsewhere).

import { type TProperties, type TSchema, Type } from 'typebox'

/** An object with its own name in openapi.json, and its own type in generated clients. */
export function Noun<Fields extends TProperties>(title: string, fields: Fields) {
  return Type.Object(fields, { title })
}

export const PAGE_LIMIT_MAX = 1000
/** Skipped rows are still read. Up to here, that takes some tens of milliseconds, for any list. */
const SKIP_MAX = 10_000
const ID_LENGTH_MAX = 500
/** More than Node's limit for a request line. */
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

/** Text that must not be empty. Blank counts as missing. */
export function RequiredText(maxLength: number, options: Record<string, unknown> = {}) {
  return Type.String({ minLength: 1, maxLength, pattern: '\\S', ...options })
}

export function OptionalText(maxLength: number, options: Record<string, unknown> = {}) {
  return Type.Optional(Type.String({ maxLength, ...options }))
}

/** Synonyms for the field: a client that uses one is pointed to the right name. */
export function also<T extends TSchema>(schema: T, ...aliases: string[]): T {
  return { ...schema, 'x-also': aliases }
}

/** The ID of a record. The module checks whether the record exists. */
export function IdText(options: Record<string, unknown> = {}) {
  return Type.String({ maxLength: ID_LENGTH_MAX, ...options })
}

/** A step of the path. Even if it is too long, it is unknown rather than malformed. */
export function PathText(options: Record<string, unknown> = {}) {
  return Type.String({ maxLength: PATH_TEXT_LENGTH_MAX, ...options })
}

export const IdParams = Type.Object({
  id: PathText({ description: 'The ID of the record', 'x-parameter': 'Id' }),
})

const PAGE_FIELDS = {
  limit: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: PAGE_LIMIT_MAX,
      default: 10,
      description: 'Maximum number of records',
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
      description:
        'Number of records to skip. `after` has no limit and costs the same on every page',
      'x-explains': skipProblem,
      'x-also': ['offset', 'start', 'page'],
      'x-parameter': 'Skip',
    }),
  ),
  after: Type.Optional(
    Type.String({
      pattern: '^[a-z]{3}_[0-9a-z]{26}$',
      description:
        'The ID of the last record of the previous page. Extension (not in the contract)',
      'x-expects': 'must be the ID of the last record of the previous page',
      'x-also': ['cursor', 'startingAfter', 'lastId', 'pageToken'],
      'x-parameter': 'After',
    }),
  ),
}

function skipProblem(value: unknown): string {
  const isTooFar = Number.isInteger(Number(value)) && Number(value) > SKIP_MAX
  return isTooFar
    ? `must be at most ${SKIP_MAX}: for more, use after with the last record of the previous page`
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

/** Removes the extra row that a list query reads to find out whether more follow. */
export function cutPage<Row>(rows: Row[], page: Page): { rows: Row[]; hasMore: boolean } {
  return { rows: rows.slice(0, page.limit), hasMore: rows.length > page.limit }
}
