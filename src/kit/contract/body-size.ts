// The maximum size of a request body: the longest one that its schema allows, in UTF-8, plus some space for
// whitespace and unknown fields. Longer bodies are refused unread.

const CHARACTER_BYTES = 4
const SCALAR_BYTES = 32
const ROOM_BYTES = 16 * 1024
const KIB = 1024

interface Schema {
  type?: string | string[]
  enum?: readonly unknown[]
  const?: unknown
  anyOf?: readonly Schema[]
  properties?: Record<string, Schema>
  additionalProperties?: Schema | boolean
  propertyNames?: Schema
  items?: Schema
  pattern?: string
  maxLength?: number
  maxItems?: number
  maxProperties?: number
}

/** A whole number of KiB; infinite if a list, map, or text in it has no limit. */
export function bodyBytesMax(schema: object): number {
  return Math.ceil((jsonBytes(schema as Schema) + ROOM_BYTES) / (16 * KIB)) * 16 * KIB
}

/** 212992 reads "208 KiB". */
export function bytesText(bytes: number): string {
  if (bytes % 1_000_000 === 0) return `${bytes / 1_000_000} MB`
  return bytes % (KIB * KIB) === 0 ? `${bytes / (KIB * KIB)} MiB` : `${Math.ceil(bytes / KIB)} KiB`
}

function jsonBytes(schema: Schema): number {
  if (schema.const !== undefined) return valueBytes(schema.const)
  if (schema.enum) return Math.max(...schema.enum.map(valueBytes))
  if (schema.anyOf) return Math.max(...schema.anyOf.map(jsonBytes))
  const types = [schema.type ?? 'anything'].flat()
  return Math.max(...types.map((type) => (SIZES[type] ?? endless)(schema)))
}

const endless = () => Number.POSITIVE_INFINITY
const scalar = () => SCALAR_BYTES

const SIZES: Record<string, (schema: Schema) => number> = {
  null: scalar,
  boolean: scalar,
  number: scalar,
  integer: scalar,
  string: (schema) => textLengthMax(schema) * CHARACTER_BYTES + 2,
  array: ({ items, maxItems }) => 2 + listBytes(maxItems, items ? jsonBytes(items) : null),
  object: (schema) => 2 + fieldBytes(schema) + mapBytes(schema),
}

function valueBytes(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value))
}

function listBytes(count: number | undefined, each: number | null): number {
  return (count ?? Number.POSITIVE_INFINITY) * (1 + (each ?? Number.POSITIVE_INFINITY))
}

function fieldBytes({ properties = {} }: Schema): number {
  let bytes = 0
  for (const [name, inner] of Object.entries(properties)) {
    bytes += Buffer.byteLength(name) + 4 + jsonBytes(inner)
  }
  return bytes
}

function mapBytes({ properties, additionalProperties, propertyNames, maxProperties }: Schema) {
  if (properties) return 0 // other fields must fit into the extra space
  if (typeof additionalProperties !== 'object') return Number.POSITIVE_INFINITY
  const name = jsonBytes({ type: 'string', ...propertyNames })
  return listBytes(maxProperties, name + 1 + jsonBytes(additionalProperties))
}

/** The maximum number of characters of a text, by its length or by a bounded pattern. */
export function textLengthMax({ maxLength, pattern = '' }: Schema): number {
  if (maxLength !== undefined) return maxLength
  const isWhole = pattern.startsWith('^') && pattern.endsWith('$')
  const quantifiers = pattern.replace(/\\[\s\S]|\[(?:\\[\s\S]|[^\]\\])*(?:\]|\\?$)/g, 'x')
  if (!isWhole || /[*+|(]|,\}/.test(quantifiers)) return Number.POSITIVE_INFINITY
  let length = 0
  for (const [, count] of quantifiers.slice(1, -1).matchAll(/[^?](?:\{(?:\d+,)?(\d+)\}|\?)?/g)) {
    length += Number(count ?? 1)
  }
  return length
}
