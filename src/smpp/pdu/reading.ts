// Reads field values in order. Reading stops at the first invalid value, which becomes the reported fault.

import type { Field } from './fields.js'
import { STATUS } from './status.js'

/** Where a value ended, and what was wrong: one per read, so readers return plain values. */
export interface Reading {
  frame: Buffer
  at: number
  fault: { status: number; detail: string } | null
}

const NO_BYTES = Buffer.alloc(0)

export function readByte(reading: Reading, field: Field): number {
  const { frame, at } = reading
  if (at < frame.length) {
    reading.at = at + 1
    return frame[at]!
  }
  truncated(reading, field)
  return 0
}

export function readCstring(reading: Reading, field: Field): string {
  const { frame, at } = reading
  const end = Math.min(frame.length, at + field.max)
  for (let i = at; i < end; i++) {
    if (frame[i] !== 0) continue
    reading.at = i + 1
    return i === at ? '' : frame.toString('latin1', at, i)
  }
  if (end === frame.length) truncated(reading, field)
  else stop(reading, field.status, `${field.name} has more than ${field.max} bytes`)
  return ''
}

export function readBytes(reading: Reading, field: Field): Buffer {
  const { frame, at } = reading
  const end = at < frame.length ? at + 1 + frame[at]! : Number.POSITIVE_INFINITY
  if (end > frame.length) {
    truncated(reading, field)
    return NO_BYTES
  }
  reading.at = end
  return frame.subarray(at + 1, end)
}

function truncated(reading: Reading, { name }: Field): void {
  stop(reading, STATUS.ESME_RINVCMDLEN.code, `The PDU ends within ${name}`)
}

/** Only the first fault counts. Nothing is read after it. */
export function stop(reading: Reading, status: number, detail: string): void {
  reading.fault ??= { status, detail }
  reading.at = reading.frame.length
}
