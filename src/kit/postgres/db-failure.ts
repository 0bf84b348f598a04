// A database that cannot serve just now, whatever the reason: away, silent, full, read-only, busy. Not
// a fault of the program, and not a refusal of what was asked for: the same may succeed a moment later.

import type { RefusalCode } from '../contract/refusal.js'

export type Trouble = Extract<RefusalCode, `database_${string}` | 'concurrency_limited'>

export class DatabaseFailure extends Error {
  constructor(
    readonly trouble: Trouble,
    message: string,
    /** SQLSTATE, or the system's own code. */
    readonly code: string | null = null,
    /** The server answers, and a machine behind it does not, which has some of the accounts. */
    readonly isWorkerAway = false,
  ) {
    super(message)
    this.name = 'DatabaseFailure'
  }
}

/** In place of a state: the server has not answered in time. */
export const SILENT = 'silent'
const TIMED_OUT = '57014'

const BY_STATE: Record<string, Trouble> = {
  '25006': 'database_read_only',
  '25P03': 'database_unavailable', // we were silent for too long in a transaction
  '25P04': 'database_busy', // the transaction took too long
  '3D000': 'database_unavailable',
  '40001': 'database_busy',
  '40P01': 'database_busy',
  '53100': 'database_full',
  '53200': 'database_full',
  '53300': 'database_busy', // no more connections
  '53400': 'database_busy',
  '55P03': 'database_busy', // a lock did not come in time
  '57014': 'database_busy', // the statement took too long
  '58000': 'database_unavailable',
  '58030': 'database_unavailable',
}
/** Connection exceptions, failed logins, and the server's coming and going. */
const UNAVAILABLE_STATES = /^(?:08|28|57P)/
const SYSTEM_CODES = /^(?:E(?!RR_)[A-Z_]+|ERR_(?:STREAM|SOCKET|SSL|TLS)_\w+)$/
const DRIVER_WORDS =
  /^(?:Connection terminated|timeout expired|Client was closed|Client has encountered a connection error|Cannot use a pool)/

/** An error of the driver, as a DatabaseFailure where it is one; every other stays as it is. */
export function asFailure(error: unknown): unknown {
  if (!(error instanceof Error) || error instanceof DatabaseFailure) return error
  const { code, severity } = error as { code?: unknown; severity?: string }
  const state = typeof code === 'string' ? code : ''
  const isOfWorker = severity !== undefined && isWorkers(state, severity, error.message)
  const isAway = isOfWorker || isLost(state, error.message)
  const trouble = BY_STATE[state] ?? (isAway && 'database_unavailable')
  if (!trouble) return error
  const words = error.message || state || error.name
  return new DatabaseFailure(trouble, words, state || null, isOfWorker)
}

// Citus: 08006 "connection to the remote node … failed", and the like. What a server says of its own end is FATAL.
// One that is lost while it commits has no state of its own.
function isWorkers(state: string, severity: string, message: string): boolean {
  return (severity !== 'FATAL' && /^080/.test(state)) || LOST_WORKER.test(message)
}

const LOST_WORKER =
  /^(?:could not commit transaction for shard|failure on connection marked as essential)/

/** Whatever keeps us from connecting: the database is away, for us at least. */
export function asConnectFailure(error: unknown): DatabaseFailure {
  const failure = asFailure(error)
  if (failure instanceof DatabaseFailure) return failure
  const { message, code } = error as { message?: string; code?: string }
  return new DatabaseFailure('database_unavailable', message || String(error), code ?? null)
}

function isLost(code: string, message: string): boolean {
  return UNAVAILABLE_STATES.test(code) || SYSTEM_CODES.test(code) || DRIVER_WORDS.test(message)
}

/** Somebody else has held what was needed, for as long as we were willing to wait. */
export function isLockTimeout(error: unknown): boolean {
  return error instanceof DatabaseFailure && error.code === '55P03'
}

/** The server ended the statement because it took too long. */
export function isTimedOut(error: unknown): boolean {
  return error instanceof DatabaseFailure && error.code === TIMED_OUT
}

/** The server answers, and a machine behind it does not. */
export function isWorkerAway(error: unknown): boolean {
  return error instanceof DatabaseFailure && error.isWorkerAway
}

/** Or it may be so: something took too long. */
export function mayBeWorkerAway(error: unknown): boolean {
  if (!(error instanceof DatabaseFailure)) return false
  return error.isWorkerAway || error.code === TIMED_OUT || error.code === SILENT
}

/** The process is about to end, and waits for the database no longer. */
export class DatabaseAbandoned extends DatabaseFailure {
  constructor() {
    super('database_unavailable', 'the process ends without the database, which does not answer')
  }
}

/** Nothing more can be expected of the connection that this happened on. */
export function isConnectionOver(error: unknown): boolean {
  if (!(error instanceof DatabaseFailure) || error.isWorkerAway) return false
  // A server that has become a standby stays one: the next connection may lead to its successor.
  return error.trouble === 'database_unavailable' || error.trouble === 'database_read_only'
}
