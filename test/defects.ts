// Errors that only a mistake in the program causes, from the logs of services under test. A loop that fails in the same way again and
// again makes no progress, so a wait for its work ends with that error.

const REPEATS = 3
const TYPES = new Set(['TypeError', 'ReferenceError', 'SyntaxError'])
/** Of PostgreSQL: a unique constraint, and text that is no statement. */
const CODES = new Set(['23505', '42601', '42703', '42883'])

const counts = new Map<string, number>()

/** A line of the log. */
export function noteDefect(line: string): void {
  if (!line.includes('"err":')) return
  const { type, code, message, stack } = JSON.parse(line).err ?? {}
  if (!TYPES.has(type) && !CODES.has(code)) return
  const text = stack ?? message
  counts.set(text, (counts.get(text) ?? 0) + 1)
}

/** The errors from now on. */
export class DefectWatch {
  readonly #before = new Map(counts)

  /** One that has repeated. */
  find(): string | null {
    for (const [text, count] of counts) {
      if (count >= (this.#before.get(text) ?? 0) + REPEATS) return text
    }
    return null
  }
}
