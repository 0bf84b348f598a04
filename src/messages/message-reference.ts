// A number derived from a message's ID: the reference of its parts on the wire, which a carrier may return in a
// receipt whose ID we do not know.

/** Sixteen bits, the same for every attempt. IDs are random enough to tell messages apart (FNV-1a, folded). */
export function referenceOf(messageId: string): number {
  let hash = 0x811c9dc5
  for (let i = 0; i < messageId.length; i++) {
    hash = Math.imul(hash ^ messageId.charCodeAt(i), 0x01000193)
  }
  return (hash ^ (hash >>> 16)) & 0xffff
}
