// Limits how often someone can guess a password or a code: by email and by address, counted in the database for all
// processes together. Each attempt counts until it succeeds.

import { createHash } from 'node:crypto'
import { type Clock, MINUTE_MS } from '../kit/clock.js'
import { Refusal } from '../kit/contract/refusal.js'
import type { Queryable } from '../kit/postgres/db.js'
import { countAttempt, forgiveAttempts } from './sign-in-queries.js'

const WINDOW_MS = 15 * MINUTE_MS
const PER_EMAIL = 10
/** An office shares an address. */
const PER_ADDRESS = 100

export interface SignInAttempt {
  email: string
  address: string
}

/** The hash keeps addresses out of the table, and makes long input short. */
function keyOf(kind: string, text: string): Buffer {
  return createHash('sha256').update(`${kind} ${text}`).digest()
}

/** Call it before the password or code is checked, for known and unknown emails alike. */
export async function limitAttempt(
  { db, clock }: { db: Queryable; clock: Clock },
  { email, address }: SignInAttempt,
): Promise<void> {
  const now = clock.machineNow()
  const window = { now, resetsAt: new Date(now.getTime() + WINDOW_MS) }
  const byAddress = await countAttempt(db, keyOf('address', address), window)
  const byEmail = await countAttempt(db, keyOf('email', email), window)
  const counts: [typeof byEmail, number][] = [
    [byEmail, PER_EMAIL],
    [byAddress, PER_ADDRESS],
  ]
  refuseOver(counts, now)
}

/** For steps that name no email, and store a row each. */
export async function limitAddress(
  { db, clock }: { db: Queryable; clock: Clock },
  address: string,
): Promise<void> {
  const now = clock.machineNow()
  const window = { now, resetsAt: new Date(now.getTime() + WINDOW_MS) }
  refuseOver([[await countAttempt(db, keyOf('address', address), window), PER_ADDRESS]], now)
}

export async function forgiveAddress(db: Queryable, address: string): Promise<void> {
  await forgiveAttempts(db, { email: null, address: keyOf('address', address) })
}

function refuseOver(counts: [{ failures: number; resetsAt: Date }, number][], now: Date): void {
  const over = counts.filter(([{ failures }, limit]) => failures > limit)
  if (over.length === 0) return
  const resetsMs = Math.max(...over.map(([{ resetsAt }]) => resetsAt.getTime()))
  const seconds = Math.max(1, Math.ceil((resetsMs - now.getTime()) / 1000))
  throw new Refusal('sign_in_limited', undefined, undefined, seconds)
}

export async function forgiveAttempt(
  db: Queryable,
  { email, address }: SignInAttempt,
): Promise<void> {
  await forgiveAttempts(db, { email: keyOf('email', email), address: keyOf('address', address) })
}
