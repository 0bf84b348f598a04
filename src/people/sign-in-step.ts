// A sign-in that takes several requests keeps its state here. The browser gets a ticket: a random secret that works once,
// for minutes, and only for that step. It is not a session.

import { randomBytes } from 'node:crypto'
import { hashToken } from '../accounts/token.js'
import { type Clock, MINUTE_MS } from '../kit/clock.js'
import { Refusal } from '../kit/contract/refusal.js'
import type { Queryable } from '../kit/postgres/db.js'
import {
  findStep,
  insertStep,
  type SignInStep,
  type StepKind,
  takeStep,
} from './sign-in-queries.js'

const STEP_MS = 10 * MINUTE_MS
export const TICKET_LENGTH_MAX = 100

interface StepWorld {
  db: Queryable
  clock: Clock
}

export async function startStep({ db, clock }: StepWorld, step: SignInStep): Promise<string> {
  const ticket = `lct_${randomBytes(32).toString('base64url')}`
  const now = clock.machineNow()
  await insertStep(db, hashToken(ticket), step, {
    now,
    expiresAt: new Date(now.getTime() + STEP_MS),
  })
  return ticket
}

/** Leaves the ticket valid. */
export async function getStep(
  { db, clock }: StepWorld,
  kind: StepKind,
  ticket: string,
): Promise<SignInStep> {
  const step = await findStep(db, kind, hashToken(ticket), clock.machineNow())
  if (!step) throw new Refusal('sign_in_expired')
  return step
}

/** Uses the ticket up. */
export async function finishStep(
  { db, clock }: StepWorld,
  kind: StepKind,
  ticket: string,
): Promise<SignInStep> {
  const step = await takeStep(db, kind, hashToken(ticket), clock.machineNow())
  if (!step) throw new Refusal('sign_in_expired')
  return step
}
