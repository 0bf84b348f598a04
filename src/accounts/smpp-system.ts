// A customer's SMPP credentials. The fields of a bind are small (15 and 8 characters by the specification,
// and some clients truncate longer ones), so an access token does not fit. A token made for SMPP also has a
// system ID and a short password. Eight characters can be guessed, so they are stored with a slow hash.

import { randomBytes, randomInt, scrypt, timingSafeEqual } from 'node:crypto'
import { hashToken } from './token.js'

export interface SmppSystem {
  systemId: string
  /** What it sends for and receives; null: every campaign and every number of the account. */
  campaignId: string | null
  number: string | null
}

/** As shown with its token. */
export interface BoundSystem extends SmppSystem {
  /** Current binds. */
  bound: number
}

export interface SmppSecret {
  passwordSalt: Buffer
  passwordHash: Buffer
}

const LETTERS = 'abcdefghijkmnpqrstuvwxyz23456789'
const MIXED = 'ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz23456789'
const SYSTEM_ID_RANDOM = 13
const PASSWORD_LENGTH = 8
const SALT_LENGTH = 16
/** About 50 ms and 16 MiB: not noticeable at a bind, and it makes a stolen table nearly worthless. */
const COST = { N: 2 ** 14, r: 8, p: 1 }
const HASH_LENGTH = 32

function pick(letters: string, count: number): string {
  return Array.from({ length: count }, () => letters[randomInt(letters.length)]).join('')
}

export interface NewSystem extends SmppSystem, SmppSecret {
  /** Shown once. */
  password: string
}

/** Created before the transaction that stores it, because the hash takes time. */
export async function makeSystem(
  what: Pick<SmppSystem, 'campaignId' | 'number'>,
): Promise<NewSystem> {
  const password = pick(MIXED, PASSWORD_LENGTH)
  const passwordSalt = randomBytes(SALT_LENGTH)
  const passwordHash = await hashPassword(password, passwordSalt)
  // 65 bits: without the system ID, there is nothing to try passwords on.
  const systemId = `lc${pick(LETTERS, SYSTEM_ID_RANDOM)}`
  return { ...what, systemId, password, passwordSalt, passwordHash }
}

/** Without its secrets. */
export function systemOf({ systemId, campaignId, number }: SmppSystem): SmppSystem {
  return { systemId, campaignId, number }
}

/** Runs in another thread and does not block the process. */
function hashPassword(password: string, salt: Buffer): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    scrypt(password, salt, HASH_LENGTH, COST, (error, hash) => {
      if (error) reject(error)
      else resolve(hash)
    })
  })
}

/** The short password, or the full token from a client that can send it. */
export async function isSmppPassword(
  { passwordSalt, passwordHash }: SmppSecret,
  tokenHash: Buffer,
  password: string,
): Promise<boolean> {
  if (timingSafeEqual(hashToken(password), tokenHash)) return true
  return timingSafeEqual(await hashPassword(password, passwordSalt), passwordHash)
}
