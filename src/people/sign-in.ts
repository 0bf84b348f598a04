// Signing in with a password, and with a code from an authenticator app. An unknown email, a wrong password, and a person
// without a password get the same answer after the same work, so nobody learns who has an account.

import type { Clock } from '../kit/clock.js'
import { Refusal } from '../kit/contract/refusal.js'
import type { Queryable } from '../kit/postgres/db.js'
import { isPassword } from './password.js'
import { forgiveAttempt, limitAttempt, type SignInAttempt } from './sign-in-limits.js'
import { finishStep, getStep, startStep } from './sign-in-step.js'
import { findTotpStep } from './totp.js'
import type { Credentials, UserId } from './user.js'
import { findCredentials, findUser, getCredentials, useTotpStep } from './user-queries.js'

interface SignInWorld {
  db: Queryable
  clock: Clock
}

export type PasswordResult =
  | { userId: UserId; ticket: null }
  /** A second factor is missing. */
  | { userId: UserId; ticket: string; factors: Factor[] }

type Factor = 'totp' | 'passkey'

function factorsOf({ totpSecret, passkeys }: Credentials): Factor[] {
  return [...(totpSecret ? ['totp' as const] : []), ...(passkeys > 0 ? ['passkey' as const] : [])]
}

export async function signInByPassword(
  world: SignInWorld,
  { email, address, password }: SignInAttempt & { password: string },
): Promise<PasswordResult> {
  const credentials = await checkPassword(world, { email, address, password })
  const { userId } = credentials
  const factors = factorsOf(credentials)
  if (factors.length === 0) return { userId, ticket: null }
  const ticket = await startStep(world, { kind: 'second_factor', userId, data: {} })
  return { userId, ticket, factors }
}

/** Refuses a wrong password, and counts it. */
export async function checkPassword(
  world: SignInWorld,
  { email, address, password }: SignInAttempt & { password: string },
): Promise<Credentials> {
  await limitAttempt(world, 'password', { email, address })
  const credentials = await findCredentials(world.db, email)
  const isRight = await isPassword(password, credentials?.passwordHash ?? null)
  if (!credentials || !isRight) throw new Refusal('sign_in_refused')
  await forgiveAttempt(world.db, 'password', { email, address })
  return credentials
}

/** The second step: a code from the authenticator app of the person whose password was right. */
export async function signInByCode(
  world: SignInWorld,
  { ticket, code, address }: { ticket: string; code: string; address: string },
): Promise<UserId> {
  const { userId } = await getStep(world, 'second_factor', ticket)
  await checkCode(world, { userId: userId!, code, address })
  await finishStep(world, 'second_factor', ticket)
  return userId!
}

async function checkCode(
  world: SignInWorld,
  { userId, code, address }: { userId: UserId; code: string; address: string },
): Promise<void> {
  const user = await findUser(world.db, userId)
  if (!user) throw new Refusal('sign_in_expired')
  const attempt = { email: user.email, address }
  await limitAttempt(world, 'code', attempt)
  const { totpSecret, totpStep } = await getCredentials(world.db, userId)
  const now = world.clock.machineNow()
  const step = totpSecret && findTotpStep(totpSecret, code.trim(), { now, after: totpStep })
  if (!step || !(await useTotpStep(world.db, userId, step))) throw new Refusal('code_refused')
  await forgiveAttempt(world.db, 'code', attempt)
}
