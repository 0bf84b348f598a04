// Writes one entry of a list in a settings file, such as a link. Everything around it, including comments and
// order, stays unchanged, and only the differing parts of the entry change.

import {
  type Document,
  isMap,
  isScalar,
  isSeq,
  type Pair,
  parseDocument,
  stringify,
  type YAMLMap,
  type YAMLSeq,
} from 'yaml'

export type EntryValue = string | number | boolean | { readonly [name: string]: EntryValue }
export type SettingsEntry = Readonly<Record<string, EntryValue>>

export interface EditedList {
  text: string
  isNew: boolean
  /** The names of fields that were added or changed. */
  changed: string[]
}

const STYLE = { lineWidth: 0 } as const

/** The entry is identified by its `name`. The text must be readable; an empty one starts a file. */
export function editList(
  text: string,
  list: string,
  entry: SettingsEntry & { name: string },
): EditedList {
  const document = parseDocument(text)
  const at = entryAt(document, list, entry.name)
  const previous =
    at === null ? {} : (document.toJS() as Record<string, SettingsEntry[]>)[list]![at]!
  const changed = Object.keys(entry).filter((name) => !isSame(previous[name], entry[name]))
  const isNew = at === null
  if (changed.length === 0) return { text, isNew, changed }
  const edited = withEntry(document, list, at, entry)
  if (isJson(text)) return { text: `${JSON.stringify(edited, null, 2)}\n`, isNew, changed }
  const spliced = splice(text, document, { list, at, entry, changed })
  const isRight = spliced !== null && isSame(readBack(spliced), edited)
  return { text: isRight ? spliced : rewritten(document, list, at, entry, changed), isNew, changed }
}

/** The entry alone, as it would look in its own file. */
export function writeList(list: string, entry: SettingsEntry): string {
  return stringify({ [list]: [entry] }, STYLE)
}

function entryAt(document: Document, list: string, name: string): number | null {
  const found = document.get(list)
  if (!isSeq(found)) return null
  const at = found.items.findIndex((item) => isMap(item) && item.get('name') === name)
  return at < 0 ? null : at
}

function withEntry(
  document: Document,
  list: string,
  at: number | null,
  entry: SettingsEntry,
): unknown {
  const whole = (document.toJS() ?? {}) as Record<string, unknown>
  const previous = (whole[list] ?? []) as SettingsEntry[]
  const entries =
    at === null
      ? [...previous, entry]
      : previous.map((one, i) => (i === at ? { ...one, ...entry } : one))
  return { ...whole, [list]: entries }
}

interface Edit {
  list: string
  at: number | null
  entry: SettingsEntry
  changed: readonly string[]
}

/** The text with nothing else changed; null if its form does not allow that. */
function splice(text: string, document: Document, edit: Edit): string | null {
  const found = document.get(edit.list)
  if (!isSeq(found) || found.flow || found.items.length === 0) return null
  if (edit.at === null) return appendEntry(text, found, edit.entry)
  const map = found.items[edit.at]
  return isMap(map) && !map.flow ? changeFields(text, map, edit) : null
}

function appendEntry(text: string, seq: YAMLSeq, entry: SettingsEntry): string | null {
  const dash = text.lastIndexOf('-', startOf(seq.items[0]))
  const indent = ' '.repeat(columnOf(text, dash))
  const lines = stringify([entry], STYLE).trimEnd().split('\n')
  return insertAfter(text, seq.items.at(-1), lines.map((line) => indent + line).join('\n'))
}

function changeFields(text: string, map: YAMLMap, { entry, changed }: Edit): string | null {
  const pairOf = (name: string) => map.items.find(({ key }) => isScalar(key) && key.value === name)
  const existing = changed.filter((name) => pairOf(name))
  const added = Object.fromEntries(
    changed.filter((name) => !pairOf(name)).map((name) => [name, entry[name]!]),
  )
  const indent = ' '.repeat(columnOf(text, startOf(map.items[0]!.key)))
  const lines = stringify(added, STYLE).trimEnd().split('\n')
  let edited: string | null = text
  // From the end to the beginning, so positions before an edit stay valid.
  if (Object.keys(added).length > 0) {
    const more = lines.map((line) => indent + line).join('\n')
    edited = insertAfter(text, map.items.at(-1)!.value ?? map.items.at(-1)!.key, more)
  }
  const pairs = existing.map((name) => ({ name, pair: pairOf(name)! }))
  pairs.sort((a, b) => startOf(b.pair.key) - startOf(a.pair.key))
  for (const { name, pair } of pairs) {
    edited = edited === null ? null : changeValue(edited, pair, entry[name]!)
  }
  return edited
}

function changeValue(text: string, { value }: Pair, newValue: EntryValue): string | null {
  if (!isScalar(value) || !value.range || typeof newValue === 'object') return null
  const [start, end] = value.range
  return text.slice(0, start) + stringify(newValue, STYLE).trimEnd() + text.slice(end)
}

/** On separate lines, below the line on which the node ends, including any comment on that line. */
function insertAfter(text: string, node: unknown, lines: string): string | null {
  const end = (node as { range?: [number, number, number] | null } | undefined)?.range?.[1]
  if (end === undefined) return null
  const last = text.slice(0, end).trimEnd().length
  const lineEnd = text.indexOf('\n', last)
  if (lineEnd < 0) return `${text}\n${lines}\n`
  return `${text.slice(0, lineEnd + 1)}${lines}\n${text.slice(lineEnd + 1)}`
}

/** Through the library: comments and order stay, spacing may change. */
function rewritten(
  document: Document,
  list: string,
  at: number | null,
  entry: SettingsEntry,
  changed: readonly string[],
): string {
  if (at === null && isSeq(document.get(list))) document.addIn([list], document.createNode(entry))
  else if (at === null) document.set(list, document.createNode([entry]))
  else
    for (const name of changed) document.setIn([list, at, name], document.createNode(entry[name]))
  return document.toString(STYLE)
}

function readBack(text: string): unknown {
  const document = parseDocument(text)
  return document.errors.length > 0 ? null : document.toJS()
}

const isJson = (text: string) => text.trimStart().startsWith('{')
const startOf = (node: unknown) => (node as { range?: [number] | null }).range?.[0] ?? 0
const columnOf = (text: string, offset: number) => offset - (text.lastIndexOf('\n', offset - 1) + 1)

/** In any order of names. */
function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(sorted(one)) === JSON.stringify(sorted(other))
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted)
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))
  return Object.fromEntries(entries.map(([name, inner]) => [name, sorted(inner)]))
}
