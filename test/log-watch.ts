// The log of every service under test, in memory and at the most verbose level: when the test ends, no line may
// contain a token, a signature, a phone number, or a message text.

import { type Log, openLog } from '../src/kit/log.js'
import { noteDefect } from './defects.js'

/** Must never be in a log. A + in a URL is %2B. */
const NEVER = [
  /\blco?_[\w-]{20,}/,
  /\bwhsec_\w+/,
  /\bv1,[A-Za-z0-9+/]{20,}/,
  /\bBearer \S+/i,
  /(?:\+|%2B)\d{8,15}\b/i,
  /:\/\/[^/\s"]*:[^/\s"]+@/,
]
/** Fields that differ from line to line without identifying anyone. Without them, similar lines are equal. */
const CHANGING = /"(?:time|requestId|ms)":(?:"[\w:.-]+"|[\d.]+),?/g
/** Fields whose strings are message texts or secrets. */
const TEXT_FIELDS = new Set(['body', 'text', 'secret', 'token', 'signature'])
/** Fields where the same applies to everything inside. */
const TEXT_TREES = new Set(['metadata', 'mediaUrls', 'mediaUrl'])
/** Short or common words also appear in harmless lines. */
const TOO_PLAIN = /^(?:.{0,4}|[a-z]{0,9})$/s
const TEXTS_MAX = 500

export interface LogWatch {
  log: Log
  /** Remembers what a client sent or received: texts and phone numbers. */
  note: (value: unknown) => void
  /** One sentence for each of the first lines that leak something. */
  leaks: () => string[]
}

/** Prints lines of level `shown` and above to standard error, as a service would. */
export function watchLog(shown: string): LogWatch {
  const lines = new Set<string>()
  const texts = new Set<string>()
  const digits = new Set<string>()
  const log = openLog('debug', {
    write: (line: string) => {
      lines.add(line.replace(CHANGING, ''))
      noteDefect(line)
      if (levelOf(line) >= shownFrom) process.stderr.write(line)
    },
  })
  const shownFrom = log.levels.values[shown] ?? Number.POSITIVE_INFINITY
  return {
    log,
    note: (value) => collect(value, { texts, digits }),
    leaks: () => [...lines].flatMap((line) => leakIn(line, texts, digits) ?? []).slice(0, 5),
  }
}

function levelOf(line: string): number {
  return Number(/"level":(\d+)/.exec(line)?.[1])
}

/** As it would appear in a line of JSON. */
function escaped(text: string): string {
  return JSON.stringify(text).slice(1, -1)
}

interface Noted {
  texts: Set<string>
  digits: Set<string>
}

function collect(value: unknown, noted: Noted, isInTree = false, name = ''): void {
  if (typeof value === 'string') {
    const isText = isInTree || TEXT_FIELDS.has(name)
    const { texts, digits } = noted
    if (isText && !TOO_PLAIN.test(value) && texts.size < TEXTS_MAX) texts.add(escaped(value))
    if (/^\+\d{8,15}$/.test(value)) digits.add(value.slice(1))
  } else if (Array.isArray(value)) {
    for (const one of value) collect(one, noted, isInTree, name)
  } else if (typeof value === 'object' && value !== null) {
    for (const [inner, one] of Object.entries(value)) {
      collect(one, noted, isInTree || TEXT_TREES.has(inner), inner)
    }
  }
}

function leakIn(line: string, texts: Set<string>, digits: Set<string>): string | null {
  const pattern = NEVER.find((one) => one.test(line))
  if (pattern) return `${pattern} in ${line}`
  const number = line.match(/\d{8,15}/g)?.find((run) => digits.has(run))
  if (number) return `the phone number ${number} in ${line}`
  const text = [...texts].find((one) => line.includes(one))
  return text === undefined ? null : `the text ${text} in ${line}`
}
