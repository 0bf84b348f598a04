// Splits examples so that openapi.json has each one once: the parts for a noun go to that noun, and the rest
// goes to single fields. Readers assemble the example of a response from these.

import type { Json } from './openapi-components.js'

/** The schema of a response, with the parts of its example moved to the schemas they belong to. */
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
  // The noun that it extends has its own example.
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
