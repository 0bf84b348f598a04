// Passwords: argon2id, the only slow hash of the service. Tokens and links are random and need none.

import { fieldRefusal } from '../kit/contract/refusal.js'
import { Semaphore } from '../kit/semaphore.js'
import { PASSWORD_LENGTH_MIN } from './user.js'

/** OWASP's first recommendation: 19 MiB, two passes, one thread. */
const COST = { memoryCost: 19_456, timeCost: 2, parallelism: 1 }
/** Bounds memory: attempts beyond it wait for their turn. */
const turns = new Semaphore(4)

/** Has the cost of every other hash, and no password fits it: it was made from 32 random bytes. */
const UNKNOWN_USER =
  '$argon2id$v=19$m=19456,t=2,p=1$MPTA9q0JxN5uHznSVVX28w$/ANFy9O8l1xI1JFV8oUEB1E7OuTsT00dBXQsIUBN4fU'

export async function hashPassword(password: string): Promise<string> {
  return inTurn(async () => {
    const { hash } = await import('@node-rs/argon2')
    return hash(password.normalize('NFKC'), COST)
  })
}

/** Takes the same time whether or not there is a hash, so the time does not reveal who has a password. */
export async function isPassword(password: string, passwordHash: string | null): Promise<boolean> {
  return inTurn(async () => {
    const { verify } = await import('@node-rs/argon2')
    const isRight = await verify(passwordHash ?? UNKNOWN_USER, password.normalize('NFKC'))
    return isRight && passwordHash !== null
  })
}

/** Refuses what guessing programs try first. Length matters more than kinds of characters. */
export function checkNewPassword(password: string, { email }: { email: string }): void {
  const lower = password.normalize('NFKC').toLowerCase()
  if ([...lower].length < PASSWORD_LENGTH_MIN) {
    throw fieldRefusal('password', `must have at least ${PASSWORD_LENGTH_MIN} characters`)
  }
  const [local = ''] = email.split('@')
  const isOwnName = lower.includes(email) || (local.length >= 5 && lower.includes(local))
  if (isOwnName) throw fieldRefusal('password', 'must not contain your email address')
  if (new Set(lower).size < 5 || COMMON.some((word) => lower.replaceAll(/\d/g, '') === word)) {
    throw fieldRefusal('password', 'is too easy to guess. Use several words that only you combine')
  }
}

/** Common passwords of this length, without their digits. */
const COMMON = ['password', 'passwordpassword', 'qwertyuiop', 'qwerty', 'letmein', 'longcode', '']

async function inTurn<T>(work: () => Promise<T>): Promise<T> {
  await turns.acquire()
  try {
    return await work()
  } finally {
    turns.release()
  }
}
