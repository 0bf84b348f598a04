// The header Prefer (RFC 7240): how strictly a caller wants its request to be read. Preferences that are
// not known here are passed over, as the standard asks.

// Commas part preferences, but not those inside quotes; a quote that never ends holds the rest.
const PREFERENCE = /(?:"(?:\\.|[^"\\])*(?:"|$)|[^",])+/g
const NAME_AND_VALUE = /^\s*([^\s=;"]+)\s*(?:=\s*(?:"((?:\\.|[^"\\])*)"|([^\s;"]+))\s*)?(?:;|$)/

export const STRICT = 'handling=strict'

/** Whether the caller asks for `handling=strict`. Of several, the first word on handling counts. */
export function prefersStrict(header: string | readonly string[] | undefined): boolean {
  if (header === undefined) return false
  for (const [preference] of [header].flat().join(',').matchAll(PREFERENCE)) {
    const [, name = '', quoted, plain = ''] = NAME_AND_VALUE.exec(preference) ?? []
    if (name.toLowerCase() !== 'handling') continue
    return (quoted ?? plain).toLowerCase() === 'strict'
  }
  return false
}
