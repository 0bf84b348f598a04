// The user data header at the start of a text if bit 0x40 of esm_class is set. Only the elements that number the
// parts of a long message matter here. Others are skipped.

/** The same shape as the part of an inbound message at the port. */
export interface PartFacts {
  /** The same for all parts of one long message from one phone. */
  reference: number
  total: number
  sequence: number
}

/** Including their own length byte. */
export const HEADER_8_LENGTH = 6
export const HEADER_16_LENGTH = 7

const CONCATENATION_8 = 0x00
const CONCATENATION_16 = 0x08

export interface UserDataHeader {
  /** Including its own length byte. The text begins here. */
  length: number
  part: PartFacts | null
}

/** Null if the bytes do not begin with a valid header. */
export function readHeader(bytes: Buffer): UserDataHeader | null {
  const length = bytes.length === 0 ? 0 : 1 + bytes[0]!
  if (length === 0 || length > bytes.length) return null

  let part: PartFacts | null = null
  let at = 1
  while (at + 2 <= length) {
    const id = bytes[at]!
    const value = bytes.subarray(at + 2, at + 2 + bytes[at + 1]!)
    at += 2 + bytes[at + 1]!
    if (at > length) break
    part ??= concatenation(id, value)
  }
  return { length, part }
}

function concatenation(id: number, value: Buffer): PartFacts | null {
  if (id === CONCATENATION_8 && value.length === 3) {
    return partFacts(value[0]!, value[1]!, value[2]!)
  }
  if (id === CONCATENATION_16 && value.length === 4) {
    return partFacts(value.readUInt16BE(0), value[2]!, value[3]!)
  }
  return null
}

/** Null if they are invalid. Then the text stands alone. */
export function partFacts(reference: number, total: number, sequence: number): PartFacts | null {
  return sequence >= 1 && sequence <= total ? { reference, total, sequence } : null
}

export function header8({ reference, total, sequence }: PartFacts): Buffer {
  return Buffer.from([5, CONCATENATION_8, 3, reference & 0xff, total, sequence])
}

export function header16({ reference, total, sequence }: PartFacts): Buffer {
  const high = (reference >> 8) & 0xff
  return Buffer.from([6, CONCATENATION_16, 4, high, reference & 0xff, total, sequence])
}
