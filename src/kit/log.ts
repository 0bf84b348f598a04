// Structured logs, one JSON object a line on standard error. Tokens, message texts and phone numbers
// have no business here: log ids instead.

import { type DestinationStream, type Logger, pino } from 'pino'
import type { Config } from './config.js'

export type Log = Logger

export function openLog(level: Config['logLevel'], destination?: DestinationStream): Log {
  return pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      serializers: { err: plainError },
      redact: ['req.headers.authorization', 'authorization', 'token', 'secret', 'password'],
    },
    destination ?? pino.destination(2),
  )
}

// A driver's error drags its connection, settings and statements along: none of it belongs in a log.
function plainError(error: unknown): object {
  if (!(error instanceof Error)) return { message: String(error) }
  const { code, constraint } = error as { code?: unknown; constraint?: unknown }
  return { type: error.name, message: error.message, code, constraint, stack: error.stack }
}
