// What the clients in sdk/ are generated from: the schemas, routes, and events of OpenAPI documents, reduced to what a
// customer's program sends and receives. Failures are left out, because the clients raise one error for all of them.

export interface Schema {
  $ref?: string
  type?: string | string[]
  enum?: unknown[]
  const?: unknown
  anyOf?: Schema[]
  allOf?: Schema[]
  items?: Schema
  properties?: Record<string, Schema>
  required?: string[]
  additionalProperties?: Schema | boolean
  description?: string
}

export interface Route {
  method: string
  path: string
  /** The name of its query type, such as ListMessagesQuery. Null if it takes no query. */
  query: string | null
  /** A schema, or `file` for an upload. Null if it takes no body. */
  body: Schema | 'file' | null
  /** Null for a stream. */
  reply: Schema | null
}

export interface Api {
  version: string
  /** By name, sorted. */
  schemas: [name: string, schema: Schema][]
  routes: Route[]
  /** The names of the schemas of webhook events. */
  events: string[]
  /** Every `code` of a refused request. */
  codes: string[]
}

interface Media {
  content: Record<string, { schema: Schema }>
}

interface Parameter {
  $ref?: string
  name: string
  in: string
  required?: boolean
  description?: string
  schema: Schema
}

interface Operation {
  operationId: string
  tags: string[]
  parameters?: Parameter[]
  requestBody?: Media
  responses: Record<string, Partial<Media>>
}

export interface Document {
  info: { version: string }
  paths: Record<string, Record<string, Operation>>
  webhooks?: Record<string, { post: { requestBody: Media } }>
  components: { schemas: Record<string, Schema>; parameters: Record<string, Parameter> }
}

const JSON_TYPE = 'application/json'
/** Always exported, whether or not a reply uses them. */
const ALWAYS = ['FieldProblem']
// A type named Number would hide JavaScript's own.
const RENAMED: Readonly<Record<string, string>> = { Number: 'OwnedNumber' }

export function readApi(documents: readonly Document[], codes: string[]): Api {
  const schemas = new Map(documents.flatMap((one) => Object.entries(one.components.schemas)))
  const queries = new Map<string, Schema>()
  const routes = documents.flatMap((document) => routesOf(document, queries))
  const events = documents.flatMap(({ webhooks = {} }) =>
    Object.values(webhooks).map(({ post }) => nameOf(post.requestBody.content[JSON_TYPE]!.schema)),
  )
  const used = new Map<string, Schema>()
  const use = (name: string): void => {
    if (used.has(name)) return
    const schema = queries.get(name) ?? schemas.get(name)
    if (!schema) throw new Error(`There is no schema ${name}`)
    used.set(name, schema)
    for (const other of referencesIn(schema)) use(other)
  }
  for (const name of [...ALWAYS, ...events, ...queries.keys()]) use(name)
  for (const name of routes.flatMap(({ body, reply }) => referencesIn([body, reply]))) use(name)
  return {
    version: documents[0]!.info.version,
    schemas: [...used]
      .map(([name, schema]): [string, Schema] => [publicName(name), schema])
      .sort(([a], [b]) => (a < b ? -1 : 1)),
    routes,
    events,
    codes: [...codes].sort(),
  }
}

function routesOf(document: Document, queries: Map<string, Schema>): Route[] {
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => {
      const query = querySchema(document, operation)
      const name = `${operation.operationId[0]!.toUpperCase()}${operation.operationId.slice(1)}Query`
      if (query) queries.set(name, query)
      return {
        method: method.toUpperCase(),
        path,
        query: query ? name : null,
        body: bodyOf(operation),
        reply: operation.responses[200]?.content?.[JSON_TYPE]?.schema ?? null,
      }
    }),
  )
}

function bodyOf({ requestBody }: Operation): Route['body'] {
  if (!requestBody) return null
  return requestBody.content[JSON_TYPE]?.schema ?? 'file'
}

function querySchema({ components }: Document, { parameters = [] }: Operation): Schema | null {
  const names = parameters
    .map((one) => (one.$ref ? components.parameters[nameOf(one)]! : one))
    .filter((one) => one.in === 'query')
  if (names.length === 0) return null
  return {
    type: 'object',
    required: names.filter((one) => one.required).map((one) => one.name),
    properties: Object.fromEntries(
      names.map(({ name, schema, description }) => [
        name,
        { ...schema, ...(description !== undefined && { description }) },
      ]),
    ),
  }
}

function referencesIn(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, inner]) => {
    if (key === 'examples') return []
    return key === '$ref' ? [nameOf({ $ref: String(inner) })] : referencesIn(inner)
  })
}

function nameOf({ $ref }: { $ref?: string }): string {
  return $ref!.split('/').at(-1)!
}

function publicName(name: string): string {
  return RENAMED[name] ?? name
}

/** The public name of the schema that a reference names. */
export function referenceName(schema: { $ref?: string }): string {
  return publicName(nameOf(schema))
}

/** `type` as a list, without null. */
export function typesOf({ type }: Schema): { types: string[]; isNullable: boolean } {
  const types = type === undefined ? [] : [type].flat()
  return { types: types.filter((one) => one !== 'null'), isNullable: types.includes('null') }
}
