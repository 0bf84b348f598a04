// The routes of the service as openapi.json lists them, for tests that go over all of them.

import { newId } from '../src/kit/ids.js'
import type { TestService } from './harness.js'

export interface JsonSchema {
  type?: string | string[]
  enum?: unknown[]
  const?: unknown
  format?: string
  maximum?: number
  maxLength?: number
  maxItems?: number
  maxProperties?: number
  anyOf?: JsonSchema[]
  properties?: Record<string, JsonSchema>
  items?: JsonSchema
  required?: string[]
  pattern?: string
  additionalProperties?: JsonSchema | boolean
}

interface Parameter {
  name: string
  in: 'path' | 'query'
  required?: boolean
  schema: JsonSchema
}

export interface Route {
  method: string
  path: string
  tag: string
  /** What a token must allow, as the reference says it. */
  scope: string | null
  parameters: Parameter[]
  body: JsonSchema | null
  /** A body that the call takes, as the reference shows it. */
  bodyExample: Record<string, unknown>
  /** Failure fields, read off the example of the answer 401. */
  failure: Record<string, unknown>
}

interface JsonContent {
  schema: JsonSchema
  example?: Record<string, unknown>
}

interface Operation {
  tags: string[]
  description?: string
  security?: unknown[]
  parameters?: Parameter[]
  requestBody?: { content: { 'application/json': JsonContent } }
  responses: Record<string, { content?: { 'application/json': { example?: object } } }>
}

/** Every route that a customer's token opens. */
export function customerRoutes(service: TestService): Route[] {
  return routesWhere(service, (op) => !op.tags.includes('Operator'))
}

/** Every route that an operator's token opens. */
export function operatorRoutes(service: TestService): Route[] {
  return routesWhere(service, (op) => op.tags.includes('Operator'))
}

/** All of them, those that need no token included. */
export function allRoutes(service: TestService): Route[] {
  return routesWhere(
    service,
    () => true,
    () => true,
  )
}

function routesWhere(
  service: TestService,
  isWanted: (op: Operation) => boolean,
  isOpen = (op: Operation) => op.security?.length !== 0,
): Route[] {
  const { paths } = service.app.swagger() as unknown as {
    paths: Record<string, Record<string, Operation>>
  }
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([, op]) => isOpen(op) && isWanted(op))
      .map(([method, op]) => ({
        method: method.toUpperCase(),
        path,
        tag: op.tags[0]!,
        scope: /^Requires the `(\w+)` scope\.$/m.exec(op.description ?? '')?.[1] ?? null,
        parameters: op.parameters ?? [],
        body: op.requestBody?.content['application/json'].schema ?? null,
        bodyExample: op.requestBody?.content['application/json'].example ?? {},
        failure: failureOf(op),
      })),
  )
}

function failureOf(op: Operation): Record<string, unknown> {
  const { error, code, requestId, help, ...failure } = (op.responses[401]?.content?.[
    'application/json'
  ].example ?? {}) as Record<string, unknown>
  return failure
}

const PREFIXES = {
  brand: 'brd',
  campaign: 'cmp',
  message: 'msg',
  webhook: 'whk',
  token: 'tok',
} as const

/** The path with an id that is well-formed and nobody's, or with the given texts in its places. */
export function fillPath(route: Route, fill?: string): string {
  return route.path.replaceAll(/\{([^}]+)\}/g, (_, name: string) => {
    if (fill !== undefined) return fill
    if (name === 'number') return '14155559999'
    const room = route.path.split('/')[2] as keyof typeof PREFIXES
    const prefix = name === 'deliveryId' ? 'dlv' : (PREFIXES[room] ?? 'msg')
    return newId(prefix, new Date(0))
  })
}
