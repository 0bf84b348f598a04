// What becomes of a registration when its provider has spoken: the row goes on, and what is decided here is decided in
// the same transaction. Each holds only while the lease does, so that two workers never both settle.

import { createHash } from 'node:crypto'
import type { ReviewNote } from '../../brands/brand.js'
import type { Registration, RegistrationState } from '../../brands/registration.js'
import { deleteRegistration, recordRegistration } from '../../brands/registration-queries.js'
import { Refusal, type RefusalCode } from '../../kit/contract/refusal.js'
import { RemoteFault } from '../../kit/http-client/remote-fault.js'
import type { Queryable, Transaction } from '../../kit/postgres/db.js'
import type { World } from '../../kit/world.js'
import type { Registrar } from './registrar.js'

/** How often something that takes its time is asked for: soon at first. Calls of the provider make it sooner. */
const POLL_MS = 1_000
const POLL_MS_MAX = 15 * 60_000
/** How often what is registered is looked at: for a vetting, for other limits, for a suspension. */
const REFRESH_MS = 24 * 60 * 60_000

/** The lease has ended: what was found out counts for nothing, and is rolled back. */
export class LeaseLost extends Error {
  constructor() {
    super('the lease of the registration has ended')
    this.name = 'LeaseLost'
  }
}

/** The brand or the campaign is gone, with its account. */
export class MissingRecord extends Error {
  constructor() {
    super('the record of the registration is gone')
    this.name = 'MissingRecord'
  }
}

/** Throws MissingRecord in the place of a refusal. */
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

/** As it is when it has come to a state. */
export function moved(row: Registration, state: RegistrationState, now: Date): Registration {
  const since = row.state === state ? row.since : now
  const rests = state === 'registered' || state === 'suspended'
  const dueAt = state === 'returned' ? null : new Date(now.getTime() + (rests ? REFRESH_MS : 0))
  return { ...row, ...SUCCESS, state, since, attempts: 0, dueAt }
}

/** What takes its time is no fault; but it is counted, so that it is asked for more and more seldom. */
export async function waitFor({ db, clock }: World, leased: Registration): Promise<void> {
  const attempts = leased.attempts + 1
  const waitMs = Math.min(POLL_MS * 2 ** Math.min(attempts - 1, 20), POLL_MS_MAX)
  const dueAt = new Date(clock.now().getTime() + waitMs)
  await record(db, leased, { ...leased, ...SUCCESS, attempts, dueAt })
}

/** A verdict that comes twice, or after an operator decided, changes nothing. */
export async function decide(
  world: World,
  leased: Registration,
  next: Registration,
  verdict: (tx: Transaction) => Promise<unknown>,
): Promise<void> {
  await world.db.transaction(async (tx) => {
    await unlessDecided(verdict(tx))
    await record(tx, leased, next)
  })
  for (const hint of ['reviews', 'messages', 'deliveries'] as const) world.hints.notify(hint)
}

export async function unlessDecided(verdict: Promise<unknown>): Promise<void> {
  await verdict.catch((error) => {
    if (!isRefusal(error, 'brand_state') && !isRefusal(error, 'campaign_state')) throw error
  })
}

function isRefusal(error: unknown, code: RefusalCode): boolean {
  return error instanceof Refusal && error.code === code
}

/** By what it said last an old refusal is known. */
export function digestOf(notes: readonly ReviewNote[]): string {
  return createHash('sha256').update(JSON.stringify(notes)).digest('hex')
}

/** Its record is gone: what the provider has of it ends, and the row with it. */
export async function endThere({ db, clock }: World, leased: Registration): Promise<void> {
  if (leased.kind === 'brand' || leased.postedAt === null) return deleteRegistration(db, leased)
  await record(db, leased, moved(leased, 'end', clock.now()))
}

interface Handing {
  /** The provider's id; null where it does not have it. */
  find: () => Promise<string | null>
  create: () => Promise<string>
}

/**
 * Hands a record in, once. That it is about to leave is written down before it does; whoever finds that it was, asks for
 * it by its reference first. Null: nobody knows yet, and the row waits.
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
    const known = await find()
    if (known !== null) return taken(leased, known)
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
    // Refused, perhaps because it is there by an attempt that nobody knew of.
    const known = error.kind === 'refused' ? await find() : null
    if (known !== null) return taken(written, known)
    // Not taken: the next attempt is the first again.
    await record(db, written, leased)
    throw error
  }
}
