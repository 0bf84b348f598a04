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
      redact: ['req.headers.authorization', 'authorization', 'token', 'secret', 'password'],
    },
    destination ?? pino.destination(2),
  )
}
