// A receiver of traces on loopback: what a collector or a tracing backend is in production.

import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'
import type { TestContext } from 'node:test'

export interface ReceivedSpan {
  traceId: string
  spanId: string
  parentSpanId: string | null
  name: string
  kind: number
  startMs: number
  endMs: number
  attributes: Record<string, string>
  error: string | null
}

export interface OtlpReceiver {
  url: string
  spans: ReceivedSpan[]
  headers: Record<string, string | string[] | undefined>[]
  /** The status of the next responses. */
  answerWith: (status: number) => void
}

export async function otlpReceiver(t: TestContext): Promise<OtlpReceiver> {
  let status = 200
  const spans: ReceivedSpan[] = []
  const headers: OtlpReceiver['headers'] = []
  const server = createServer(async (request, response) => {
    // biome-ignore lint/suspicious/noExplicitAny: the shape is what the test checks
    const body = (await json(request)) as any
    headers.push(request.headers)
    if (request.url !== '/v1/traces' || request.method !== 'POST') status = 404
    if (status === 200) {
      for (const { scopeSpans } of body.resourceSpans) {
        for (const scope of scopeSpans) spans.push(...scope.spans.map(readSpan))
      }
    }
    response.writeHead(status, { 'content-type': 'application/json' }).end('{}')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.after(() => server.close())
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    spans,
    headers,
    answerWith: (next) => {
      status = next
    },
  }
}

// biome-ignore lint/suspicious/noExplicitAny: the shape is what the test checks
function readSpan(span: any): ReceivedSpan {
  return {
    traceId: span.traceId,
    spanId: span.spanId,
    parentSpanId: span.parentSpanId ?? null,
    name: span.name,
    kind: span.kind,
    startMs: Number(BigInt(span.startTimeUnixNano) / 1000n) / 1000,
    endMs: Number(BigInt(span.endTimeUnixNano) / 1000n) / 1000,
    attributes: Object.fromEntries(
      // biome-ignore lint/suspicious/noExplicitAny: the shape is what the test checks
      span.attributes.map(({ key, value }: any) => [key, String(Object.values(value)[0])]),
    ),
    error: span.status?.message ?? null,
  }
}
