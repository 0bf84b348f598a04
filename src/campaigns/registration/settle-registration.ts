// Records the result of a registration step: the row moves on, and our own decision is made in the same
// transaction. Each write applies only under the lease, so two workers never both record.

import { createHash } from 'node:crypto'
import type { ReviewNote } from '../../brands/brand.js'
import type { Registration, RegistrationState } from '../../brands/registration.js'
import { deleteRegistration, recordRegistration } from '../../brands/registration-queries.js'
import { DAY_MS } from '../../kit/clock.js'
import { Refusal, type RefusalCode } from '../../kit/contract/refusal.js'
import { RemoteFault } from '../../kit/http-client/remote-fault.js'
import type { Queryable, Transaction } from '../../kit/postgres/db.js'
import type { World } from '../../kit/world.js'
import type { Registrar } from './registrar.js'

/** How often a pending result is polled: frequently at first. The provider's callbacks make it sooner. */
const POLL_MS = 1_000
const POLL_MS_MAX = 15 * 60_000
/** How often registered records are checked: for a vetting, new limits, or a suspension. */
const REFRESH_MS = DAY_MS

/** The lease has ended, so this result is discarded and rolled back. */
export class LeaseLost extends Error {
  constructor() {
    super('the lease of the registration has ended')
    this.name = 'LeaseLost'
  }
}

/** The brand or campaign was deleted with its account. */
export class MissingRecord extends Error {
  constructor() {
    super('the record of the registration is gone')
    this.name = 'MissingRecord'
  }
}

/** Throws MissingRecord instead of a refusal. */
export async function presentOr<T>(found: Promise<T>): Promise<T> {
  return found.catch((error) => {
    const isGone = isRefusal(error, 'brand_missing') || isRefusal(error, 'campaign_missing')
    throw isGone ? new MissingRecord() : error
  })
}

export async function record(
  db: Queryable,
  leased: Registration,
  next: Registration,
): Promise<Registration> {
  if (!(await recordRegistration(db, leased, next))) throw new LeaseLost()
  return next
}

const SUCCESS = { failingSince: null, lastError: null }

/** The row after it has reached a state. */
export function moved(row: Registration, state: RegistrationState, now: Date): Registration {
  const since = row.state === state ? row.since : now
  const rests = state === 'registered' || state === 'suspended'
  const dueAt = state === 'returned' ? null : new Date(now.getTime() + (rests ? REFRESH_MS : 0))
  return { ...row, ...SUCCESS, state, since, attempts: 0, dueAt }
}

/** Waiting is not a failure, but it is counted, so polls become less frequent. */
export async function waitFor({ db, clock, hints }: World, leased: Registration): Promise<void> {
  const attempts = leased.attempts + 1
  const waitMs = Math.min(POLL_MS * 2 ** Math.min(attempts - 1, 20), POLL_MS_MAX)
  const dueAt = new Date(clock.now().getTime() + waitMs)
  await record(db, leased, { ...leased, ...SUCCESS, attempts, dueAt })
  hints.remind('reviews', waitMs)
}

/** A decision that arrives twice, or after an operator decided, changes nothing. */
export async function decide(
  world: World,
  leased: Registration,
  next: Registration,
  apply: (tx: Transaction) => Promise<unknown>,
): Promise<void> {
  await world.db.transaction(async (tx) => {
    await unlessDecided(apply(tx))
    await record(tx, leased, next)
  })
  for (const hint of ['reviews', 'messages', 'deliveries'] as const) world.hints.notify(hint)
}

export async function unlessDecided(decision: Promise<unknown>): Promise<void> {
  await decision.catch((error) => {
    if (!isRefusal(error, 'brand_state') && !isRefusal(error, 'campaign_state')) throw error
  })
}

function isRefusal(error: unknown, code: RefusalCode): boolean {
  return error instanceof Refusal && error.code === code
}

/** Identifies an old refusal by its text. */
export function digestOf(notes: readonly ReviewNote[]): string {
  return createHash('sha256').update(JSON.stringify(notes)).digest('hex')
}

/** Its record was deleted: ends it at the provider, and deletes the row. */
export async function endThere({ db, clock }: World, leased: Registration): Promise<void> {
  if (leased.kind === 'brand' || leased.postedAt === null) return deleteRegistration(db, leased)
  await record(db, leased, moved(leased, 'end', clock.now()))
}

interface Handing {
  /** The provider's ID; null if the provider does not have it. */
  find: () => Promise<string | null>
  create: () => Promise<string>
}

/**
 * Submits a record once. The attempt is stored before the request. If an attempt was stored earlier, it first
 * searches by our reference. Null: the outcome is unknown, and the row waits.
 */
export async function handIn(
  world: World,
  { settleMs }: Registrar,
  leased: Registration,
  { find, create }: Handing,
): Promise<Registration | null> {
  const { db, clock } = world
  const taken = (row: Registration, providerId: string) =>
    record(db, row, { ...row, ...SUCCESS, providerId, attempts: 0 })
  if (leased.postedAt !== null) {
    const existingId = await find()
    if (existingId !== null) return taken(leased, existingId)
    if (clock.now().getTime() < leased.postedAt.getTime() + settleMs) {
      await waitFor(world, leased)
      return null
    }
  }
  const written = await record(db, leased, { ...leased, postedAt: clock.now() })
  try {
    return await taken(written, await create())
  } catch (error) {
    if (!(error instanceof RemoteFault)) throw error
    if (error.kind === 'unknown') {
      await waitFor(world, written)
      return null
    }
    // Refused, maybe because an earlier attempt with an unknown outcome created it.
    const existingId = error.kind === 'refused' ? await find() : null
    if (existingId !== null) return taken(written, existingId)
    // Not accepted, so the next attempt counts as the first.
    await record(db, written, leased)
    throw error
  }
}
