// The Prefer header (RFC 7240): how strictly to check a request. Unknown preferences are ignored, as the
// standard requires.

// Commas separate preferences, except inside quotes. An unclosed quote extends to the end.
const PREFERENCE = /(?:"(?:\\.|[^"\\])*(?:"|$)|[^",])+/g
const NAME_AND_VALUE = /^\s*([^\s=;"]+)\s*(?:=\s*(?:"((?:\\.|[^"\\])*)"|([^\s;"]+))\s*)?(?:;|$)/

export const STRICT = 'handling=strict'

/** Whether the client sent `handling=strict`. If handling is repeated, the first one counts. */
export function prefersStrict(header: string | readonly string[] | undefined): boolean {
  if (header === undefined) return false
  for (const [preference] of [header].flat().join(',').matchAll(PREFERENCE)) {
    const [, name = '', quoted, plain = ''] = NAME_AND_VALUE.exec(preference) ?? []
    if (name.toLowerCase() !== 'handling') continue
    return (quoted ?? plain).toLowerCase() === 'strict'
  }
  return false
}
