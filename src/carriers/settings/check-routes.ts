// What of routes no field alone can tell: names that are not there or there twice, shares of others' links,
// routes that nothing can reach.

import type { Static } from 'typebox'
import { nearestName } from '../../kit/contract/nearest-name.js'
import type { Path, Problem } from '../../kit/settings-file/settings-document.js'
import type { CarriersFile, RouteSettings } from './carrier-settings.js'

export type WrittenRoute = NonNullable<Static<typeof CarriersFile>['routes']>[number]

export function checkRoutes(routes: readonly WrittenRoute[], links: readonly string[]): Problem[] {
  const problems: Problem[] = []
  const names = new Set<string>()
  let isAllTaken = false
  routes.forEach((route, i) => {
    const at: Path = ['routes', i]
    if (isAllTaken) {
      problems.push({ path: at, text: 'is never reached: the route before it takes everything' })
    }
    isAllTaken ||= takesAll(route)
    if (route.name !== undefined) {
      if (names.has(route.name)) {
        problems.push({ path: [...at, 'name'], text: `is "${route.name}" twice: choose another` })
      }
      names.add(route.name)
    }
    problems.push(...checkNames(route, at, links), ...checkShares(route, at))
  })
  return problems
}

function takesAll({ networks, prefixes, campaigns, types }: WrittenRoute): boolean {
  return [networks, prefixes, campaigns, types].every((condition) => condition === undefined)
}

function checkNames(route: WrittenRoute, at: Path, links: readonly string[]): Problem[] {
  const known = new Map(links.map((name) => [name, { also: [] }]))
  const seen = new Set<string>()
  return (['links', 'failover'] as const).flatMap((field) =>
    route[field].flatMap((name, i): Problem[] => {
      const path = [...at, field, i]
      if (!known.has(name)) return [{ path, text: unknownText(name, known) }]
      if (seen.has(name)) return [{ path, text: `names ${name} a second time: once is enough` }]
      seen.add(name)
      return []
    }),
  )
}

function unknownText(name: string, known: ReadonlyMap<string, { also: readonly string[] }>) {
  const near = nearestName(name, known)
  const remedy =
    near === null ? `there is ${[...known.keys()].join(', ')}` : `did you mean ${near}?`
  return `names the link ${name}, which is not in links: ${remedy}`
}

function checkShares({ links, shares }: WrittenRoute, at: Path): Problem[] {
  if (shares === undefined) return []
  const strangers = Object.keys(shares).filter((name) => !links.includes(name))
  const missing = links.filter((name) => !Object.hasOwn(shares, name))
  return [
    ...strangers.map((name) => ({
      path: [...at, 'shares', name],
      text: 'is the share of a link that the route’s links do not name',
    })),
    ...missing.map((name) => ({ path: [...at, 'shares'], text: `needs the share of ${name}` })),
  ]
}

/** Without routes the first link takes everything, and the others stand in for it in their order. */
export function readRoutes(
  routes: readonly WrittenRoute[] | undefined,
  links: readonly string[],
): RouteSettings[] {
  const [first, ...others] = links
  const given = routes ?? [{ links: [first!], failover: others, onSlowDown: 'wait' }]
  return given.map((route, i) => ({
    name: route.name ?? `route-${i + 1}`,
    networks: route.networks ?? null,
    prefixes: route.prefixes ?? null,
    campaigns: route.campaigns ?? null,
    types: route.types ?? null,
    links: route.links.map((link) => ({ link, share: route.shares?.[link] ?? 1 })),
    failover: route.failover,
    onSlowDown: route.onSlowDown,
  }))
}
