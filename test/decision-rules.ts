// Finds references to decision records that are wrong. Records are merged and renamed, so this check keeps every
// reference, the index, and the file names in records correct.

interface Records {
  has: (number: string) => boolean
  hasFile: (name: string) => boolean
}

/** Reads the file names in docs/decisions. */
export function recordsOf(names: readonly string[]): Records {
  const files = new Set(names.filter((name) => /^\d{4}-.+\.md$/.test(name)))
  const numbers = new Set([...files].map((name) => name.slice(0, 4)))
  return { has: (number) => numbers.has(number), hasFile: (name) => files.has(name) }
}

/** decisions/0007 and decisions/0007-message-states.md, wherever the path begins. */
const PATH = /\bdecisions\/(\d{4})(-[\w-]+\.md)?/g
/** Links between records: (0007-message-states.md). */
const NEIGHBOR = /\]\((\d{4})(-[\w-]+\.md)[#)]/g
/** "decision 0007" and "decisions 0007 and 0052", even across comment lines. */
const PROSE = /\bdecisions?\s+(?:(?:\/\/|\*|--|#)\s*)?((?:\d{4}(?:, and |, | and )?)+)/gi

/** References to records that do not exist. */
export function missingDecisions(file: string, text: string, records: Records): string[] {
  const named: string[] = []
  const paths = file.startsWith('docs/decisions/') ? [PATH, NEIGHBOR] : [PATH]
  for (const [, number = '', rest] of paths.flatMap((path) => [...text.matchAll(path)])) {
    const exists = rest === undefined ? records.has(number) : records.hasFile(number + rest)
    if (!exists) named.push(number + (rest ?? ''))
  }
  for (const [, list = ''] of text.matchAll(PROSE)) {
    named.push(...(list.match(/\d{4}/g) ?? []).filter((number) => !records.has(number)))
  }
  return [...new Set(named)].map(
    (name) => `${file}: decision ${name} does not exist, see docs/decisions/README.md`,
  )
}

/** Records that the index does not link, or links under another number. */
export function unlistedDecisions(index: string, names: readonly string[]): string[] {
  const listed = new Set(
    [...index.matchAll(/^\| \[(\d{4})\]\((\1-[\w-]+\.md)\)/gm)].map((m) => m[2]),
  )
  return names.filter((name) => /^\d{4}/.test(name) && !listed.has(name))
}

/** The files and folders of this project that a record mentions: `src/…`, `test/…`, `scripts/…`. */
export function namedFiles(record: string): string[] {
  return [...record.matchAll(/`((?:src|test|scripts|bench|ops)\/[\w./-]+)`/g)].map((m) => m[1]!)
}
