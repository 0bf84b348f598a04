// Reads the file named by LONGCODE_CARRIERS into checked settings.

import path from 'node:path'
import { type Static, Type } from 'typebox'
import { DAY_MS } from '../../kit/clock.js'
import type { Config } from '../../kit/config.js'
import { nearestName } from '../../kit/contract/nearest-name.js'
import { checkFields } from '../../kit/settings-file/check-fields.js'
import { type Expanded, placeOf } from '../../kit/settings-file/expand-variables.js'
import { choice, toMs } from '../../kit/settings-file/field-schemas.js'
import type { Path, SettingsProblem } from '../../kit/settings-file/settings-document.js'
import {
  readSettingsFile,
  readText,
  type SettingsSource,
} from '../../kit/settings-file/settings-file.js'
import {
  type CarrierSettings,
  CarriersFile,
  LinkFields,
  type LinkSettings,
  type RouteSettings,
} from './carrier-settings.js'
import { deprecatedFields, type ReadContext } from './link-kind.js'
import { LINK_KINDS, type LinkKinds } from './link-kinds.js'

export type CarriersSource = Pick<Config, 'allowsSimulator' | 'publicUrl'> & SettingsSource

/** Null if no file is set. Throws BadSettingsFile. */
export function readCarriersOf(
  config: Pick<Config, 'carriersFile' | 'allowsSimulator' | 'publicUrl'>,
): CarrierSettings | null {
  const { carriersFile: file, allowsSimulator, publicUrl } = config
  return file === null ? null : readCarriers({ file, allowsSimulator, publicUrl })
}

/** Throws BadSettingsFile. */
export function readCarriers(from: CarriersSource, kinds: LinkKinds = LINK_KINDS): CarrierSettings {
  const { allowsSimulator, publicUrl, ...source } = from
  const context: ReadContext = {
    allowsSimulator,
    publicUrl,
    readFile: (name) => readText(path.resolve(path.dirname(source.file), name)),
  }
  const { settings, warnings } = readSettingsFile(source, (values) => {
    const reading = new Reading(values, context, kinds)
    const settings = reading.read()
    return { settings, problems: reading.problems, warnings: reading.warnings }
  })
  return { ...settings, warnings }
}

type Values = Pick<Expanded, 'value' | 'fromOutside'>

/** One pass over one file. Collects problems and warnings. */
class Reading {
  readonly problems: SettingsProblem[] = []
  readonly warnings: SettingsProblem[] = []
  readonly #expanded: Values
  readonly #context: ReadContext
  readonly #kinds: LinkKinds

  constructor(expanded: Values, context: ReadContext, kinds: LinkKinds) {
    this.#kinds = kinds
    this.#expanded = expanded
    this.#context = context
  }

