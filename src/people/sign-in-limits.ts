// Limits how often someone can guess a password or a code, counted in the database for all processes together. Guesses count
// by email and address together, so a stranger who guesses does not lock out the person, who signs in from elsewhere. Higher
// limits for an email and for an address alone stop guesses from many addresses, and at many emails.

import { createHash } from 'node:crypto'
import { type Clock, MINUTE_MS } from '../kit/clock.js'
import { Refusal } from '../kit/contract/refusal.js'
import { clientNetwork } from '../kit/http-client/client-network.js'
import type { Queryable } from '../kit/postgres/db.js'
import { countAttempt, forgiveAttempts } from './sign-in-queries.js'

const WINDOW_MS = 15 * MINUTE_MS
const PER_EMAIL_AND_ADDRESS = 10
/** A person who guesses codes has given the right password, so strangers cannot use a low limit to lock anyone out. */
const PER_EMAIL = { password: 100, code: 10 }
/** An office shares an address. */
const PER_ADDRESS = 100

export interface SignInAttempt {
  email: string
  address: string
}

interface Limit {
  key: Buffer
  max: number
}

interface LimitWorld {
  db: Queryable
  clock: Clock
}

/** The hash keeps addresses out of the table, and makes long input short. */
function keyOf(...parts: string[]): Buffer {
  return createHash('sha256').update(parts.join(' ')).digest()
}

function addressLimit(address: string): Limit {
  return { key: keyOf('address', clientNetwork(address)), max: PER_ADDRESS }
}

/** Codes are counted apart from passwords: a right password must not reset the count of wrong codes. */
function emailLimits(kind: keyof typeof PER_EMAIL, { email, address }: SignInAttempt) {
  return {
    together: {
      key: keyOf(kind, clientNetwork(address), email),
      max: PER_EMAIL_AND_ADDRESS,
    },
    alone: { key: keyOf(kind, email), max: PER_EMAIL[kind] },
  }
}

/** Call it before the password or code is checked, for known and unknown emails alike. */
export async function limitAttempt(
  world: LimitWorld,
  kind: keyof typeof PER_EMAIL,
  attempt: SignInAttempt,
): Promise<void> {
  const { together, alone } = emailLimits(kind, attempt)
  // One after the other: what an address is refused must not count against the email for all others.
  for (const limit of [addressLimit(attempt.address), together, alone]) {
    await countOrRefuse(world, limit)
  }
}

/** For steps that name no email, and store a row each. */
export async function limitAddress(world: LimitWorld, address: string): Promise<void> {
  await countOrRefuse(world, addressLimit(address))
}

async function countOrRefuse({ db, clock }: LimitWorld, { key, max }: Limit): Promise<void> {
  const now = clock.machineNow()
  const window = { now, resetsAt: new Date(now.getTime() + WINDOW_MS) }
  const { failures, resetsAt } = await countAttempt(db, key, window)
  if (failures <= max) return
  const seconds = Math.max(1, Math.ceil((resetsAt.getTime() - now.getTime()) / 1000))
  throw new Refusal('sign_in_limited', undefined, undefined, seconds)
}

export async function forgiveAddress(db: Queryable, address: string): Promise<void> {
  await forgiveAttempts(db, { reset: [], uncount: [addressLimit(address).key] })
}

/** A success starts the count of its email and address again. Guesses from elsewhere still count. */
export async function forgiveAttempt(
  db: Queryable,
  kind: keyof typeof PER_EMAIL,
  attempt: SignInAttempt,
): Promise<void> {
  const { together, alone } = emailLimits(kind, attempt)
  const uncount = [addressLimit(attempt.address).key, alone.key]
  await forgiveAttempts(db, { reset: [together.key], uncount })
}
