// Bugs in SQL. The text is searched, not parsed: a change that is no longer valid SQL fails at once and costs
// little, and typical mistakes are in a few words and signs.

import type { Change } from './mutant.js'

type Swap = readonly [pattern: RegExp, replacement: string]

// Signs stand between spaces; words stand alone.
const SWAPS: readonly Swap[] = [
  [/(?<=\s)<=(?=\s)/g, '<'],
  [/(?<=\s)>=(?=\s)/g, '>'],
  [/(?<=\s)<(?=\s)/g, '<='],
  [/(?<=\s)>(?=\s)/g, '>='],
  [/(?<=\b(?:where|and|or|on)\s+[\w."]+\s+)=(?=\s)/g, '<>'],
  [/(?<=\s)\+(?=\s)/g, '-'],
  [/(?<=\s)-(?=\s)/g, '+'],
  [/(?<!\bbetween\s+\S+\s+)\band\b/g, 'or'],
  [/\bor\b(?! replace)/g, 'and'],
  [/\bis null\b/g, 'is not null'],
  [/\bis not null\b/g, 'is null'],
  [/\bnot exists\b/g, 'exists'],
  [/(?<!\bnot\s+|\bif\s+)\bexists(?=\s*\()/g, 'not exists'],
  [/\bdesc\b/g, 'asc'],
  [/\bmin(?=\()/g, 'max'],
  [/\bmax(?=\()/g, 'min'],
  [/\bgreatest(?=\()/g, 'least'],
  [/\bleast(?=\()/g, 'greatest'],
  [/\bfor (?:no key )?update(?: skip locked)?\b/g, ''],
  [/ skip locked\b/g, ''],
]

const CONDITION_STARTS = /\b(?:where|and)\s+/g
const CONDITION_ENDS =
  /^(?:and|or|order|group|having|limit|returning|for|union|window|from|join|left|on|set|then|else|end)\b/

/** `text` is the inside of a template, with its inserts; `offset` is where it begins in the file. */
export function changeSql(text: string, offset: number): Change[] {
  const masked = maskInserts(text)
  const swaps = SWAPS.flatMap(([pattern, replacement]) =>
    [...masked.matchAll(pattern)].map(({ index, 0: found }) => ({
      start: offset + index,
      end: offset + index + found.length,
      replacement,
    })),
  )
  return [...swaps, ...dropConditions(masked, offset)]
}

/** Each condition of a `where`, or joined by `and`, holds always. */
function dropConditions(masked: string, offset: number): Change[] {
  const changes: Change[] = []
  for (const { index, 0: found } of masked.matchAll(CONDITION_STARTS)) {
    if (/\bbetween\s+\S+\s+$/.test(masked.slice(0, index))) continue
    const start = index + found.length
    const end = start + conditionLength(masked.slice(start))
    if (end > start) changes.push({ start: offset + start, end: offset + end, replacement: 'true' })
  }
  return changes
}

function conditionLength(text: string): number {
  let depth = 0
  let length = 0
  for (let i = 0; i < text.length; i += 1) {
    const sign = text[i]!
    if (sign === '(') depth += 1
    if (sign === ')') depth -= 1
    const isWordStart = i > 0 && /\s/.test(text[i - 1]!)
    const isBetween = /\bbetween\s+\S+\s+$/.test(text.slice(0, i))
    const isOver = isWordStart && !isBetween && CONDITION_ENDS.test(text.slice(i))
    if (depth < 0 || (depth === 0 && (sign === ',' || sign === ';' || isOver))) break
    if (!/\s/.test(sign)) length = i + 1
  }
  return length
}

/** Inserts are not SQL: `${a <= b}` becomes as many letters. */
function maskInserts(text: string): string {
  let masked = ''
  for (let i = 0; i < text.length; ) {
    const end = text.startsWith('${', i) ? insertEnd(text, i) : i
    masked += end > i ? 'x'.repeat(end - i) : text[i]
    i = end > i ? end : i + 1
  }
  return masked
}

function insertEnd(text: string, from: number): number {
  let depth = 0
  for (let i = from; i < text.length; i += 1) {
    if (text[i] === '{') depth += 1
    if (text[i] === '}') depth -= 1
    if (depth === 0 && text[i] === '}') return i + 1
  }
  return text.length
}
