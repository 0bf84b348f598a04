// Moves everything that openapi.json would repeat into components, and references it from everywhere else. A
// schema's name is its `title`, a parameter's name is `x-parameter` in its schema.

export type Json = Record<string, unknown>

/** Internal keywords that control the texts of checks (kit/contract/schema.ts). Readers do not need them. */
const OWN_KEYWORDS = new Set([
  'x-missing',
  'x-expects',
  'x-explains',
  'x-text',
  'x-also',
  'x-fields',
])

export class Components {
  readonly #schemas = new Map<string, Json>()
  readonly #parameters = new Map<string, Json>()
  readonly #responses = new Map<string, Json>()

  /** The schema as written where it is used: a reference, if it has a name. */
  schema(schema: Json): Json {
    const { title, ...rest } = this.#withReferences(schema) as Json
    if (typeof title !== 'string') return rest
    const reference = { $ref: `#/components/schemas/${title}` }
    const existing = this.#schemas.get(title)
    if (!existing) {
      this.#schemas.set(title, rest)
      return reference
    }
    assertSame(title, shapeOf(existing), shapeOf(rest))
    if (rest.examples && !existing.examples) existing.examples = rest.examples
    const { description } = rest
    return description === existing.description ? reference : { ...reference, description }
  }

  parameter(parameter: Json & { schema: Json }): Json {
    const { 'x-parameter': name, ...schema } = parameter.schema
    const compact = { ...parameter, schema: this.schema(schema) }
    return typeof name === 'string'
      ? this.#refer(this.#parameters, 'parameters', name, compact)
      : compact
  }

  response(name: string, response: Json): Json {
    return this.#refer(this.#responses, 'responses', name, response)
  }

  all(): Json {
    return {
      schemas: sorted(this.#schemas),
      responses: sorted(this.#responses),
      parameters: sorted(this.#parameters),
    }
  }

  #refer(kept: Map<string, Json>, kind: string, name: string, value: Json): Json {
    const existing = kept.get(name)
    if (existing) assertSame(name, existing, value)
    else kept.set(name, value)
    return { $ref: `#/components/${kind}/${name}` }
  }

  #withReferences(schema: unknown): unknown {
    if (Array.isArray(schema)) return schema.map((one) => this.#inner(one))
    if (!isObject(schema)) return schema
    const copy: Json = {}
    for (const [key, value] of Object.entries(schema)) {
      if (OWN_KEYWORDS.has(key)) continue
      if (key === 'examples' || key === 'default' || key === 'enum' || key === 'const') {
        copy[key] = value
      } else if (key === 'properties') {
        copy[key] = mapValues(value as Json, (one) => this.#inner(one))
      } else if (key === 'patternProperties') {
        // TypeBox writes records this way, and @fastify/swagger changes them.
        copy.additionalProperties = this.#inner(Object.values(value as Json)[0])
      } else {
        copy[key] = Array.isArray(value) ? this.#withReferences(value) : this.#inner(value)
      }
    }
    // Client generators treat an enum without a type as any value.
    if (!copy.type && isTexts(copy.enum)) copy.type = 'string'
    return copy
  }

  #inner(value: unknown): unknown {
    return isObject(value) ? this.schema(value) : value
  }
}

/** What makes two schemas equal: everything except descriptions. */
function shapeOf({ description: _, ...shape }: Json): Json {
  return shape
}

function withoutExamples(key: string, value: unknown): unknown {
  return key === 'examples' ? undefined : value
}

/** If two schemas shared a name, generated clients would be wrong about one of them. */
function assertSame(name: string, existing: Json, found: Json): void {
  const [one, other] = [existing, found].map((value) => JSON.stringify(value, withoutExamples))
  if (one !== other) {
    throw new Error(`openapi.json: two different schemas are named ${name}: ${one} and ${other}`)
  }
}

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function isTexts(value: unknown): boolean {
  return Array.isArray(value) && value.every((one) => typeof one === 'string')
}

export function mapValues(object: Json, change: (value: unknown, key: string) => unknown): Json {
  return Object.fromEntries(Object.entries(object).map(([key, value]) => [key, change(value, key)]))
}

function sorted(kept: ReadonlyMap<string, Json>): Json {
  return Object.fromEntries([...kept].sort(([a], [b]) => (a < b ? -1 : 1)))
}
