// What client generators rely on in the OpenAPI documents: they are small, named, and complete.

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { errorsMarkdown } from '../src/http/error-catalogue.js'
import { readConfig } from '../src/kit/config.js'
import { openLog } from '../src/kit/log.js'
import { describeApi } from '../src/serve.js'

const NOUNS = [
  'Account',
  'Brand',
  'Campaign',
  'CampaignDetails',
  'Delivery',
  'LedgerEntry',
  'Limits',
  'Message',
  'Number',
  'NumberForSale',
  'Optout',
  'Statement',
  'TimelineEntry',
  'Token',
  'Webhook',
]

interface Operation {
  operationId: string
  security?: object[]
  parameters?: { $ref?: string }[]
  requestBody?: { content: { 'application/json': { schema: object } } }
  responses: Record<
    string,
    { $ref?: string; headers?: object; content?: Record<string, { schema: object }> }
  >
}

interface Document {
  paths: Record<string, Record<string, Operation>>
  components: Record<'schemas' | 'responses' | 'parameters' | 'headers', Record<string, object>>
}

const FILES = {
  customer: 'openapi.json',
  operator: 'openapi.operator.json',
  sandbox: 'openapi.sandbox.json',
}
const documents = mapFiles((file) => JSON.parse(readFileSync(file, 'utf8')) as Document)
const all = Object.values(documents)
const operations = all.flatMap(({ paths }) =>
  Object.values(paths).flatMap((methods) => Object.entries(methods)),
)

function mapFiles<T>(read: (file: string) => T): Record<keyof typeof FILES, T> {
  const { customer, operator, sandbox } = FILES
  return { customer: read(customer), operator: read(operator), sandbox: read(sandbox) }
}

function references(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, inner]) =>
    key === '$ref' ? [String(inner)] : references(inner),
  )
}

// `npm run check` checks this too, but not when a test plants a mistake.
test('the documents and docs/errors.md match the program', async () => {
  const current = await describeApi(readConfig({}), openLog('silent'))
  assert.deepEqual(documents, JSON.parse(JSON.stringify(current)))
  assert.equal(readFileSync('docs/errors.md', 'utf8'), errorsMarkdown())
})

test('every reference resolves, and no document has a schema that it does not use', () => {
  for (const document of all) {
    const used = new Set(references(document))
    const kinds = Object.entries(document.components).filter(([kind]) => kind !== 'securitySchemes')
    const shared = kinds.flatMap(([kind, named]) =>
      Object.keys(named).map((name) => `#/components/${kind}/${name}`),
    )
    assert.deepEqual([...used].sort(), shared.sort())
  }
})

test('every resource, reply, and body has a name', () => {
  for (const noun of NOUNS) assert.ok(documents.customer.components.schemas[noun], noun)
  for (const [, operation] of operations) {
    const { operationId, requestBody, responses } = operation
    const body = requestBody?.content['application/json']?.schema
    if (body) assert.ok('$ref' in body, `${operationId} takes a body without a name`)
    const reply = responses[200]?.content?.['application/json']?.schema
    if (reply) assert.ok('$ref' in reply, `${operationId} answers without a name`)
  }
})

test('error replies are shared, and headers are described', () => {
  for (const [method, { operationId, security, parameters = [], responses }] of operations) {
    for (const [status, response] of Object.entries(responses)) {
      if (status === '200') assert.ok(response.headers && 'x-request-id' in response.headers)
      else assert.match(response.$ref ?? '', /^#\/components\/responses\//, operationId)
    }
    if (security?.length === 0) continue
    const names = parameters.map(({ $ref }) => $ref?.split('/').at(-1))
    assert.ok(names.includes('Prefer'), operationId)
    assert.equal(names.includes('IdempotencyKey'), method !== 'get', operationId)
  }
})

test('every schema is valid JSON Schema', () => {
  const ajv = new Ajv2020({ strict: false })
  const schemas = [...schemasIn(all)]
  assert.ok(schemas.length > 500, `${schemas.length} schemas`)
  for (const schema of schemas) {
    assert.ok(ajv.validateSchema(schema), `${ajv.errorsText()} in ${JSON.stringify(schema)}`)
  }
  assert.ok(
    !ajv.validateSchema({ properties: { name: { type: 'texts' } } }),
    'invalid schemas are found',
  )
})

/** The schemas of parameters, headers, bodies, and replies, and the named ones. */
function* schemasIn(part: unknown): Generator<object> {
  if (typeof part !== 'object' || part === null) return
  for (const [name, value] of Object.entries(part)) {
    if (name === 'example' || name === 'examples') continue
    if (name === 'schema') yield value
    else if (name === 'schemas') yield* Object.values<object>(value)
    else yield* schemasIn(value)
  }
}
