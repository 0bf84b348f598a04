// What modules know about tracing. It is in the world only if traces are exported; the implementation (tracer.ts) is
// loaded only then. Most requests and messages are not sampled, so every method is cheap for those.

import type { IdPrefix } from '../ids.js'
import type { SpanKind, SpanValue } from './otlp.js'

/** A sampled request, or a sampled record without one. */
export interface RecordTrace {
  readonly traceId: string
  /** The ID of a new record that this trace follows. It is stored, so other processes continue the trace. */
  follow: (accountId: string, prefix: IdPrefix, now: Date) => string
}

/** A sampled request. */
export interface RequestTrace extends RecordTrace {
  end: (answer: { method: string; route: string; status: number; account?: string }) => void
}

/** A request to someone else, which continues the trace there. */
export interface OutgoingSpan {
  readonly traceparent: string
  end: (attributes: Attributes, error?: string | null) => void
}

type Attributes = Readonly<Record<string, SpanValue>>

/** A finished step in the life of a record. */
export interface Step {
  accountId: string
  /** The record, such as a message. */
  id: string
  name: string
  kind: SpanKind
  /** From `startMs()`. */
  startMs: number
  attributes: Attributes
  error?: string | null
  /** Names the span, so `parentKey` of another step can refer to it. */
  key?: string
  parentKey?: string
}

export interface Tracing {
  /** Null if the request is not sampled. */
  startRequest: (traceparent: string | undefined) => RequestTrace | null
  /** For records that no HTTP request created. Null if it is not sampled. */
  startRecord: () => RecordTrace | null
  /** Whether a trace may follow this record: of those that none follows, one in a thousand. */
  mayFollow: (id: string) => boolean
  startMs: () => number
  /** Does nothing if no trace follows the record. */
  record: (step: Step) => void
  /** Null if no trace follows the record. Never rejects. */
  startOutgoing: (accountId: string, id: string, name: string) => Promise<OutgoingSpan | null>
  /** For log lines about the record: the trace, if this process knows it. */
  logFields: (id: string) => { traceId?: string }
  stop: () => Promise<void>
}
