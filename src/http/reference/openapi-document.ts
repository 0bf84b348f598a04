// Builds openapi.json from the routes that @fastify/swagger lists. There, every operation repeats its full
// input and output. Here, schemas, failures, parameters, and headers become shared components, and a
// generated client has one type for each noun (decision 0034).

import type { FastifyInstance } from 'fastify'
import { Components, type Json, mapValues } from './openapi-components.js'
import { withSpreadExample } from './openapi-examples.js'
import {
  FAILURE_TEXTS,
  failureHeaders,
  HEADERS,
  IDEMPOTENCY_KEY,
  PREFER,
  successHeaders,
} from './openapi-headers.js'
import { webhooksSection } from './openapi-webhooks.js'

/** Whose endpoints a document lists. A client generated for customers must not have the operator's. */
export const AUDIENCES = ['customer', 'operator', 'sandbox'] as const
export type Audience = (typeof AUDIENCES)[number]

/** The other tags are for customers. The console's sessions belong to the operator, who serves the console. */
const AUDIENCE_OF_TAG: Readonly<Record<string, Audience>> = {
  Operator: 'operator',
  Console: 'operator',
  Health: 'operator',
  Sandbox: 'sandbox',
}

interface Media {
  schema: Json
  example?: unknown
}

interface RawResponse {
  description: string
  content?: Record<string, Media>
}

interface RawOperation {
  tags: string[]
  security?: object[]
  parameters?: (Json & { schema: Json })[]
  requestBody?: Json & { content: Record<string, Media> }
  responses: Record<string, RawResponse>
  /** Its body is a file. */
  'x-upload'?: boolean
}

const FILE_BODY = {
  required: true,
  content: { '*/*': { schema: { type: 'string', format: 'binary' } } },
}

interface RawDocument extends Json {
  info: Json
  tags: { name: string }[]
  paths: Record<string, Record<string, RawOperation>>
  components: Json
}

const INFO: Readonly<Record<Exclude<Audience, 'customer'>, object>> = {
  operator: {
    title: 'Longcode for operators',
    description: `For the people who run the service: accounts and their balances, access tokens, reviews of brands and
campaigns, the number inventory, prices, and the audit log.

Every request needs the header \`Authorization: Bearer <OPERATOR_TOKEN>\`. Customer tokens do not work here.
The \`longcode\` command can do the same. Every change is recorded in the audit log. A failed request returns an
HTTP error status, one plain sentence in \`error\`, and a \`code\` that is explained at
[/docs/errors](/docs/errors).

Health needs no token. The console's sessions are for its own pages.`,
  },
  sandbox: {
    title: 'Longcode sandbox',
    description: `Simulated phones, callers, and the clock, for trials and tests. Only a service with
LONGCODE_MODE=sandbox has these endpoints.

Every request needs the header \`Authorization: Bearer <ACCESS_TOKEN>\`, with a customer token. Failures are the same
as in the [API for customers](/docs/api).`,
  },
}

/** With null, it lists everything. */
export function apiDocument(app: FastifyInstance, audience: Audience | null = null): Json {
  const raw = app.swagger() as unknown as RawDocument
  const components = new Components()
  const listed = pathsFor(audience, raw.paths)
  const used = new Set(Object.values(listed).flatMap((methods) => tagsOf(methods)))
  const paths = mapValues(listed, (methods) =>
    mapValues(methods as Json, (operation, method) =>
      compactOperation(components, operation as RawOperation, method),
    ),
  )
  const hasWebhooks = audience === null || audience === 'customer'
  const webhooks = hasWebhooks && webhooksSection(components)
  const isOperator = audience === 'operator'
  const { schemas, responses, parameters } = components.all()
  return {
    ...raw,
    tags: raw.tags.filter(({ name }) => used.has(name)),
    ...(audience && audience !== 'customer' && { info: { ...raw.info, ...INFO[audience] } }),
    ...(isOperator && { security: [{ operatorToken: [] }] }),
    paths,
    ...(webhooks && { webhooks }),
    components: {
      securitySchemes: securityOf(raw, audience),
      ...{ schemas, responses, parameters, headers: HEADERS },
    },
  }
}

function securityOf({ components }: RawDocument, audience: Audience | null): Json {
  const { accessToken, operatorToken } = components.securitySchemes as Json
  if (audience === null) return { accessToken, operatorToken }
  return audience === 'operator' ? { operatorToken } : { accessToken }
}

function pathsFor(audience: Audience | null, paths: RawDocument['paths']): RawDocument['paths'] {
  return Object.fromEntries(
    Object.entries(paths).filter(([, methods]) =>
      tagsOf(methods).some((tag) => isFor(audience, tag)),
    ),
  )
}

function tagsOf(methods: Record<string, RawOperation>): string[] {
  return Object.values(methods).map(({ tags }) => tags[0]!)
}

function isFor(audience: Audience | null, tag: string): boolean {
  return audience === null || (AUDIENCE_OF_TAG[tag] ?? 'customer') === audience
}

function compactOperation(components: Components, operation: RawOperation, method: string): Json {
  const { parameters = [], requestBody, responses, 'x-upload': isUpload, ...rest } = operation
  const isOpen = operation.security?.length === 0
  const isWrite = method !== 'get'
  const added = [
    ...parameters,
    ...(isWrite && !isOpen ? [IDEMPOTENCY_KEY] : []),
    ...(isOpen ? [] : [PREFER]),
  ].map((parameter) => components.parameter(parameter))
  return {
    ...rest,
    ...(added.length > 0 && { parameters: added }),
    ...(requestBody && {
      requestBody: { ...requestBody, content: compactBody(components, requestBody.content) },
    }),
    ...(isUpload && { requestBody: FILE_BODY }),
    responses: mapValues(responses as unknown as Json, (response, status) =>
      status === '200'
        ? compactReply(components, response as RawResponse, isWrite && !isOpen)
        : compactFailure(components, response as RawResponse, status),
    ),
  }
}

function compactReply(components: Components, reply: RawResponse, isWrite: boolean): Json {
  return {
    description: reply.description,
    headers: successHeaders(isWrite),
    ...(reply.content && { content: compactContent(components, reply.content) }),
  }
}

/** Failures of the same shape and status share a component. Each operation lists its codes. */
function compactFailure(components: Components, failure: RawResponse, status: string): Json {
  const { description: _, ...schema } = failure.content!['application/json']!.schema
  const headers = failureHeaders(status)
  return components.response(`${schema.title}${status}`, {
    description: FAILURE_TEXTS[status] ?? 'Failure',
    ...(headers && { headers }),
    content: { 'application/json': { schema: components.schema(schema) } },
  })
}

function compactBody(components: Components, content: Record<string, Media>): Json {
  return mapContent(content, ({ schema, example }) =>
    components.schema(example === undefined ? schema : { ...schema, examples: [example] }),
  )
}

function compactContent(components: Components, content: Record<string, Media>): Json {
  return mapContent(content, ({ schema, example = (schema.examples as unknown[])?.[0] }) => {
    const { description: _, examples: __, ...shape } = schema
    return components.schema(withSpreadExample(shape, example))
  })
}

function mapContent(content: Record<string, Media>, schemaOf: (media: Media) => Json): Json {
  return mapValues(content as unknown as Json, (media) => ({ schema: schemaOf(media as Media) }))
}
