// Which paths exist, for the answers that the router itself cannot give: a known path with another
// method, and the failure fields of a path whose route was not reached.

import type { FastifyInstance } from 'fastify'
import type { FailureFields } from '../kit/contract/operation.js'

interface KnownPath {
  url: string
  methods: string[]
  /** One for each method, in the same order. */
  failures: FailureFields[]
}

export interface RouteMap {
  find: (path: string) => KnownPath | null
  /** Of the endpoint; of another one on the same path where it does not take the method. */
  failureOf: (path: string, method: string) => FailureFields
}

/** Must be called before the routes are added. */
export function mapRoutes(app: FastifyInstance): RouteMap {
  const paths = new Map<string, KnownPath>()

  app.addHook('onRoute', (route) => {
    const failure = (route.config as { failure?: FailureFields } | undefined)?.failure ?? {}
    const known: KnownPath = paths.get(route.url) ?? {
      url: route.url,
      methods: [],
      failures: [],
    }
    for (const method of [route.method].flat()) {
      known.methods.push(method)
      known.failures.push(failure)
    }
    paths.set(route.url, known)
  })

  const find = (path: string): KnownPath | null => {
    // A path without parameters goes before one that a parameter would also match.
    for (const known of paths.values()) {
      if (!known.url.includes('/:') && patternOf(known.url).test(path)) return known
    }
    for (const known of paths.values()) if (patternOf(known.url).test(path)) return known
    return null
  }
  return {
    find,
    failureOf: (path, method) => {
      const known = find(path)
      return known?.failures[Math.max(known.methods.indexOf(method), 0)] ?? {}
    },
  }
}

const patterns = new Map<string, RegExp>()

/** Made when first asked for: hardly any of them ever is. */
function patternOf(url: string): RegExp {
  const pattern = patterns.get(url) ?? makePattern(url)
  patterns.set(url, pattern)
  return pattern
}

function makePattern(url: string): RegExp {
  const steps = url.split('/').map((step) => {
    if (step.startsWith(':')) return '[^/]+'
    if (step === '*') return '.*'
    return step.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
  })
  return new RegExp(`^${steps.join('/')}/?$`)
}
