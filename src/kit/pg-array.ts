// PostgreSQL array literals. The driver can write arrays itself, but element by element through its
// general path; batches of hundreds of rows times a dozen columns make that the larger part of a send.

const NEEDS_ESCAPE = /["\\]/g

/** Any text. Null stays null. */
export function textArray(values: readonly (string | null)[]): string {
  let literal = '{'
  for (let i = 0; i < values.length; i += 1) {
    if (i > 0) literal += ','
    const value = values[i]!
    if (value === null) literal += 'NULL'
    else if (value.includes('"') || value.includes('\\')) {
      literal += `"${value.replace(NEEDS_ESCAPE, '\\$&')}"`
    } else literal += `"${value}"`
  }
  return `${literal}}`
}

/** Ids, numbers, words: values that hold none of the characters that an array literal gives a meaning. */
export function plainArray(values: readonly (string | number | bigint | boolean | null)[]): string {
  return `{${values.map((value) => value ?? 'NULL').join(',')}}`
}

/** Times, to the millisecond. */
export function timeArray(values: readonly (Date | null)[]): string {
  return `{${values.map((value) => (value ? value.toISOString() : 'NULL')).join(',')}}`
}
