// Spans in the JSON form of OTLP, the protocol of OpenTelemetry, which every tracing backend and collector reads.

export type SpanKind = 'internal' | 'server' | 'client' | 'consumer'

export interface TraceSpan {
  traceId: string
  spanId: string
  parentSpanId: string | null
  name: string
  kind: SpanKind
  startMs: number
  endMs: number
  attributes: Readonly<Record<string, SpanValue>>
  /** Why it failed; null if it did not. */
  error: string | null
}

export type SpanValue = string | number | boolean | null | undefined

const KINDS: Record<SpanKind, number> = { internal: 1, server: 2, client: 3, consumer: 5 }
const STATUS_ERROR = 2

/** The body of one export request. */
export function encodeSpans(
  spans: readonly TraceSpan[],
  resource: Readonly<Record<string, SpanValue>>,
): string {
  return JSON.stringify({
    resourceSpans: [
      {
        resource: { attributes: attributesOf(resource) },
        scopeSpans: [{ scope: { name: 'longcode' }, spans: spans.map(wireSpan) }],
      },
    ],
  })
}

function wireSpan(span: TraceSpan): object {
  const { traceId, spanId, parentSpanId, name, kind, startMs, endMs, attributes, error } = span
  return {
    traceId,
    spanId,
    ...(parentSpanId !== null && { parentSpanId }),
    name,
    kind: KINDS[kind],
    startTimeUnixNano: nanoseconds(startMs),
    endTimeUnixNano: nanoseconds(Math.max(startMs, endMs)),
    attributes: attributesOf(attributes),
    ...(error !== null && { status: { code: STATUS_ERROR, message: error } }),
  }
}

/** As text: a number of this size has no nanoseconds in JSON. */
function nanoseconds(ms: number): string {
  return `${BigInt(Math.round(ms * 1000))}000`
}

function attributesOf(attributes: Readonly<Record<string, SpanValue>>): object[] {
  return Object.entries(attributes).flatMap(([key, value]) =>
    value === null || value === undefined ? [] : [{ key, value: wireValue(value) }],
  )
}

function wireValue(value: string | number | boolean): object {
  if (typeof value === 'string') return { stringValue: value }
  if (typeof value === 'boolean') return { boolValue: value }
  return Number.isInteger(value) ? { intValue: String(value) } : { doubleValue: value }
}
