// Limits how much a JSON text may contain, before it is parsed: the parser takes fifty times as long for a
// megabyte of empty objects, or of keys of one object, as for a megabyte of text.

import type { RefusalCode } from './refusal.js'

const DEPTH_MAX = 32
/** A batch of a thousand messages, each with every field, ten media, and fifty metadata pairs. */
const VALUES_MAX = 70_000
const FIELDS_MAX = 1_000
/** A value takes at least two characters with its comma, so a shorter text cannot have too many. */
const PLAIN_LENGTH_MAX = 2 * VALUES_MAX

const QUOTE = 34
const COMMA = 44
const BRACKET = 91
const BACKSLASH = 92
const BRACKET_END = 93
const BRACE = 123
const BRACE_END = 125

/** Null if the text may be parsed. The parser decides whether it is JSON. */
export function findBoundProblem(text: string): RefusalCode | null {
  // Counting brackets is much faster than following them, and most bodies have few.
  if (text.length <= PLAIN_LENGTH_MAX && bracketsUpTo(text, DEPTH_MAX + 1) <= DEPTH_MAX) return null
  return followBrackets(text)
}

function bracketsUpTo(text: string, max: number): number {
  const braces = countUpTo(text, '{', max)
  return braces + countUpTo(text, '[', max - braces)
}

function countUpTo(text: string, character: string, max: number): number {
  let count = 0
  let at = text.indexOf(character)
  while (at !== -1 && count < max) {
    count += 1
    at = text.indexOf(character, at + 1)
  }
  return count
}

function followBrackets(text: string): RefusalCode | null {
  const fields: number[] = [0] // of the object at each depth
  let values = 0
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at)
    if (code === QUOTE) at = endOfText(text, at)
    else if (code === COMMA) {
      values += 1
      const count = fields[fields.length - 1]! + 1
      fields[fields.length - 1] = count
      if (values >= VALUES_MAX || count >= FIELDS_MAX) return 'json_too_wide'
    } else if (code === BRACE || code === BRACKET) {
      // A list has no fields, so its count never grows.
      fields.push(code === BRACE ? 0 : Number.NEGATIVE_INFINITY)
      if (fields.length > DEPTH_MAX + 1) return 'json_too_deep'
    } else if ((code === BRACE_END || code === BRACKET_END) && fields.length > 1) fields.pop()
  }
  return null
}

/** The position of the closing quote: the first one after an even number of backslashes. */
function endOfText(text: string, start: number): number {
  for (let at = text.indexOf('"', start + 1); at !== -1; at = text.indexOf('"', at + 1)) {
    let before = at - 1
    while (text.charCodeAt(before) === BACKSLASH) before -= 1
    if ((at - before) % 2 === 1) return at
  }
  return text.length
}
