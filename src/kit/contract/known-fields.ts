// The names a request may use, derived from the schema that checks it. One pass over the input finds
// unknown names and removes null where it can only mean "not given".

import { nearestName } from './nearest-name.js'
import { echo, type FieldProblem } from './refusal.js'

const UNKNOWN_MAX = 10
const NAME_LENGTH_MAX = 60
const NAMES_LISTED_MAX = 12

interface KnownField {
  /** Optional, and null is not a value of the field: it means "not given". */
  isAbsentWhenNull: boolean
  /** The fields of an object or of a list's entries. Null: names inside are free, or there are none. */
  inside: KnownFields | null
  /** Names that other APIs use for it. */
  also: readonly string[]
}

export type KnownFields = ReadonlyMap<string, KnownField>

/** The names that an endpoint accepts; empty if it accepts none. */
export interface KnownNames {
  query: KnownFields
  body: KnownFields | null
}

/** An unknown name, described for the client. */
export interface UnknownField extends FieldProblem {
  remedy: string
}

interface Schema {
  type?: string | readonly string[]
  enum?: readonly unknown[]
  const?: unknown
  anyOf?: readonly Schema[]
  items?: Schema
  properties?: Record<string, Schema>
  required?: readonly string[]
  additionalProperties?: unknown
  'x-also'?: readonly string[]
  'x-fields'?: Schema
}

const NOTHING: KnownFields = new Map()

export function knownNames(query: object | undefined, body: object | undefined): KnownNames {
  return {
    query: query ? (knownFields(query) ?? NOTHING) : NOTHING,
    body: body ? knownFields(body) : NOTHING,
  }
}

/** Null if the schema declares no names: a free map, or not an object. */
export function knownFields(schema: object): KnownFields | null {
  const {
    properties,
    additionalProperties,
    required = [],
  } = (schema as Schema)['x-fields'] ?? (schema as Schema)
  if (!properties || additionalProperties) return null
  return new Map(
    Object.entries(properties).map(([name, field]) => [
      name,
      {
        isAbsentWhenNull: !required.includes(name) && !isNullable(field),
        inside: knownFields(field.items ?? field),
        also: field['x-also'] ?? [],
      },
    ]),
  )
}

function isNullable(schema: Schema): boolean {
  const { type, anyOf } = schema
  if (anyOf) return anyOf.some(isNullable)
  if (schema.enum) return schema.enum.includes(null)
  if ('const' in schema) return schema.const === null
  return type === undefined || [type].flat().includes('null')
}

/**
 * Removes null values of optional fields from `data`. Returns the unknown names, or null if there are
 * none. It visits each key once because every send passes through here.
 */
export function readKnownFields(
  fields: KnownFields,
  data: unknown,
  kind: 'field' | 'parameter' = 'field',
): UnknownField[] | null {
  if (typeof data !== 'object' || data === null || Array.isArray(data)) return null
  // A file has no names. Its bytes would count as some.
  if (ArrayBuffer.isView(data)) return null
  const position = kind === 'field' ? BODY : QUERY
  return readObject(fields, data as Record<string, unknown>, position, null)
}

/** The position of a name. Its text is built only for unknown names. */
interface Position {
  path: string
  /** The index in a list; -1: not in a list. */
  index: number
  kind: 'field' | 'parameter'
}

const BODY: Position = { path: '', index: -1, kind: 'field' }
const QUERY: Position = { path: '', index: -1, kind: 'parameter' }

function pathOf({ path, index }: Position): string {
  return index === -1 ? path : `${path}[${index}].`
}

function readObject(
  fields: KnownFields,
  data: Record<string, unknown>,
  position: Position,
  before: UnknownField[] | null,
): UnknownField[] | null {
  let found = before
  for (const name in data) {
    const field = fields.get(name)
    if (field === undefined) {
      found ??= []
      if (found.length < UNKNOWN_MAX) found.push(describeUnknown(fields, name, position))
      continue
    }
    const value = data[name]
    if (value === null) {
      if (field.isAbsentWhenNull) delete data[name]
    } else if (field.inside !== null && typeof value === 'object') {
      found = readInside(field.inside, value as object, position, name, found)
    }
  }
  return found
}

function readInside(
  fields: KnownFields,
  value: object,
  outside: Position,
  name: string,
  before: UnknownField[] | null,
): UnknownField[] | null {
  const path = `${pathOf(outside)}${name}`
  const { kind } = outside
  if (!Array.isArray(value)) {
    const position = { path: `${path}.`, index: -1, kind }
    return readObject(fields, value as Record<string, unknown>, position, before)
  }
  let found = before
  const position = { path, index: 0, kind }
  for (let i = 0; i < value.length; i += 1) {
    const entry = value[i]
    if (typeof entry !== 'object' || entry === null || Array.isArray(entry)) continue
    position.index = i
    found = readObject(fields, entry, position, found)
  }
  return found
}

function describeUnknown(
  fields: KnownFields,
  unknownName: string,
  position: Position,
): UnknownField {
  const name = echo(unknownName, NAME_LENGTH_MAX)
  const near = nearestName(unknownName.slice(0, NAME_LENGTH_MAX), fields)
  return {
    field: `${pathOf(position)}${name}`,
    problem: `is not a ${position.kind} of this request`,
    remedy: near === null ? listNames(fields) : `did you mean ${near}?`,
  }
}

function listNames(fields: KnownFields): string {
  if (fields.size === 0) return 'none are accepted'
  const names = [...fields.keys()]
  const listed = names.slice(0, NAMES_LISTED_MAX).join(', ')
  return names.length > NAMES_LISTED_MAX
    ? `accepted names: ${listed}, …`
    : `accepted names: ${listed}`
}

/** "sendAt is not a field of this request: did you mean scheduledAt?" */
export function unknownText({ field, problem, remedy }: UnknownField): string {
  return `${field} ${problem}: ${remedy}`
}
