// Examples stand once in openapi.json. What the example of a reply says of a noun goes to that noun, and
// what is left goes to the single fields; readers put the example of the reply together from these.

import type { Json } from './openapi-components.js'

/** The schema of a reply, with the parts of its example at the schemas that they are examples of. */
export function withSpreadExample(schema: Json, example: unknown): Json {
  const { properties } = schema as { properties?: Record<string, Json> }
  if (!properties || !isObject(example)) return withExample(schema, example)
  const spread = Object.entries(properties).map(([name, field]) => [
    name,
    name in example ? spreadField(field, example[name]) : field,
  ])
  return { ...schema, properties: Object.fromEntries(spread) }
}

function spreadField(field: Json, example: unknown): Json {
  const { allOf } = field as { allOf?: Json[] }
  // The noun that it extends has an example of its own.
  const extend = (part: Json) => (part.title ? part : withSpreadExample(part, example))
  if (allOf) return { ...field, allOf: allOf.map(extend) }
  if (field.title) return withExample(field, example)
  if (field.type === 'array' && Array.isArray(example) && example.length > 0) {
    return { ...field, items: spreadField(field.items as Json, example[0]) }
  }
  return withSpreadExample(field, example)
}

function withExample(schema: Json, example: unknown): Json {
  const isKnown = example === undefined || 'examples' in schema || 'const' in schema
  return isKnown ? schema : { ...schema, examples: [example] }
}

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
