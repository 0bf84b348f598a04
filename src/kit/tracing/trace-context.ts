// W3C trace context: the `traceparent` header, which names a trace and the span that continues it.

import { createHash, randomBytes } from 'node:crypto'

export interface TraceContext {
  /** 32 hexadecimal digits. */
  traceId: string
  /** 16 hexadecimal digits. */
  spanId: string
  isSampled: boolean
}

const TRACEPARENT = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/
const SAMPLED = 1

/** Null for a header that is missing or malformed: then a new trace starts, as the standard requires. */
export function parseTraceparent(text: string | undefined): TraceContext | null {
  if (text === undefined || text.length > 200) return null
  const match = TRACEPARENT.exec(text.trim())
  if (!match) return null
  const [, version, traceId, spanId, flags, more] = match
  // Version 00 has nothing after the flags. Later versions may.
  if (version === 'ff' || (version === '00' && more !== undefined)) return null
  if (/^0+$/.test(traceId!) || /^0+$/.test(spanId!)) return null
  const isSampled = (Number.parseInt(flags!, 16) & SAMPLED) === SAMPLED
  return { traceId: traceId!, spanId: spanId!, isSampled }
}

export function formatTraceparent({ traceId, spanId, isSampled }: TraceContext): string {
  return `00-${traceId}-${spanId}-${isSampled ? '01' : '00'}`
}

export function newTraceId(): string {
  return randomBytes(16).toString('hex')
}

export function newSpanId(): string {
  return randomBytes(8).toString('hex')
}

/** The same for the same name, so a span can be a parent in another place before it is recorded. */
export function spanIdOf(name: string): string {
  return createHash('sha256').update(name).digest('hex').slice(0, 16)
}
