// From the file that LONGCODE_CARRIERS names to settings that can be used. Whatever is wrong is a sentence
// with file and line; a file with one problem is not used at all.

import { readFileSync, statSync } from 'node:fs'
import path from 'node:path'
import { type Static, Type } from 'typebox'
import { BadSetting, type Config, readVariables } from '../../kit/config.js'
import { fieldName } from '../../kit/contract/validation.js'
import {
  type CarrierSettings,
  CarriersFile,
  LinkFields,
  type LinkSettings,
} from './carrier-settings.js'
import { checkFields } from './check-fields.js'
import { checkRoutes, readRoutes } from './check-routes.js'
import { type Expanded, expandVariables, placeOf } from './expand-variables.js'
import { choice, toMs } from './field-schemas.js'
import type { ReadContext } from './link-kind.js'
import { LINK_KINDS } from './link-kinds.js'
import {
  type Path,
  type Problem,
  readDocument,
  type SettingsDocument,
} from './settings-document.js'

const DAY_MS = 24 * 60 * 60 * 1000
const FILE_OCTETS_MAX = 1024 ** 2

/** The message is the first of its problems. */
export class BadCarriers extends BadSetting {
  constructor(readonly problems: readonly string[]) {
    super(problems[0])
  }
}

export type CarriersSource = Pick<Config, 'allowsSimulator'> & {
  file: string
  /** Default: the environment, and .env. */
  variable?: (name: string) => string | null
}

/** Null where no file is named. Throws BadCarriers. */
export function readCarriersOf(
  config: Pick<Config, 'carriersFile' | 'allowsSimulator'>,
): CarrierSettings | null {
  const { carriersFile: file, allowsSimulator } = config
  return file === null ? null : readCarriers({ file, allowsSimulator })
}

/** Throws BadCarriers. */
export function readCarriers(source: CarriersSource): CarrierSettings {
  const { file, variable = readVariables() } = source
  const shown = shownName(file)
  const read = readText(file)
  if ('problem' in read) throw new BadCarriers([`${shown} ${read.problem}.`])
  const document = readDocument(read.text)
  if ('text' in document) throw new BadCarriers([`${shown}:${document.line} ${document.text}.`])
  const expanded = expandVariables(document.value, variable)
  const context: ReadContext = {
    allowsSimulator: source.allowsSimulator,
    readFile: (name) => readText(path.resolve(path.dirname(file), name)),
  }
  const reading = new Reading(expanded, context)
  const settings = reading.read()
  const problems = [...expanded.problems, ...reading.problems]
  if (problems.length > 0 || !settings) {
    throw new BadCarriers(sentences(shown, document, problems))
  }
  const warnings = reading.warnings.map((warning) => sentence(shown, document, warning))
  return { ...settings, warnings }
}

/** In the order of lines, one for each place. */
function sentences(file: string, document: SettingsDocument, problems: readonly Problem[]) {
  const places = new Map<string, Problem>()
  for (const problem of problems) {
    const place = placeOf(problem.path)
    if (!places.has(place) || problem.path.length === 0) places.set(place, problem)
  }
  return [...places.values()]
    .map((problem) => ({ problem, line: document.lineOf(problem.path) }))
    .sort((a, b) => a.line - b.line)
    .map(({ problem }) => sentence(file, document, problem))
}

function sentence(file: string, document: SettingsDocument, { path: at, text }: Problem): string {
  const field = at.length === 0 ? '' : `${fieldName(at.map(String))} `
  return `${file}:${document.lineOf(at)} ${field}${text}${text.endsWith('?') ? '' : '.'}`
}

function shownName(file: string): string {
  const relative = path.relative('', file)
  return relative === '' || relative.startsWith('..') ? file : relative
}

function readText(file: string): { text: string } | { problem: string } {
  try {
    const { size } = statSync(file)
    if (size > FILE_OCTETS_MAX) return { problem: 'has more than a megabyte: name another file' }
    return { text: readFileSync(file, 'utf8') }
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    return { problem: `cannot be read (${code}): name a file that is there and may be read` }
  }
}

/** One reading of one file: problems and warnings gather on the way. */
class Reading {
  readonly problems: Problem[] = []
  readonly warnings: Problem[] = []
  readonly #expanded: Expanded
  readonly #context: ReadContext

  constructor(expanded: Expanded, context: ReadContext) {
    this.#expanded = expanded
    this.#context = context
  }

  /** Null where something is wrong. */
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
    const kind = Object.hasOwn(LINK_KINDS, String(kindName)) ? LINK_KINDS[String(kindName)]! : null
    if (!kind) {
      this.#check(KindOnly, written, at)
      return null
    }
    const before = this.problems.length
    const fields = Type.Object({ ...LinkFields.properties, ...kind.fields.properties })
    const own = this.#check(fields, written, at) as Static<typeof LinkFields>
    if (this.problems.length > before) return null
    const { name, kind: _kind, overlap, drainSeconds, failbackSeconds, ...rest } = own
    const read = kind.read(name, rest, this.#context)
    if (Array.isArray(read)) {
      this.problems.push(
        ...read.map(({ path: inner, text }) => ({ path: [...at, ...inner], text })),
      )
      return null
    }
    this.#warnOfSecrets(written as Record<string, unknown>, kind.secrets, at)
    return {
      ...read,
      name,
      kind: own.kind,
      isConnected: kind.isConnected,
      mayOverlap: overlap,
      drainMs: toMs(drainSeconds),
      failbackMs: toMs(failbackSeconds),
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

/** Of a link whose kind nobody knows, nothing else can be said. */
const KindOnly = {
  ...Type.Object({ kind: choice(Object.keys(LINK_KINDS)) }),
  'x-open': true,
}
