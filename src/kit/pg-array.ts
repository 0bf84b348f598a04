// PostgreSQL array literals. The driver can write arrays itself, but element by element through its
// general path; batches of hundreds of rows times a dozen columns make that the larger part of a send.

const NEEDS_ESCAPE = /["\\]/g

/** Grows by one element at a time. */
export class ArrayText {
  #literal = '{'

  /** Ids, numbers, words: values that hold none of the characters with a meaning in a literal. */
  plain(value: string | number | bigint | boolean | null): void {
    this.#element(value === null ? 'NULL' : String(value))
  }

  /** Any text. Null stays null. */
  text(value: string | null): void {
    if (value === null) this.#element('NULL')
    else if (value.includes('"') || value.includes('\\')) {
      this.#element(`"${value.replace(NEEDS_ESCAPE, '\\$&')}"`)
    } else this.#element(`"${value}"`)
  }

  /** A time, to the millisecond. */
  time(value: Date | null): void {
    this.#element(value === null ? 'NULL' : value.toISOString())
  }

  done(): string {
    return `${this.#literal}}`
  }

  #element(text: string): void {
    this.#literal += this.#literal.length === 1 ? text : `,${text}`
  }
}

export function textArray(values: readonly (string | null)[]): string {
  const array = new ArrayText()
  for (const value of values) array.text(value)
  return array.done()
}

export function plainArray(values: readonly (string | number | bigint | boolean | null)[]): string {
  const array = new ArrayText()
  for (const value of values) array.plain(value)
  return array.done()
}

export function timeArray(values: readonly (Date | null)[]): string {
  const array = new ArrayText()
  for (const value of values) array.time(value)
  return array.done()
}
