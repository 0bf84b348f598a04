// Checks every reply of a service against openapi.json: it must match the schema of its route and status. The
// document is compiled as a whole, so shared schemas are compiled once.

import assert from 'node:assert/strict'
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { apiDocument } from '../src/http/reference/openapi-document.js'
import type { Service } from '../src/serve.js'

export interface Reply {
  status: number
  // biome-ignore lint/suspicious/noExplicitAny: tests look into replies freely; the schema is checked anyway
  body: any
  headers: Record<string, string>
}

interface Answer {
  $ref?: string
  content?: { 'application/json'?: { schema: object } }
}
type Methods = Record<string, { responses: Record<string, Answer> }>
interface OpenApi {
  components: { responses: Record<string, Answer> }
  paths: Record<string, Methods>
}

interface Declared extends OpenApi {
  /** Paths without parameters first. */
  patterns: [RegExp, path: string][]
}

const ajv = new Ajv2020({ strict: false, allErrors: true, validateSchema: false }) // openapi.test.ts validates it
addFormats.default(ajv)
const declaredByMode = new Map<string, Declared>()

/** openapi.json, read once per mode: generating it takes longer than most tests. */
function declaredBy({ app, world }: Service): Declared {
  const { mode } = world.config
  const known = declaredByMode.get(mode)
  if (known) return known
  const document = apiDocument(app) as unknown as OpenApi
  ajv.addSchema(document, mode)
  const patterns = Object.keys(document.paths)
    .sort((a, b) => a.split('{').length - b.split('{').length)
    .map((path): [RegExp, string] => [
      new RegExp(`^${path.replaceAll(/\{[^}]+\}/g, '[^/]+')}$`),
      path,
    ])
  const declared = { ...document, patterns }
  declaredByMode.set(mode, declared)
  return declared
}

/** Fails the test if the reply does not match openapi.json, in success or failure. */
export function checkReply(service: Service, method: string, url: string, reply: Reply): void {
  const { patterns, paths, components } = declaredBy(service)
  const [, path] = patterns.find(([pattern]) => pattern.test(url.split('?', 1)[0]!)) ?? []
  const responses = path && paths[path]![method.toLowerCase()]?.responses
  // A path that cannot be decoded has no route, and other content types have no schema.
  if (!responses || reply.body?.code === 'path_malformed') return
  const isJson = reply.headers['content-type']?.startsWith('application/json')
  const declared = responses[reply.status]
  const shared = declared?.$ref?.split('/').at(-1)
  const { content } = (shared ? components.responses[shared] : declared) ?? {}
  assert.ok(content, `${method} ${url}: openapi.json declares no answer ${reply.status}`)
  if (!isJson) return
  const schema = content['application/json']?.schema
  assert.ok(schema, `${method} ${url}: openapi.json declares no JSON for ${reply.status}`)
  const place = shared
    ? ['components', 'responses', shared]
    : ['paths', path, method.toLowerCase(), 'responses', String(reply.status)]
  const check = checkAt(service.world.config.mode, [
    ...place,
    'content',
    'application/json',
    'schema',
  ])
  assert.ok(
    check(reply.body),
    `${method} ${url} answered ${reply.status} unlike openapi.json: ${ajv.errorsText(check.errors)} in ${JSON.stringify(reply.body)}`,
  )
}

/** The validator of the schema at a place in the document. */
function checkAt(mode: string, place: string[]): ValidateFunction {
  const steps = place.map((step) => step.replaceAll('~', '~0').replaceAll('/', '~1'))
  const address = `${mode}#/${steps.map(encodeURIComponent).join('/')}`
  const check = ajv.getSchema(address)
  assert.ok(check, `openapi.json has a schema at ${address}`)
  return check
}
