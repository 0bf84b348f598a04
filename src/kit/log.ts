// Structured logs, one JSON object per line on standard error. Never log tokens, message texts, or phone
// numbers: log IDs instead.

import { type DestinationStream, type Logger, type LoggerOptions, pino } from 'pino'
import { elapsedMs } from './clock.js'
import type { Config } from './config.js'
import { DatabaseFailure } from './postgres/db-failure.js'

/** While the database is down, every request and every loop would log the same. */
const LOGGED_EVERY_MS = 5_000
/** The loss of a worker is logged when it happens. Work that it blocks is only a reminder. */
const REMINDED_EVERY_MS = 60_000

export type Log = Logger

export function openLog(level: Config['logLevel'], destination?: DestinationStream): Log {
  return pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      serializers: { err: plainError },
      hooks: { logMethod: tellTroubleOnce() },
      redact: ['req.headers.authorization', 'authorization', 'token', 'secret', 'password'],
    },
    destination ?? logDestination(),
  )
}

/** Standard error, written at once. */
export function logDestination(): DestinationStream {
  return pino.destination(2)
}

// A driver's error carries its connection, settings, and statements. None of that belongs in a log.
function plainError(error: unknown): object {
  if (!(error instanceof Error)) return { message: String(error) }
  const { code, constraint } = error as { code?: unknown; constraint?: unknown }
  return { type: error.name, message: error.message, code, constraint, stack: error.stack }
}

type LogMethod = NonNullable<NonNullable<LoggerOptions['hooks']>['logMethod']>

// One line per kind in a while, with the number of lines left out.
function tellTroubleOnce(): LogMethod {
  const logged = new Map<unknown, { untilMs: number; leftOut: number }>()
  return function logMethod(args, method) {
    const [fields, text] = args as unknown as [{ err?: unknown }?, unknown?]
    if (!(fields?.err instanceof DatabaseFailure)) return method.apply(this, args)
    const last = logged.get(text) ?? { untilMs: 0, leftOut: 0 }
    if (last.untilMs > elapsedMs()) {
      last.leftOut += 1
      return
    }
    const everyMs = fields.err.isWorkerAway ? REMINDED_EVERY_MS : LOGGED_EVERY_MS
    logged.set(text, { untilMs: elapsedMs() + everyMs, leftOut: 0 })
    method.apply(this, [{ ...fields, alike: last.leftOut }, text] as unknown as typeof args)
  }
}
