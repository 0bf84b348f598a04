// Measures and writes field values. A value that does not fit is a bug in our code and throws a RangeError that
// names the field.

import type { Field } from './fields.js'

/** Including the NUL at the end. */
export function cstringLength({ name, max }: Field, text: string): number {
  if (text.length < max) return text.length + 1
  throw new RangeError(`${name} is longer than ${max} bytes`)
}

/** Including the length byte. */
export function bytesLength({ name, max }: Field, bytes: Buffer): number {
  if (bytes.length <= max) return bytes.length + 1
  throw new RangeError(`${name} is longer than ${max} bytes`)
}

export function writeByte(frame: Buffer, at: number, { name }: Field, value: number): number {
  if (!(value >= 0 && value <= 0xff)) throw new RangeError(`${name} is no byte: ${value}`)
  frame[at] = value
  return at + 1
}

/** A manual loop is faster than a runtime call for texts this short, and it checks every character. */
export function writeCstring(frame: Buffer, start: number, { name }: Field, text: string): number {
  let at = start
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i)
    if (unit === 0 || unit > 0xff)
      throw new RangeError(`${name} has a character that cannot be sent`)
    frame[at++] = unit
  }
  frame[at] = 0
  return at + 1
}

export function writeBytes(frame: Buffer, at: number, bytes: Buffer): number {
  frame[at] = bytes.length
  frame.set(bytes, at + 1)
  return at + 1 + bytes.length
}
