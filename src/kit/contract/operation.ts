// One declaration per endpoint: its input, its response, and its failures. The HTTP layer uses it to
// validate requests, to shape failures, and to generate openapi.json.

import { type TSchema, Type } from 'typebox'
import { bodyBytesMax, bytesText } from './body-size.js'
import { type KnownNames, knownNames } from './known-fields.js'
import { REFUSALS, type RefusalCode } from './refusal.js'

export const SCOPES = ['read', 'send', 'manage', 'billing'] as const
export type Scope = (typeof SCOPES)[number]

const NO_BODY = Type.Object({})

/**
 * How a token that is restricted to campaigns may use an operation. `campaign`, `message`, `number`, and `webhook` name the
 * record in the path, which must belong to one of its campaigns. `query`: the parameter `campaign` must be one of them.
 * `handler`: the handler shows and changes only what belongs to them. `none`: it concerns no campaign.
 */
export type CampaignAccess =
  | 'campaign'
  | 'message'
  | 'number'
  | 'webhook'
  | 'query'
  | 'handler'
  | 'none'

/** The fields that every failure of the endpoint has in addition to `error`. */
export type FailureFields = Readonly<Record<string, null | false | readonly []>>

export interface OperationInput {
  id: string
  tag: string
  summary: string
  description?: string
  /** Not in the contract. The reference marks it. */
  isExtension?: boolean
  /** The scope that the token needs. Null: no token needed. Operator: an operator token. */
  scope: Scope | 'operator' | null
  /** Without it, tokens restricted to campaigns are refused. */
  campaignAccess?: CampaignAccess
  /** Whether the token may be the password of HTTP Basic. Only for reads, because browsers store it. */
  takesBasic?: boolean
  /** Whether tokens of a suspended account are accepted. The handler decides what they may do. */
  admitsSuspended?: boolean
  params?: TSchema
  query?: TSchema
  body?: TSchema
  bodyExample?: unknown
  /** A lower limit than the longest body that the schema allows, which is the default. */
  bodyLimit?: number
  /** The body is a file of any type, not JSON. */
  upload?: { bytesMax: number }
  reply: TSchema
  example: unknown
  /** Other response types that a client can request with the Accept header, such as text/csv. */
  otherForms?: readonly string[]
  failure: FailureFields
  refuses?: readonly RefusalCode[]
  /** Default: `operator` for the operator scope, otherwise `read` for GET and `write` for other methods. */
  databaseClass?: DatabaseClass
}

/**
 * Which connections a request uses, and whether it counts toward its account's share while it runs.
 * - send: accepts messages, in batches; it has its own limits
 * - read: other customer requests that change nothing
 * - write: customer requests that change something; their transactions count toward the share
 * - report: totals over many records
 * - operator: an operator's requests, next to the reports
 * - open: runs for a long time without the database (a stream, a provider's response); counts toward no share
 */
export type DatabaseClass = 'send' | 'read' | 'write' | 'report' | 'operator' | 'open'

export interface OperationConfig {
  failure: FailureFields
  scope: OperationInput['scope']
  campaignAccess?: CampaignAccess
  takesBasic?: boolean
  databaseClass?: DatabaseClass
  admitsSuspended?: boolean
  /** Any other name in a request gets a warning: see http/unknown-fields.ts. */
  known: KnownNames
}

type SchemaOf<I extends OperationInput> = (I extends { body: infer B extends TSchema }
  ? { body: B }
  : unknown) &
  (I extends { params: infer P extends TSchema } ? { params: P } : unknown) &
  (I extends { query: infer Q extends TSchema } ? { querystring: Q } : unknown) & {
    response: { 200: I['reply'] }
  }

export function operation<const I extends OperationInput>(
  input: I,
): { schema: SchemaOf<I>; config: OperationConfig; bodyLimit: number } {
  const { params, query, body } = input
  const bodyLimit = input.upload?.bytesMax ?? input.bodyLimit ?? bodyBytesMax(body ?? NO_BODY)
  // Someone would fill a list, map, or text that has no limit.
  if (!Number.isFinite(bodyLimit)) throw new Error(`The body of ${input.id} has no size limit`)
  return {
    bodyLimit,
    config: {
      failure: input.failure,
      scope: input.scope,
      ...(input.campaignAccess && { campaignAccess: input.campaignAccess }),
      ...(input.takesBasic && { takesBasic: true }),
      ...(input.databaseClass && { databaseClass: input.databaseClass }),
      ...(input.admitsSuspended && { admitsSuspended: true }),
      known: knownNames(query, body),
    },
    schema: {
      operationId: input.id,
      tags: [input.tag],
      summary: input.summary,
      description: describe(input, bodyLimit),
      ...(params && { params }),
      ...(query && { querystring: query }),
      ...(body && { body: withExample(withTitle(body, input.id, 'Body'), input.bodyExample) }),
      ...(input.upload && { 'x-upload': true }),
      ...(input.scope === null && { security: [] }),
      ...(input.scope === 'operator' && { security: [{ operatorToken: [] }] }),
      response: {
        200: successReply(input),
        ...failureReplies(input),
      },
    } as unknown as SchemaOf<I>,
  }
}

function successReply({ id, reply, example, otherForms }: OperationInput): object {
  const json = withExample(withTitle(withWarnings(reply), id, 'Reply'), example)
  if (!otherForms) return { description: 'Success', ...json }
  const forms = otherForms.map((type) => [type, { schema: { type: 'string' } }])
  const content = { 'application/json': { schema: json }, ...Object.fromEntries(forms) }
  return { description: 'Success', content }
}

/** Every response may list the unknown names in the request. */
const WarningTexts = Type.Array(Type.String(), {
  title: 'Warnings',
  examples: [[]],
  description: 'Unknown names in the request, with the closest known name',
})

