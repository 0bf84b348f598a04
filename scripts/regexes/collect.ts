// Finds every regular expression that the service and the console can run: literals, the `pattern` of schemas, and
// the results of `new RegExp`. The last cannot be read from the text, so the module is loaded with a RegExp that
// records what it builds. An expression that is built later, from runtime values, cannot be checked and is reported
// as a problem.

import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { type Expression, type ObjectProperty, type Program, parseSync, Visitor } from 'oxc-parser'

export interface Regex {
  source: string
  flags: string
  /** The file and line where it was first found. */
  place: string
}

interface Found {
  regexes: Regex[]
  problems: string[]
}

interface Construction {
  file: string
  line: number
}

const ROOTS = ['src', 'console']
const IS_SOURCE = /(?<!\.test|\.d)\.tsx?$/
const IS_GENERATED = /^console\/generated\//

export async function collectRegexes(): Promise<Found> {
  const files = ROOTS.flatMap((root) =>
    readdirSync(root, { recursive: true }).map((name) => path.posix.join(root, String(name))),
  ).filter((file) => IS_SOURCE.test(file) && !IS_GENERATED.test(file))
  const sources = files.map((file) => parse(file))
  const constants = new Map(sources.flatMap((source) => stringConstants(source)))
  const found: Found = { regexes: [], problems: [] }
  const constructions = sources.flatMap((source) => readFile(source, constants, found))
  await observe(constructions, found)
  return found
}

interface Source {
  file: string
  text: string
  program: Program
}

function parse(file: string): Source {
  const text = readFileSync(file, 'utf8')
  const { program, errors } = parseSync(file, text)
  if (errors.length > 0) throw new Error(`${file}: ${errors[0]!.message}`)
  return { file, text, program }
}

const lineOf = ({ text }: Source, { start }: { start: number }): number =>
  text.slice(0, start).split('\n').length

const placeOf = (source: Source, node: { start: number }): string =>
  `${source.file}:${lineOf(source, node)}`

function stringConstants({ program }: Source): [string, string][] {
  return program.body
    .map((statement) =>
      statement.type === 'ExportNamedDeclaration' ? statement.declaration : statement,
    )
    .filter((statement) => statement?.type === 'VariableDeclaration')
    .flatMap(({ declarations }) => declarations)
    .flatMap(({ id, init }): [string, string][] => {
      const text = init && foldString(init, new Map())
      return id.type === 'Identifier' && typeof text === 'string' ? [[id.name, text]] : []
    })
}

/** The text of a constant expression, or undefined where it is not one. */
function foldString(node: Expression, constants: ReadonlyMap<string, string>): string | undefined {
  if (node.type === 'Literal') return typeof node.value === 'string' ? node.value : undefined
  if (node.type === 'Identifier') return constants.get(node.name)
  if (node.type !== 'TemplateLiteral') return undefined
  const values = node.expressions.map((one) => foldString(one, constants))
  if (values.includes(undefined)) return undefined
  return node.quasis.map(({ value }, i) => value.cooked + (values[i] ?? '')).join('')
}

/** Adds the expressions in the text of the file; returns the places where it builds expressions. */
function readFile(
  source: Source,
  constants: ReadonlyMap<string, string>,
  { regexes, problems }: Found,
): Construction[] {
  const constructions: Construction[] = []
  const build = (node: { start: number; callee: Expression }): void => {
    if (node.callee.type !== 'Identifier' || node.callee.name !== 'RegExp') return
    constructions.push({ file: source.file, line: lineOf(source, node) })
  }
  const readPattern = ({ key, value, start }: ObjectProperty): void => {
    if (key.type !== 'Identifier' || key.name !== 'pattern') return
    const text = foldString(value, constants)
    const place = placeOf(source, { start })
    // Schemas are compiled with the flag u.
    if (text !== undefined) regexes.push({ source: text, flags: 'u', place })
    else if (!isNoString(value)) {
      problems.push(`${place}: write this pattern as a constant, so it can be checked.`)
    }
  }
  const visitor = new Visitor({
    Literal(node) {
      if (!('regex' in node)) return
      const { pattern, flags } = node.regex
      regexes.push({ source: pattern, flags, place: placeOf(source, node) })
    },
    CallExpression: build,
    NewExpression: build,
    ObjectExpression({ properties }) {
      const named = properties.filter((one) => one.type === 'Property' && !one.shorthand)
      for (const one of named as ObjectProperty[]) readPattern(one)
    },
  })
  visitor.visit(source.program)
  return constructions
}

const isNoString = (node: Expression): boolean =>
  (node.type === 'Literal' && 'regex' in node) || node.type === 'ArrowFunctionExpression'

/** Loads the modules that build expressions, and records what they build and where. */
async function observe(constructions: readonly Construction[], { regexes, problems }: Found) {
  const open = new Map(constructions.map((one) => [`${one.file}:${one.line}`, one]))
  const record = (built: RegExp): void => {
    const place = [...open.keys(), ...seen].find((key) => isIn(new Error().stack ?? '', key))
    if (place === undefined) return
    open.delete(place)
    seen.add(place)
    regexes.push({ source: built.source, flags: built.flags, place })
  }
  const seen = new Set<string>()
  const Original = globalThis.RegExp
  globalThis.RegExp = new Proxy(Original, {
    construct: (target, args) => {
      const built = Reflect.construct(target, args) as RegExp
      record(built)
      return built
    },
  })
  try {
    for (const { file } of constructions) await import(pathToFileURL(path.resolve(file)).href)
  } finally {
    globalThis.RegExp = Original
  }
  for (const place of open.keys()) {
    problems.push(
      `${place}: builds a regular expression after its module was loaded, so it cannot be checked. ` +
        'Build it at the top of the module, or scan the text.',
    )
  }
}

/** The line of a call that spans several is that of its beginning or, in some engines, of one of its arguments. */
const isIn = (stack: string, place: string): boolean => stack.includes(`/${place}:`)
