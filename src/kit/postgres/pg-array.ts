// PostgreSQL array literals. The driver can write arrays, but element by element on its general path. With
// hundreds of rows and a dozen columns, that would be most of the cost of a send.

const NEEDS_ESCAPE = /["\\]/g

/** One element of a literal, for any text. */
export function quoted(text: string): string {
  if (!text.includes('"') && !text.includes('\\')) return `"${text}"`
  return `"${text.replace(NEEDS_ESCAPE, '\\$&')}"`
}

/** Any text. Null stays null. */
export function textArray(values: readonly (string | null)[]): string {
  return `{${values.map((value) => (value === null ? 'NULL' : quoted(value))).join(',')}}`
}

/** IDs, numbers, words: values without characters that are special in a literal. */
export function plainArray(values: readonly (string | number | bigint | boolean | null)[]): string {
  return `{${values.map((value) => value ?? 'NULL').join(',')}}`
}

/** Times, to the millisecond. */
export function timeArray(values: readonly (Date | null)[]): string {
  return `{${values.map((value) => (value ? value.toISOString() : 'NULL')).join(',')}}`
}

const TEXT_OID = 25

/**
 * Long texts in PostgreSQL's binary format: nothing to escape here, nothing to parse there. The driver sends
 * a Buffer unchanged.
 */
export function binaryTextArray(values: readonly (string | Buffer | null)[]): Buffer {
  const lengths = values.map((value) => (value === null ? -1 : Buffer.byteLength(value)))
  const size = lengths.reduce((sum, length) => sum + 4 + Math.max(0, length), 20)
  const array = Buffer.allocUnsafe(size)
  let at = array.writeInt32BE(1) // dimensions
  at = array.writeInt32BE(lengths.includes(-1) ? 1 : 0, at)
  at = array.writeInt32BE(TEXT_OID, at)
  at = array.writeInt32BE(values.length, at)
  at = array.writeInt32BE(1, at) // counts from
  values.forEach((value, i) => {
    at = array.writeInt32BE(lengths[i]!, at)
    if (typeof value === 'string') at += array.write(value, at)
    else if (value !== null) at += value.copy(array, at)
  })
  return array
}
