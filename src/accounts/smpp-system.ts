// What a customer binds with by SMPP. The fields of a bind are small (15 and 8 characters by the book, and some
// clients cut longer ones), so an access token does not fit: a token made for SMPP has a system id and a short
// password besides its text. Eight characters can be guessed, so they are kept by a slow hash.

import { randomBytes, randomInt, scrypt, timingSafeEqual } from 'node:crypto'
import { hashToken } from './token.js'

export interface SmppSystem {
  systemId: string
  /** What it sends for and hears of; null: every campaign of the account, and every number. */
  campaignId: string | null
  number: string | null
}

/** As a token shows it. */
export interface BoundSystem extends SmppSystem {
  /** Binds at this moment. */
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
/** Some 50 ms and 16 MiB: nobody notices at a bind, and a stolen table is worth little. */
const COST = { N: 2 ** 14, r: 8, p: 1 }
const HASH_LENGTH = 32

function pick(letters: string, count: number): string {
  return Array.from({ length: count }, () => letters[randomInt(letters.length)]).join('')
}

export interface NewSystem extends SmppSystem, SmppSecret {
  /** Shown once. */
  password: string
}

/** Made before the transaction that keeps it: the hash takes its time. */
export async function makeSystem(
  what: Pick<SmppSystem, 'campaignId' | 'number'>,
): Promise<NewSystem> {
  const password = pick(MIXED, PASSWORD_LENGTH)
  const passwordSalt = randomBytes(SALT_LENGTH)
  const passwordHash = await hashPassword(password, passwordSalt)
  // 65 bits: whoever does not know it has nothing to try passwords on.
  const systemId = `lc${pick(LETTERS, SYSTEM_ID_RANDOM)}`
  return { ...what, systemId, password, passwordSalt, passwordHash }
}

/** Without its secrets. */
export function systemOf({ systemId, campaignId, number }: SmppSystem): SmppSystem {
  return { systemId, campaignId, number }
}

/** Does not hold up the process: the work is done beside it. */
function hashPassword(password: string, salt: Buffer): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    scrypt(password, salt, HASH_LENGTH, COST, (error, hash) => {
      if (error) reject(error)
      else resolve(hash)
    })
  })
}

/** The short password, or the whole text of the token, from a client that can send it. */
export async function isSmppPassword(
  { passwordSalt, passwordHash }: SmppSecret,
  tokenHash: Buffer,
  given: string,
): Promise<boolean> {
  if (timingSafeEqual(hashToken(given), tokenHash)) return true
  return timingSafeEqual(await hashPassword(given, passwordSalt), passwordHash)
}
