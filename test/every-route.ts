// The routes of the service as openapi.json lists them, for tests that cover all of them.

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
  /** The scope a token needs, from the reference. */
  scope: string | null
  parameters: Parameter[]
  body: JsonSchema | null
  /** A valid body, from the reference. */
  bodyExample: Record<string, unknown>
  /** Response types other than JSON. */
  otherForms: string[]
  /** The fields of an error reply, from the example of 401. */
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

/** Every route for customer tokens. */
export function customerRoutes(service: TestService): Route[] {
  return routesWhere(service, (op) => !op.tags.includes('Operator'))
}

/** Every route for operator tokens. */
export function operatorRoutes(service: TestService): Route[] {
  return routesWhere(service, (op) => op.tags.includes('Operator'))
}

/** All routes, including those without a token. */
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
  return Object.entries(pathsOf(service)).flatMap(([path, methods]) =>
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
        otherForms: Object.keys(op.responses[200]?.content ?? {}).filter(
          (type) => type !== 'application/json',
        ),
        failure: failureOf(op),
      })),
  )
}

type Paths = Record<string, Record<string, Operation>>
const pathsByMode = new Map<string, Paths>()

/** Generated once per process: that takes longer than most tests. */
function pathsOf({ app, world }: TestService): Paths {
  const { mode } = world.config
  const paths = pathsByMode.get(mode) ?? (app.swagger() as unknown as { paths: Paths }).paths
  pathsByMode.set(mode, paths)
  return paths
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

/** The path with a well-formed but unknown id, or with the given text in place of each parameter. */
export function fillPath(route: Route, fill?: string): string {
  return route.path.replaceAll(/\{([^}]+)\}/g, (_, name: string) => {
    if (fill !== undefined) return fill
    if (name === 'number') return '14155559999'
    const resource = route.path.split('/')[2] as keyof typeof PREFIXES
    const prefix = name === 'deliveryId' ? 'dlv' : (PREFIXES[resource] ?? 'msg')
    return newId(prefix, new Date(0))
  })
}
