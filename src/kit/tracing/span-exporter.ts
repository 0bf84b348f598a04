// Sends spans to an OTLP/HTTP receiver in batches. Tracing must never slow down or stop the service: spans wait in a
// bounded queue, and those that do not fit are dropped and counted.

import { createHttpClient, type HttpClient } from '../http-client/http-client.js'
import type { CounterCell, Metrics } from '../metrics.js'
import { encodeSpans, type SpanValue, type TraceSpan } from './otlp.js'

const WAITING_MAX = 4_096
const BATCH_MAX = 512
const EXPORT_EVERY_MS = 2_000
const TIMEOUT_MS = 10_000
/** While the receiver is down, every attempt would log the same. */
const LOGGED_EVERY_MS = 60_000
const RESPONSE_BYTES_MAX = 16 * 1024

export interface ExporterOptions {
  /** With the path of traces. */
  url: string
  headers: Readonly<Record<string, string>>
  resource: Readonly<Record<string, SpanValue>>
  metrics: Metrics
  warn: (text: string) => void
}

export class SpanExporter {
  readonly #options: ExporterOptions
  readonly #http: HttpClient
  readonly #timer: NodeJS.Timeout
  readonly #exported: CounterCell
  readonly #dropped: CounterCell
  #waiting: TraceSpan[] = []
  #exporting: Promise<void> | null = null
  #loggedAtMs = Number.NEGATIVE_INFINITY

  constructor(options: ExporterOptions) {
    this.#options = options
    const { metrics } = options
    // The operator chose the address. Collectors are usually on a private network.
    this.#http = createHttpClient({
      allowPrivate: true,
      timeoutMs: TIMEOUT_MS,
      maxResponseBytes: RESPONSE_BYTES_MAX,
      connectionsPerOrigin: 1,
    })
    const help = 'Trace spans: exported, and dropped because the receiver is slow or down'
    const spans = metrics.counter('longcode_trace_spans_total', help, ['result'])
    this.#exported = spans.cell('exported')
    this.#dropped = spans.cell('dropped')
    this.#timer = setInterval(() => void this.flush(), EXPORT_EVERY_MS).unref() // flush never rejects
  }

  add(span: TraceSpan): void {
    if (this.#waiting.length >= WAITING_MAX) this.#dropped.value += 1
    else this.#waiting.push(span)
  }

  /** Never rejects. */
  async flush(): Promise<void> {
    this.#exporting ??= this.#exportAll().finally(() => {
      this.#exporting = null
    })
    await this.#exporting
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer)
    await this.flush()
    await this.flush() // what arrived during the first
    await this.#http.close()
  }

  async #exportAll(): Promise<void> {
    while (this.#waiting.length > 0) {
      const batch = this.#waiting.slice(0, BATCH_MAX)
      const problem = await this.#export(batch)
      if (problem !== null) return this.#report(problem) // they wait for the next time
      this.#waiting = this.#waiting.slice(batch.length)
      this.#exported.value += batch.length
    }
  }

  /** Null if the receiver has them. */
  async #export(batch: readonly TraceSpan[]): Promise<string | null> {
    const { url, headers, resource } = this.#options
    try {
      const { status } = await this.#http.request({
        method: 'POST',
        url,
        headers: { 'content-type': 'application/json', ...headers },
        body: encodeSpans(batch, resource),
      })
      return status >= 200 && status < 300 ? null : `it returned ${status}`
    } catch (error) {
      return (error as Error).message
    }
  }

  #report(problem: string): void {
    const nowMs = performance.now()
    if (nowMs - this.#loggedAtMs < LOGGED_EVERY_MS) return
    this.#loggedAtMs = nowMs
    this.#options.warn(`traces could not be exported to ${this.#options.url}: ${problem}`)
  }
}
