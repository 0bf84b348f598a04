// Knows which paths exist, for responses that the router cannot give: a known path with another method, and
// the failure fields of a path whose route was not reached.

import type { FastifyInstance } from 'fastify'
import type { FailureFields } from '../kit/contract/operation.js'

// More than any route has.
const STEPS_MAX = 40

interface KnownPath {
  url: string
  methods: string[]
  /** One for each method, in the same order. */
  failures: FailureFields[]
}

export interface RouteMap {
  find: (path: string) => KnownPath | null
  /**
   * The fields of the endpoint, or of another endpoint on the same path if it does not support the method.
   */
  failureOf: (path: string, method: string) => FailureFields
}

/** Call it before the routes are added. */
export function mapRoutes(app: FastifyInstance): RouteMap {
  const paths = new Map<string, KnownPath>()

  app.addHook('onRoute', (route) => {
    const failure = (route.config as { failure?: FailureFields } | undefined)?.failure ?? {}
    const knownPath: KnownPath = paths.get(route.url) ?? {
      url: route.url,
      methods: [],
      failures: [],
    }
    for (const method of [route.method].flat()) {
      knownPath.methods.push(method)
      knownPath.failures.push(failure)
    }
    paths.set(route.url, knownPath)
  })

  const find = (path: string): KnownPath | null => {
    const steps = path.split('/', STEPS_MAX)
    const matching = [...paths.values()].filter(({ url }) => isMatch(url.split('/'), steps))
    // A path without parameters comes before one that matches by a parameter.
    return matching.find(({ url }) => !url.includes('/:')) ?? matching[0] ?? null
  }
  return {
    find,
    failureOf: (path, method) => {
      const knownPath = find(path)
      return knownPath?.failures[Math.max(knownPath.methods.indexOf(method), 0)] ?? {}
    },
  }
}

/** `*` matches the rest, `:name` matches one non-empty step. A trailing slash changes nothing. */
function isMatch(pattern: readonly string[], steps: readonly string[]): boolean {
  for (const [i, step] of pattern.entries()) {
    const actual = steps[i]
    if (actual === undefined) return false
    if (step === '*') return true
    if (step.startsWith(':') ? actual === '' : actual !== step) return false
  }
  const more = steps.slice(pattern.length)
  return more.length === 0 || (more.length === 1 && more[0] === '')
}
