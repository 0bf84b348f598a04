// The text of a settings file, YAML or JSON (which is YAML), as a value with a line number for every
// position. Only this file and edit-list.ts, which writes, use the YAML library.

import {
  type Document,
  isAlias,
  isMap,
  isPair,
  isScalar,
  isSeq,
  LineCounter,
  type Node,
  type Pair,
  parseDocument,
  type YAMLError,
} from 'yaml'

export type Path = readonly (string | number)[]

/** A problem and its position: the text follows the name of the field. */
export interface SettingsProblem {
  path: Path
  text: string
  /** If no path leads there. */
  line?: number
}

export interface SettingsDocument {
  value: unknown
  /** The line of the name, if there is one, or of the nearest position around it. */
  lineOf: (path: Path) => number
}

/** More aliases than a person writes: a text that grows when it is read. */
const ALIASES_MAX = 100

/** A problem instead of a value: the library's message and its line. */
export function readDocument(text: string): SettingsDocument | SettingsProblem {
  if (isTooDeep(text)) return { path: [], text: 'is nested too deeply: write it flatter', line: 1 }
  const lines = new LineCounter()
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false })
  const [error] = [...document.errors, ...document.warnings]
  const lineAt = (offset: number) => lines.linePos(offset).line
  if (error) return { path: [], text: syntaxText(error, text), line: lineAt(error.pos[0]) }
  try {
    const value: unknown = document.toJS({ maxAliasCount: ALIASES_MAX })
    return { value, lineOf: (path) => lineAt(offsetOf(document, path)) }
  } catch {
    return { path: [], text: 'has aliases that lead to too much: write it out', line: 1 }
  }
}

/**
 * Deeper than any settings. The library recurses, and a stack overflow inside a regular expression ends Node.
 */
const DEPTH_MAX = 100
const INDENT_MAX = 400

function isTooDeep(text: string): boolean {
  let depth = 0
  for (const line of text.split('\n')) {
    const start = line.search(/[^ \t?-]/)
    const lead = start < 0 ? line.length : start
    const marks = line.slice(0, lead).match(/[?-](?=\s|$)/g)?.length ?? 0
    if (lead > INDENT_MAX && line.trim() !== '' && lead !== line.length) return true
    if (marks > DEPTH_MAX) return true
    for (const [bracket] of line.matchAll(/[[\]{}]/g)) {
      depth = Math.max(0, depth + (bracket === '[' || bracket === '{' ? 1 : -1))
      if (depth > DEPTH_MAX) return true
    }
  }
  return false
}

function syntaxText({ code, message, pos }: YAMLError, text: string): string {
  const line = text.slice(text.lastIndexOf('\n', pos[0] - 1) + 1, pos[1] + 1)
  if (line.includes('${') && /[{[]/.test(line.replaceAll('${', ''))) {
    return `is not YAML here: inside { } and [ ] put "\${NAME}" in quotes`
  }
  if (code === 'DUPLICATE_KEY') return 'has a name twice in one place: take one of them out'
  if (code === 'MULTIPLE_DOCS') return 'begins a second document: keep one, and take out the ---'
  // The quoted text may be a password.
  const [reason = ''] = message.replace(/\s+/g, ' ').split(': "', 1)
  return `is not YAML here: ${reason.trim()}`
}

function offsetOf(document: Document, path: Path): number {
  let node: Node | null = document.contents as Node | null
  let offset = node?.range?.[0] ?? 0
  for (const step of path) {
    if (isAlias(node)) node = node.resolve(document) as Node | null
    const pair = isMap(node) ? findPair(node.items as Pair[], step) : undefined
    const next = pair ? pair.value : isSeq(node) ? node.items[Number(step)] : undefined
    if (!pair && next === undefined) return offset
    offset = startOf(pair?.key) ?? startOf(next) ?? offset
    node = next as Node | null
  }
  return offset
}

function findPair(items: readonly Pair[], step: string | number): Pair | undefined {
  return items.find((item) => {
    if (!isPair(item)) return false
    const key = isScalar(item.key) ? item.key.value : item.key
    return String(key) === String(step)
  })
}

function startOf(node: unknown): number | undefined {
  return (node as Node | null | undefined)?.range?.[0]
}
