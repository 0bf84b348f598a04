// Finds every regular expression that the service and the console can run: literals, the `pattern` of schemas, and
// the results of `new RegExp`. The last cannot be read from the text, so the module is loaded with a RegExp that
// records what it builds. An expression that is built later, from runtime values, cannot be checked and is reported
// as a problem.

import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import * as ts from 'typescript-6'

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

const parse = (file: string): ts.SourceFile =>
  ts.createSourceFile(file, readFileSync(file, 'utf8'), ts.ScriptTarget.Latest, true)

const lineOf = (node: ts.Node): number => {
  const source = node.getSourceFile()
  return source.getLineAndCharacterOfPosition(node.getStart(source)).line + 1
}

const placeOf = (node: ts.Node): string => `${node.getSourceFile().fileName}:${lineOf(node)}`

function stringConstants(source: ts.SourceFile): [string, string][] {
  return source.statements
    .filter((statement) => ts.isVariableStatement(statement))
    .flatMap(({ declarationList }) => declarationList.declarations)
    .flatMap(({ name, initializer }): [string, string][] => {
      const text = initializer && foldString(initializer, new Map())
      return text === undefined ? [] : [[name.getText(source), text]]
    })
}

/** The text of a constant expression, or undefined where it is not one. */
function foldString(
  node: ts.Expression,
  constants: ReadonlyMap<string, string>,
): string | undefined {
  if (ts.isStringLiteralLike(node)) return node.text
  if (ts.isIdentifier(node)) return constants.get(node.text)
  if (!ts.isTemplateExpression(node)) return undefined
  const parts = node.templateSpans.map(({ expression, literal }) => {
    const value = foldString(expression, constants)
    return value === undefined ? undefined : value + literal.text
  })
  return parts.includes(undefined) ? undefined : node.head.text + parts.join('')
}

/** Adds the expressions in the text of the file; returns the places where it builds expressions. */
function readFile(
  source: ts.SourceFile,
  constants: ReadonlyMap<string, string>,
  { regexes, problems }: Found,
): Construction[] {
  const constructions: Construction[] = []
  const visit = (node: ts.Node): void => {
    if (ts.isRegularExpressionLiteral(node)) {
      const end = node.text.lastIndexOf('/')
      const [literal, flags] = [node.text.slice(1, end), node.text.slice(end + 1)]
      regexes.push({ source: literal, flags, place: placeOf(node) })
    }
    if (isRegExpCall(node)) constructions.push({ file: source.fileName, line: lineOf(node) })
    if (ts.isPropertyAssignment(node) && node.name.getText(source) === 'pattern') {
      const text = foldString(node.initializer, constants)
      // Schemas are compiled with the flag u.
      if (text !== undefined) regexes.push({ source: text, flags: 'u', place: placeOf(node) })
      else if (!isNoString(node.initializer)) {
        problems.push(`${placeOf(node)}: write this pattern as a constant, so it can be checked.`)
      }
    }
    ts.forEachChild(node, visit)
  }
  visit(source)
  return constructions
}

const isRegExpCall = (node: ts.Node): boolean =>
  (ts.isNewExpression(node) || ts.isCallExpression(node)) &&
  ts.isIdentifier(node.expression) &&
  node.expression.text === 'RegExp'

const isNoString = (node: ts.Node): boolean =>
  ts.isRegularExpressionLiteral(node) || ts.isArrowFunction(node)

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
