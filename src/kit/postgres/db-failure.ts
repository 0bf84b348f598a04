// The database is temporarily unable to serve: down, not responding, full, read-only, or busy. That is
// neither a bug nor a refusal: the same request may succeed a moment later.

import type { RefusalCode } from '../contract/refusal.js'

export type Trouble = Extract<RefusalCode, `database_${string}` | 'concurrency_limited'>

export class DatabaseFailure extends Error {
  constructor(
    readonly trouble: Trouble,
    message: string,
    /** SQLSTATE, or the system's error code. */
    readonly code: string | null = null,
    /** The server responds, but a worker behind it does not, which has some of the accounts. */
    readonly isWorkerAway = false,
  ) {
    super(message)
    this.name = 'DatabaseFailure'
  }
}

/** Instead of a state: the server has not responded in time. */
export const SILENT = 'silent'
const TIMED_OUT = '57014'

const BY_STATE: Record<string, Trouble> = {
  '25006': 'database_read_only',
  '25P03': 'database_unavailable', // our transaction was idle for too long
  '25P04': 'database_busy', // the transaction took too long
  '3D000': 'database_unavailable',
  '40001': 'database_busy',
  '40P01': 'database_busy',
  '53100': 'database_full',
  '53200': 'database_full',
  '53300': 'database_busy', // no more connections
  '53400': 'database_busy',
  '55P03': 'database_busy', // a lock timed out
  '57014': 'database_busy', // the statement took too long
  '58000': 'database_unavailable',
  '58030': 'database_unavailable',
}
/** Connection exceptions, failed logins, and server starts and stops. */
const UNAVAILABLE_STATES = /^(?:08|28|57P)/
const SYSTEM_CODES = /^(?:E(?!RR_)[A-Z_]+|ERR_(?:STREAM|SOCKET|SSL|TLS)_\w+)$/
const DRIVER_WORDS =
  /^(?:Connection terminated|timeout expired|Client was closed|Client has encountered a connection error|Cannot use a pool)/

/** Turns a driver error into a DatabaseFailure if it is one. Other errors stay unchanged. */
export function asFailure(error: unknown): unknown {
  if (!(error instanceof Error) || error instanceof DatabaseFailure) return error
  const { code, severity } = error as { code?: unknown; severity?: string }
  const state = REPLACED_SHARD.test(error.message)
    ? RETRYABLE
    : typeof code === 'string'
      ? code
      : ''
  const isOfWorker = severity !== undefined && isWorkers(state, severity, error.message)
  const isAway = isOfWorker || isLost(state, error.message)
  const trouble = BY_STATE[state] ?? (isAway && 'database_unavailable')
  if (!trouble) return error
  const words = error.message || state || error.name
  return new DatabaseFailure(trouble, words, state || null, isOfWorker)
}

// Citus: 08006 "connection to the remote node … failed", and similar. When the server itself ends, the
// severity is FATAL. A worker lost during a commit has no separate state.
function isWorkers(state: string, severity: string, message: string): boolean {
  return (severity !== 'FATAL' && /^080/.test(state)) || LOST_WORKER.test(message)
}

/**
 * Citus: the shard that the statement was planned for was split or moved before it ran. Nothing was written, and the next attempt finds
 * the new one. Citus reports it as an internal error.
 */
const REPLACED_SHARD = /^could not find valid entry for shard \d+/
const RETRYABLE = '40001'

const LOST_WORKER =
  /^(?:could not commit transaction for shard|failure on connection marked as essential)/

/** Any failure to connect: for us, the database is down. */
export function asConnectFailure(error: unknown): DatabaseFailure {
  const failure = asFailure(error)
  if (failure instanceof DatabaseFailure) return failure
  const { message, code } = error as { message?: string; code?: string }
  return new DatabaseFailure('database_unavailable', message || String(error), code ?? null)
}

function isLost(code: string, message: string): boolean {
  return UNAVAILABLE_STATES.test(code) || SYSTEM_CODES.test(code) || DRIVER_WORDS.test(message)
}

/** Another transaction held the lock for as long as we were willing to wait. */
export function isLockTimeout(error: unknown): boolean {
  return error instanceof DatabaseFailure && error.code === '55P03'
}

/** The server ended the statement because it took too long. */
export function isTimedOut(error: unknown): boolean {
  return error instanceof DatabaseFailure && error.code === TIMED_OUT
}

/** The server responds, but a worker behind it does not. */
export function isWorkerAway(error: unknown): boolean {
  return error instanceof DatabaseFailure && error.isWorkerAway
}

/** A worker may be down: something took too long. */
export function mayBeWorkerAway(error: unknown): boolean {
  if (!(error instanceof DatabaseFailure)) return false
  return error.isWorkerAway || error.code === TIMED_OUT || error.code === SILENT
}

/** The process is about to end and no longer waits for the database. */
export class DatabaseAbandoned extends DatabaseFailure {
  constructor() {
    super('database_unavailable', 'the process ends without the database, which does not answer')
  }
}

/** The connection can no longer be used. */
export function isConnectionOver(error: unknown): boolean {
  if (!(error instanceof DatabaseFailure) || error.isWorkerAway) return false
  // A server that has become a standby stays one. The next connection may lead to its successor.
  return error.trouble === 'database_unavailable' || error.trouble === 'database_read_only'
}
