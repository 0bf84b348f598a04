// The GSM 7-bit default alphabet of 3GPP TS 23.038: what fits it, what it costs, and its bytes. SMPP carries one
// septet per byte (encodeGsm7). Radio and some links pack eight septets into seven bytes (packSeptets).

const ESCAPE = 0x1b

// The position of a character is its septet. Position 0x1b is the escape and represents no character, hence the
// placeholder U+FFFF, which no text may contain.
const BASIC = [
  '@£$¥èéùìòÇ\nØø\rÅå',
  'Δ_ΦΓΛΩΠΨΣΘΞ\uffffÆæßÉ',
  ' !"#¤%&\'()*+,-./',
  '0123456789:;<=>?',
  '¡ABCDEFGHIJKLMNO',
  'PQRSTUVWXYZÄÖÑÜ§',
  '¿abcdefghijklmno',
  'pqrstuvwxyzäöñüà',
].join('')

// These follow an escape and cost two septets. The form feed is the alphabet's page break.
const EXTENSION: ReadonlyArray<readonly [septet: number, character: string]> = [
  [0x0a, '\f'],
  [0x14, '^'],
  [0x28, '{'],
  [0x29, '}'],
  [0x2f, '\\'],
  [0x3c, '['],
  [0x3d, '~'],
  [0x3e, ']'],
  [0x40, '|'],
  [0x65, '€'],
]

// One byte per UTF-16 unit: its cost in septets, or 0 if it is not in the alphabet. 64 KiB buy a loop without
// branches.
const COST = new Uint8Array(0x10000)
const SEPTET = new Uint8Array(0x10000)
const EXTENDED: string[] = []
// Septets that are the same in ASCII. Most texts have no others and are read in one pass.
const IS_ASCII = new Uint8Array(0x100)

for (let septet = 0; septet < BASIC.length; septet++) {
  if (septet === ESCAPE) continue
  COST[BASIC.charCodeAt(septet)] = 1
  SEPTET[BASIC.charCodeAt(septet)] = septet
  if (BASIC.charCodeAt(septet) === septet) IS_ASCII[septet] = 1
}
for (const [septet, character] of EXTENSION) {
  COST[character.charCodeAt(0)] = 2
  SEPTET[character.charCodeAt(0)] = septet
  EXTENDED[septet] = character
}

/** Every character of the alphabet, the ten of the extension table last. */
export const GSM7_CHARACTERS: readonly string[] = [
  ...BASIC.replace('\uffff', ''),
  ...EXTENSION.map(([, character]) => character),
]

/** The cost of one UTF-16 unit: 1 or 2 septets, or 0 if it is not in the alphabet. */
export function septetsOfUnit(unit: number): number {
  return COST[unit]!
}

/** The cost of the whole text in septets. Null means that the text does not fit GSM-7. */
export function septetsOf(text: string): number | null {
  let septets = 0
  for (let i = 0; i < text.length; i++) {
    const cost = COST[text.charCodeAt(i)]!
    if (cost === 0) return null
    septets += cost
  }
  return septets
}

export function isGsm7(text: string): boolean {
  return septetsOf(text) !== null
}

/** One septet per byte, as SMPP carries text with data_coding 0. Throws if the text does not fit. */
export function encodeGsm7(text: string): Buffer {
  const septets = septetsOf(text)
  if (septets === null) throw new RangeError('text does not fit GSM-7')

  const bytes = Buffer.allocUnsafe(septets) // all of it is written
  let at = 0
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i)
    if (COST[unit] === 2) bytes[at++] = ESCAPE
    bytes[at++] = SEPTET[unit]!
  }
  return bytes
}

/**
 * Reads one septet per byte and never fails, because the bytes come from outside. An escape before a septet without
 * an extended meaning shows the basic character, as TS 23.038 requires. An escape at the end or before another one
 * shows a space. A byte above 0x7f becomes U+FFFD.
 */
export function decodeGsm7(bytes: Uint8Array): string {
  let plain = 0
  while (plain < bytes.length && IS_ASCII[bytes[plain]!] === 1) plain += 1
  let text = Buffer.prototype.latin1Slice.call(bytes, 0, plain)
  for (let i = plain; i < bytes.length; i++) {
    const byte = bytes[i]!
    if (byte !== ESCAPE) {
      text += BASIC[byte] ?? '\ufffd'
      continue
    }
    const next = bytes[i + 1]
    if (next === undefined || next === ESCAPE) {
      text += ' '
    } else {
      text += EXTENDED[next] ?? BASIC[next] ?? '\ufffd'
    }
    if (next !== undefined) i += 1
  }
  return text
}

/**
 * Packs septets into bytes, lowest bits first. `fillBits` leaves space at the start, so text after a user data
 * header starts on a septet: 1 after the six bytes of a concatenation header.
 */
export function packSeptets(septets: Uint8Array, fillBits = 0): Uint8Array {
  const bytes = new Uint8Array(Math.ceil((septets.length * 7 + fillBits) / 8))
  let bit = fillBits
  for (const septet of septets) {
    const shifted = (septet & 0x7f) << (bit & 7)
    bytes[bit >> 3]! |= shifted & 0xff
    if (shifted > 0xff) bytes[(bit >> 3) + 1]! |= shifted >> 8
    bit += 7
  }
  return bytes
}

/**
 * The count is needed, because seven spare bits at the end look like an `@`. Throws if the bytes hold fewer septets
 * than that.
 */
export function unpackSeptets(bytes: Uint8Array, count: number, fillBits = 0): Uint8Array {
  if (count * 7 + fillBits > bytes.length * 8) throw new RangeError('fewer septets than declared')

  const septets = new Uint8Array(count)
  let bit = fillBits
  for (let i = 0; i < count; i++) {
    const pair = bytes[bit >> 3]! | ((bytes[(bit >> 3) + 1] ?? 0) << 8)
    septets[i] = (pair >> (bit & 7)) & 0x7f
    bit += 7
  }
  return septets
}