  /** Null if something is wrong. */
  read(): Omit<CarrierSettings, 'warnings'> | null {
    const { value } = this.#expanded
    if (typeof value !== 'object' || value === null || Array.isArray(value)) {
      this.problems.push({ path: [], text: 'must be a map with links: see carriers.example.yaml' })
      return null
    }
    const file = this.#check(CarriersFile, value, [])
    const links = Array.isArray(file.links)
      ? file.links.map((written, i) => this.#readLink(written, ['links', i]))
      : []
    this.#checkNames(links)
    if (this.problems.length > 0) return null
    const found = links as LinkSettings[]
    const names = found.map(({ name }) => name)
    const routes = readRoutes(file.routes, names)
    this.problems.push(...checkRoutes(file.routes ?? [], names))
    const used = new Set(
      routes.flatMap((route) => [...route.failover, ...route.links.map((l) => l.link)]),
    )
    names.forEach((name, i) => {
      if (used.has(name)) return
      this.warnings.push({ path: ['links', i], text: `(${name}) is in no route: it only receives` })
    })
    const { prefixes = {}, learnedDays } = file.networks
    return {
      links: found,
      routes,
      networks: {
        prefixes: new Map(
          Object.entries(prefixes).map(([prefix, network]) => [
            `+${prefix.replace('+', '')}`,
            network,
          ]),
        ),
        learnedMs: learnedDays * DAY_MS,
      },
    }
  }

  #check<S extends object>(schema: S, value: unknown, at: Path): Static<S> {
    const checked = checkFields(schema, value, at, this.#expanded.fromOutside)
    this.problems.push(...checked.problems)
    return checked.value as Static<S>
  }

  #readLink(written: unknown, at: Path): LinkSettings | null {
    const kindName = (written as { kind?: unknown } | null)?.kind
    const kinds = this.#kinds
    const kind = Object.hasOwn(kinds, String(kindName)) ? kinds[String(kindName)]! : null
    if (!kind) {
      this.#check(kindOnly(kinds), written, at)
      return null
    }
    const before = this.problems.length
    const fields = Type.Object({ ...LinkFields.properties, ...kind.fields.properties })
    const own = this.#check(fields, written, at) as Static<typeof LinkFields>
    if (this.problems.length > before) return null
    const { name, kind: _kind, overlap, drainSeconds, failbackSeconds, hostsStock, ...rest } = own
    const read = kind.read(name, rest, this.#context)
    if (Array.isArray(read)) {
      this.problems.push(
        ...read.map(({ path: inner, text }) => ({ path: [...at, ...inner], text })),
      )
      return null
    }
    this.#warnOfSecrets(written as Record<string, unknown>, kind.secrets, at)
    for (const { path, text } of deprecatedFields(written as Record<string, unknown>)) {
      this.warnings.push({ path: [...at, ...path], text })
    }
    return {
      ...read,
      name,
      kind: own.kind,
      isConnected: kind.isConnected,
      mayOverlap: overlap,
      drainMs: toMs(drainSeconds),
      failbackMs: toMs(failbackSeconds),
      hostsStock: hostsStock ?? null,
    }
  }

  #warnOfSecrets(written: Record<string, unknown>, secrets: readonly string[], at: Path): void {
    for (const field of secrets) {
      const path = [...at, field]
      if (!written[field] || this.#expanded.fromOutside.has(placeOf(path))) continue
      const text = `is written in clear: \${NAME} takes it from the environment`
      this.warnings.push({ path, text })
    }
  }

  #checkNames(links: readonly (LinkSettings | null)[]): void {
    const seen = new Set<string>()
    links.forEach((link, i) => {
      if (!link) return
      const path = ['links', i, 'name']
      if (seen.has(link.name)) {
        this.problems.push({ path, text: `is "${link.name}" twice: choose another` })
      }
      seen.add(link.name)
    })
  }
}

/** If a link's kind is unknown, nothing else can be checked. */
const kindOnly = (kinds: LinkKinds) => ({
  ...Type.Object({ kind: choice(Object.keys(kinds)) }),
  'x-open': true,
})

type WrittenRoute = NonNullable<Static<typeof CarriersFile>['routes']>[number]

function checkRoutes(routes: readonly WrittenRoute[], links: readonly string[]): SettingsProblem[] {
  const problems: SettingsProblem[] = []
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

function checkNames(route: WrittenRoute, at: Path, links: readonly string[]): SettingsProblem[] {
  const names = new Map(links.map((name) => [name, { also: [] }]))
  const seen = new Set<string>()
  return (['links', 'failover'] as const).flatMap((field) =>
    route[field].flatMap((name, i): SettingsProblem[] => {
      const path = [...at, field, i]
      if (!names.has(name)) return [{ path, text: unknownText(name, names) }]
      if (seen.has(name)) return [{ path, text: `names ${name} a second time: once is enough` }]
      seen.add(name)
      return []
    }),
  )
}

function unknownText(name: string, names: ReadonlyMap<string, { also: readonly string[] }>) {
  const near = nearestName(name, names)
  const remedy =
    near === null ? `there is ${[...names.keys()].join(', ')}` : `did you mean ${near}?`
  return `names the link ${name}, which is not in links: ${remedy}`
}

function checkShares({ links, shares }: WrittenRoute, at: Path): SettingsProblem[] {
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

/** Without routes, the first link gets everything, and the others are its failover, in order. */
function readRoutes(
  routes: readonly WrittenRoute[] | undefined,
  links: readonly string[],
): RouteSettings[] {
  const [first, ...others] = links
  const list = routes ?? [{ links: [first!], failover: others, onSlowDown: 'wait' }]
  return list.map((route, i) => ({
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
