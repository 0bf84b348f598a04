// How long the database may take, set for every connection (behind a pooler: for every transaction), and how
// long we wait beyond that. A stopped process or a hung server then costs seconds, and affects no one else.

export interface Limits {
  statementMs: number
  lockMs: number
  /** Idle in a transaction: after this, the locks of a stopped process are released. */
  idleMs: number
  /** The server ends a statement first if it can: then we know that nothing was written. */
  answerMs: number
  /** To open a connection, and to wait for a free one. */
  connectMs: number
}

export const STATEMENT_MS = 10_000
/** Longer than a stopped process keeps a lock, so transactions waiting for it succeed. */
const LOCK_MS = 3_000
const IDLE_MS = 2_000
const LOCK_SHARE = 0.3
const IDLE_SHARE = 0.2
/** Others wait behind a shared connection, so a statement that meets a lock gives up (detours.ts). */
const PIPELINE_LOCK_MS = 100
const ANSWER_MS_MORE = 2_000
const PATIENT_MS = 30 * 60_000
const PATIENT_IDLE_MS = 60_000
const CONNECT_MS = 5_000
const PATIENT_CONNECT_MS = 60_000

/** Where statements may take longer, everything else may too: the machine is slow, or busy. */
export function limitsOf(statementMs: number): Limits {
  return {
    statementMs,
    lockMs: Math.max(LOCK_MS, statementMs * LOCK_SHARE),
    idleMs: Math.max(IDLE_MS, statementMs * IDLE_SHARE),
    answerMs: statementMs + ANSWER_MS_MORE,
    connectMs: Math.max(CONNECT_MS, statementMs / 2),
  }
}

export function pipelineLimits(statementMs: number): Limits {
  return { ...limitsOf(statementMs), lockMs: PIPELINE_LOCK_MS }
}

export const PATIENT: Limits = {
  statementMs: PATIENT_MS,
  lockMs: PATIENT_MS,
  idleMs: PATIENT_IDLE_MS,
  answerMs: PATIENT_MS + ANSWER_MS_MORE,
  connectMs: PATIENT_CONNECT_MS,
}

// Statements are planned once per connection, often while a table is small enough to be read whole, and would
// keep doing so after it has grown a thousandfold. Before PostgreSQL 18, an unavoidable scan then seems
// extremely costly, which must not trigger JIT compilation.
const PLANNER = { enable_seqscan: 'off', jit: 'off' }

// On Citus, a read across all accounts would open several connections to each worker and close them again, which
// costs seven times as much as the read. Servers without Citus ignore the name.
const CLUSTER = { 'citus.max_adaptive_executor_pool_size': '1' }

/** The server settings, with its names. Times are in milliseconds. */
export function serverSettings({ statementMs, lockMs, idleMs }: Limits): Record<string, string> {
  return {
    ...PLANNER,
    ...CLUSTER,
    statement_timeout: String(statementMs),
    lock_timeout: String(lockMs),
    idle_in_transaction_session_timeout: String(idleMs),
  }
}

/** For the start of a connection. */
export function startOptions(limits: Limits): string {
  const settings = Object.entries(serverSettings(limits))
  return settings.map(([name, value]) => `-c ${name}=${value}`).join(' ')
}
