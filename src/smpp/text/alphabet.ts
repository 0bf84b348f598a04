// The alphabets of links: which texts fit, their bytes, and how much of a text fits in one SMS. GSM-7 is sent one
// septet per byte, as in the specification, or packed, as a few carriers require.

import { decodeGsm7, encodeGsm7, isGsm7, packSeptets, unpackSeptets } from '../../text/gsm7.js'
import { cutText } from '../../text/segments.js'

export type Alphabet = 'gsm7' | 'gsm7-packed' | 'ascii' | 'latin1' | 'ucs2'

/** The payload of one SMS. */
const SMS_BYTES = 140

export function fitsAlphabet(alphabet: Alphabet, text: string): boolean {
  switch (alphabet) {
    case 'gsm7':
    case 'gsm7-packed':
      return isGsm7(text)
    case 'ascii':
      return hasUnitsBelow(text, 0x80)
    case 'latin1':
      return hasUnitsBelow(text, 0x100)
    case 'ucs2':
      return true
  }
}

/** `headerLength`: bytes of the user data header in front of it. The text must fit. */
export function encodeText(alphabet: Alphabet, text: string, headerLength = 0): Buffer {
  switch (alphabet) {
    case 'gsm7':
      return encodeGsm7(text)
    case 'gsm7-packed':
      return asBuffer(packSeptets(encodeGsm7(text), fillBitsOf(headerLength)))
    case 'ascii':
    case 'latin1':
      return Buffer.from(text, 'latin1')
    case 'ucs2':
      return Buffer.from(text, 'utf16le').swap16()
  }
}

/** Decodes what it can and never fails, because the bytes come from outside. */
export function decodeText(alphabet: Alphabet, bytes: Buffer, headerLength = 0): string {
  switch (alphabet) {
    case 'gsm7':
      return decodeGsm7(bytes)
    case 'gsm7-packed':
      return decodePacked(bytes, fillBitsOf(headerLength))
    case 'ascii':
    case 'latin1':
      return bytes.toString('latin1')
    case 'ucs2':
      return decodeUcs2(bytes)
  }
}

/**
 * Splits a text into pieces that fit in one SMS next to a header of that many bytes. Never splits an escaped
 * character or a surrogate pair. ASCII text is measured as GSM-7, its form on the air.
 */
export function cutForSms(alphabet: Alphabet, text: string, headerLength: number): string[] {
  const bytes = SMS_BYTES - headerLength
  switch (alphabet) {
    case 'gsm7':
    case 'gsm7-packed':
    case 'ascii':
      return cutText(text, 'GSM-7', Math.floor((bytes * 8) / 7))
    case 'latin1':
      return cutText(text, 'UCS-2', bytes)
    case 'ucs2':
      return cutText(text, 'UCS-2', bytes >> 1)
  }
}

function hasUnitsBelow(text: string, limit: number): boolean {
  for (let i = 0; i < text.length; i++) if (text.charCodeAt(i) >= limit) return false
  return true
}

function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
}

/** Packed text after a header begins on a septet boundary. */
function fillBitsOf(headerLength: number): number {
  return (7 - ((headerLength * 8) % 7)) % 7
}

/**
 * SMPP does not state the number of septets. The last seven bits may be padding, which looks like an `@` and is
 * far more common.
 */
function decodePacked(bytes: Buffer, fillBits: number): string {
  const bits = bytes.length * 8 - fillBits
  if (bits < 7) return ''
  const septets = unpackSeptets(bytes, Math.floor(bits / 7), fillBits)
  const isPadded = bits % 7 === 0 && septets.at(-1) === 0
  return decodeGsm7(isPadded ? septets.subarray(0, -1) : septets)
}

/** Drops half a unit at the end, and a byte order mark. */
function decodeUcs2(bytes: Buffer): string {
  const units = Buffer.from(bytes.subarray(0, bytes.length & ~1)).swap16()
  const text = units.toString('utf16le')
  return text.startsWith('\ufeff') ? text.slice(1) : text
}
