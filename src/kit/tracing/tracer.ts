// Traces requests and messages. A sampled record has an ID with a mark, so every process sees without a lookup which
// records may have a trace. The trace itself is stored in a row, and cached in the process that created it.

import { setTimeout as sleep } from 'node:timers/promises'
import { KeyedBatchWriter, RECORDS_PER_WRITE_MAX } from '../batch-writer.js'
import { Cache } from '../cache.js'
import { isMarkedId, newMarkedId } from '../ids.js'
import type { Queryable } from '../postgres/db.js'
import { Sampler } from './sampler.js'
import type { SpanExporter } from './span-exporter.js'
import {
  formatTraceparent,
  newSpanId,
  newTraceId,
  parseTraceparent,
  spanIdOf,
  type TraceContext,
} from './trace-context.js'
import { findTraceparent, insertTraces, type TraceRow } from './trace-queries.js'
import type { OutgoingSpan, RecordTrace, RequestTrace, Step, Tracing } from './tracing.js'

const CACHED_MAX = 20_000
const CACHED_MS = 10 * 60_000
/** Nothing waits for a row, so those of an account share a write. */
const STORE_EVERY_MS = 200
/** Another process may be about to store the row. */
const FIND_AGAIN_MS = 1_000

export interface TracerDeps {
  db: Queryable
  ratio: number
  exporter: Pick<SpanExporter, 'add' | 'stop'>
  warn: (error: unknown, text: string) => void
}

export function createTracer({ db, ratio, exporter, warn }: TracerDeps): Tracing {
  const sampler = new Sampler(ratio)
  const store = new TraceStore(db, warn)
  const underWay = new Set<Promise<void>>()

  const startTrace = (parent: TraceContext | null): TraceContext => ({
    traceId: parent?.traceId ?? newTraceId(),
    spanId: newSpanId(),
    isSampled: true,
  })

  const startRequest = (traceparent: string | undefined): RequestTrace | null => {
    const parent = parseTraceparent(traceparent)
    if (!sampler.isSampled(parent)) return null
    const context = startTrace(parent)
    const startMs = wallMs()
    return {
      traceId: context.traceId,
      follow: (...record) => store.follow(context, ...record),
      end: ({ method, route, status, account }) =>
        exporter.add({
          ...context,
          parentSpanId: parent?.spanId ?? null,
          name: `${method} ${route}`,
          kind: 'server',
          ...{ startMs, endMs: wallMs() },
          attributes: {
            'http.request.method': method,
            'http.route': route,
            'http.response.status_code': status,
            'longcode.account': account,
          },
          error: status >= 500 ? `HTTP ${status}` : null,
        }),
    }
  }

  const startRecord = (): RecordTrace | null => {
    if (!sampler.isSampled(null)) return null
    const context = startTrace(null)
    const follow: RecordTrace['follow'] = (accountId, prefix, now) => {
      const id = store.follow(context, accountId, prefix, now)
      const [startMs, attributes] = [wallMs(), attributesOf(accountId, id)]
      const root = { ...context, parentSpanId: null, name: 'accept', kind: 'internal' } as const
      exporter.add({ ...root, startMs, endMs: startMs, attributes, error: null })
      return id
    }
    return { traceId: context.traceId, follow }
  }

  const recordStep = async (step: Step, endMs: number): Promise<void> => {
    const { accountId, id, name, kind, startMs, attributes, error = null, key, parentKey } = step
    const root =
      (await store.find(accountId, id)) ??
      (await sleep(FIND_AGAIN_MS).then(() => store.find(accountId, id)))
    if (!root) return
    exporter.add({
      traceId: root.traceId,
      spanId: key ? spanIdOf(`${id} ${key}`) : newSpanId(),
      parentSpanId: parentKey ? spanIdOf(`${id} ${parentKey}`) : root.spanId,
      ...{ name, kind, startMs, endMs, error },
      attributes: { ...attributesOf(accountId, id), ...attributes },
    })
  }

  const startOutgoing: Tracing['startOutgoing'] = async (accountId, id, name) => {
    const root = await store.find(accountId, id)
    if (!root) return null
    const context = { ...root, spanId: newSpanId() }
    const startMs = wallMs()
    const span: OutgoingSpan = {
      traceparent: formatTraceparent(context),
      end: (attributes, error = null) =>
        exporter.add({
          ...context,
          parentSpanId: root.spanId,
          ...{ name, kind: 'client', startMs, endMs: wallMs(), error },
          attributes: { ...attributesOf(accountId, id), ...attributes },
        }),
    }
    return span
  }

  return {
    startRequest,
    startRecord,
    mayFollow: isMarkedId,
    startMs: wallMs,
    record: (step) => {
      if (!isMarkedId(step.id)) return
      const recording = recordStep(step, wallMs()).finally(() => underWay.delete(recording))
      underWay.add(recording)
    },
    startOutgoing,
    logFields: (id) => store.logFields(id),
    stop: async () => {
      await Promise.all(underWay)
      await store.drain()
      await exporter.stop()
    },
  }
}

function attributesOf(accountId: string, id: string) {
  return { 'longcode.account': accountId, 'longcode.message': id }
}

/** Real time with microseconds. The sandbox's clock can be moved; a trace must not jump. */
function wallMs(): number {
  return performance.timeOrigin + performance.now()
}

/** The traces of records: in rows, and those of this process in memory. */
class TraceStore {
  readonly #db: Queryable
  readonly #warn: TracerDeps['warn']
  readonly #cache = new Cache<string, TraceContext>({ max: CACHED_MAX, keptMs: CACHED_MS })
  readonly #writer: KeyedBatchWriter<TraceRow, void>

  constructor(db: Queryable, warn: TracerDeps['warn']) {
    this.#db = db
    this.#warn = warn
    this.#writer = new KeyedBatchWriter<TraceRow, void>({
      batchMax: RECORDS_PER_WRITE_MAX,
      write: async (accountId, rows) => {
        await insertTraces(db, accountId, rows)
        await sleep(STORE_EVERY_MS)
        return rows.map(() => undefined)
      },
    })
  }

  follow(context: TraceContext, accountId: string, prefix: 'msg' | string, now: Date): string {
    const id = newMarkedId(prefix as 'msg', now)
    this.#cache.set(id, context)
    const row = { subjectId: id, traceparent: formatTraceparent(context), createdAt: now }
    // The message does not wait for it. If it is lost, other processes leave their spans out.
    this.#writer.add(accountId, row).catch((error) => this.#warn(error, 'a trace was not stored'))
    return id
  }

  /** Never rejects. */
  async find(accountId: string, id: string): Promise<TraceContext | null> {
    const cached = this.#cache.peek(id)
    if (cached) return cached
    const text = await findTraceparent(this.#db, accountId, id).catch((error) => {
      this.#warn(error, 'a trace could not be read')
      return null
    })
    const context = parseTraceparent(text ?? undefined)
    if (context) this.#cache.set(id, context)
    return context
  }

  logFields(id: string): { traceId?: string } {
    const traceId = isMarkedId(id) ? this.#cache.peek(id)?.traceId : undefined
    return traceId === undefined ? {} : { traceId }
  }

  drain(): Promise<void> {
    return this.#writer.drain()
  }
}