// A response with structured warnings keeps them: see http/unknown-fields.ts.
function withWarnings(reply: TSchema): TSchema {
  const { properties } = reply as { properties?: Record<string, TSchema> }
  if (!properties || 'warnings' in properties) return reply
  return { ...reply, properties: { ...properties, warnings: WarningTexts } } as TSchema
}

function describe(input: OperationInput, bodyLimit: number): string {
  const scope =
    input.scope === null
      ? ''
      : input.scope === 'operator'
        ? 'Requires an operator token.'
        : `Requires the \`${input.scope}\` scope.`
  const origin = input.isExtension ? 'Extension (not in the contract).' : ''
  const size = input.body || input.upload ? `Maximum body size: ${bytesText(bodyLimit)}.` : ''
  const refusals = describeRefusals(input)
  return [input.description, size, refusals, scope, origin].filter(Boolean).join('\n\n')
}

// A title makes a schema a named component in openapi.json, and a type in generated clients.
function withTitle(schema: TSchema, id: string, kind: 'Body' | 'Reply'): TSchema {
  if ('title' in schema) return schema
  return { ...schema, title: `${id[0]!.toUpperCase()}${id.slice(1)}${kind}` }
}

// Refusals that every request can get are documented once, for all of them.
function describeRefusals({ refuses = [] }: OperationInput): string {
  const own = refuses.filter((code) => code !== 'field_invalid')
  if (own.length === 0) return ''
  return `Possible refusals: ${own.map((code) => `\`${code}\``).join(', ')}.`
}

function withExample(schema: TSchema, example: unknown): object {
  return example === undefined ? schema : { ...schema, examples: [example] }
}

// Every endpoint can return these, in addition to its own.
function possibleRefusals(input: OperationInput): RefusalCode[] {
  const codes: RefusalCode[] = [...(input.refuses ?? [])]
  if (input.scope !== null) codes.push('token_absent', 'token_unknown', 'scope_absent')
  if (input.scope !== null && input.scope !== 'operator') codes.push('token_restricted')
  if (input.body) {
    codes.push('json_broken', 'json_too_deep', 'json_too_wide', 'body_not_utf8')
    codes.push('body_too_large', 'not_json')
  }
  if ('success' in input.failure) {
    codes.push('idempotency_key_invalid', 'idempotency_in_flight', 'idempotency_other_request')
  }
  if (input.body || input.query) codes.push('field_invalid')
  if (input.query) codes.push('query_malformed')
  codes.push('path_malformed', 'host_invalid')
  codes.push('field_unknown', 'rate_limited', 'concurrency_limited', 'server_failure')
  codes.push('database_unavailable', 'database_busy', 'database_full', 'database_read_only')
  return [...new Set(codes)]
}

function failureReplies(input: OperationInput): Record<number, object> {
  const replies: Record<number, object> = {}
  for (const [status, codes] of groupByStatus(possibleRefusals(input))) {
    replies[status] = {
      ...failureSchema(input.failure),
      examples: [failureExample(input.failure, codes[0]!)],
    }
  }
  return replies
}

function failureExample(failure: FailureFields, code: RefusalCode): object {
  const requestId = EXAMPLE_REQUEST
  const help = `https://longcode.example/docs/errors#${code}`
  return { ...failure, error: REFUSALS[code].text, code, requestId, help }
}

function groupByStatus(codes: readonly RefusalCode[]): Map<number, RefusalCode[]> {
  const groups = new Map<number, RefusalCode[]>()
  for (const code of codes) {
    const { status } = REFUSALS[code]
    groups.set(status, [...(groups.get(status) ?? []), code])
  }
  return groups
}

const [EXAMPLE_CODE, EXAMPLE_REQUEST] = ['campaign_missing', 'req_0123456789ab0000001'] as const

/** The fields of every failure. */
const Failed = Type.Object(
  {
    error: Type.String({
      description: 'One plain sentence',
      examples: [REFUSALS[EXAMPLE_CODE].text],
    }),
    code: Type.String({
      description: 'A stable identifier for programs',
      examples: [EXAMPLE_CODE],
    }),
    details: Type.Optional(
      Type.Array(
        Type.Object({ field: Type.String(), problem: Type.String() }, { title: 'FieldProblem' }),
        { examples: [[]] },
      ),
    ),
    warnings: Type.Optional(WarningTexts),
    requestId: Type.String({
      description: 'Include it when you ask for help',
      examples: [EXAMPLE_REQUEST],
    }),
    help: Type.String({
      description: 'Link to an explanation of this failure',
      examples: [`https://longcode.example/docs/errors#${EXAMPLE_CODE}`],
    }),
  },
  { title: 'Failed' },
)

function failureSchema(failure: FailureFields): TSchema {
  const fields = Object.entries(failure).map(([name, value]) => [name, constantSchema(value)])
  if (fields.length === 0) return Failed
  const own = Type.Object(Object.fromEntries(fields))
  return Type.Intersect([own, Failed], { title: failureName(failure) })
}

// Two routes may fail with the same field as null and as a list, so each shape has its own name. The
// names are short because openapi.json repeats them a thousand times.
function failureName(failure: FailureFields): string {
  const [field, value] = Object.entries(failure)[0] ?? []
  if (field === undefined) return 'Failed'
  if (value === false) return 'WriteFailed'
  return (value === null ? 'No' : 'Empty') + field[0]!.toUpperCase() + field.slice(1)
}

function constantSchema(value: null | false | readonly []): TSchema {
  if (value === null) return Type.Null()
  if (value === false) return Type.Literal(false)
  return Type.Unsafe<never[]>({ type: 'array', maxItems: 0 })
}
