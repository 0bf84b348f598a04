// PostgreSQL array literals. The driver can write arrays itself, but element by element through its
// general path; batches of hundreds of rows times a dozen columns make that the larger part of a send.

const NEEDS_ESCAPE = /["\\]/g

/** One element of a literal, whatever the text. */
export function quoted(text: string): string {
  if (!text.includes('"') && !text.includes('\\')) return `"${text}"`
  return `"${text.replace(NEEDS_ESCAPE, '\\$&')}"`
}

/** Any text. Null stays null. */
export function textArray(values: readonly (string | null)[]): string {
  return `{${values.map((value) => (value === null ? 'NULL' : quoted(value))).join(',')}}`
}

/** Ids, numbers, words: values that hold none of the characters with a meaning in a literal. */
export function plainArray(values: readonly (string | number | bigint | boolean | null)[]): string {
  return `{${values.map((value) => value ?? 'NULL').join(',')}}`
}

/** Times, to the millisecond. */
export function timeArray(values: readonly (Date | null)[]): string {
  return `{${values.map((value) => (value ? value.toISOString() : 'NULL')).join(',')}}`
}
