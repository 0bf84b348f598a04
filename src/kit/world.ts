// What every module receives: the database, the time, the settings, the log, the hints, and the counters.
// Created once in serve.ts (and once per test), and always passed in.

import type { Clock } from './clock.js'
import type { Config } from './config.js'
import type { Hints } from './hints.js'
import type { Log } from './log.js'
import type { Metrics } from './metrics.js'
import type { Database } from './postgres/db.js'
import type { Tracing } from './tracing/tracing.js'

export interface World {
  db: Database
  clock: Clock
  config: Readonly<Config>
  log: Log
  hints: Hints
  metrics: Metrics
  /** Absent if no traces are exported. */
  tracing?: Tracing
}
