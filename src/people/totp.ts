// Codes from an authenticator app: RFC 6238 with SHA-1, 30 seconds, and six digits, which every app supports.

import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'

const STEP_MS = 30_000
const DIGITS = 6
const SECRET_BYTES = 20
/** The clocks of phones differ. One step before and after is what RFC 6238 recommends. */
const DRIFT_STEPS = 1
const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'

export function makeTotpSecret(): string {
  return encodeBase32(randomBytes(SECRET_BYTES))
}

/** What an authenticator app reads from a QR code. */
export function totpUri(secret: string, { email, issuer }: { email: string; issuer: string }) {
  const label = `${encodeURIComponent(issuer)}:${encodeURIComponent(email)}`
  return `otpauth://totp/${label}?secret=${secret}&issuer=${encodeURIComponent(issuer)}`
}

/** The time step of the code, or null if it is wrong. A step is accepted once, so `after` is excluded. */
export function findTotpStep(
  secret: string,
  code: string,
  { now, after }: { now: Date; after: number },
): number | null {
  const current = Math.floor(now.getTime() / STEP_MS)
  for (let step = current - DRIFT_STEPS; step <= current + DRIFT_STEPS; step += 1) {
    if (step > after && isSame(totpCode(secret, step), code)) return step
  }
  return null
}

export function totpCode(secret: string, step: number): string {
  const counter = Buffer.alloc(8)
  counter.writeBigUInt64BE(BigInt(step))
  const mac = createHmac('sha1', decodeBase32(secret)).update(counter).digest()
  const offset = mac.at(-1)! & 0xf
  const number = mac.readUInt32BE(offset) & 0x7fffffff
  return String(number % 10 ** DIGITS).padStart(DIGITS, '0')
}

function isSame(expected: string, actual: string): boolean {
  return expected.length === actual.length && timingSafeEqual(bytesOf(expected), bytesOf(actual))
}

const bytesOf = (text: string): Buffer => createHmac('sha256', 'compare').update(text).digest()

function encodeBase32(bytes: Buffer): string {
  let text = ''
  for (let bit = 0; bit < bytes.length * 8; bit += 5) {
    const pair = ((bytes[bit >> 3] ?? 0) << 8) | (bytes[(bit >> 3) + 1] ?? 0)
    text += ALPHABET[(pair >> (11 - (bit & 7))) & 31]
  }
  return text
}

function decodeBase32(text: string): Buffer {
  const bytes: number[] = []
  let bits = 0
  let buffer = 0
  for (const char of text) {
    buffer = ((buffer << 5) | ALPHABET.indexOf(char)) & 0xfff
    bits += 5
    if (bits < 8) continue
    bits -= 8
    bytes.push((buffer >> bits) & 0xff)
  }
  return Buffer.from(bytes)
}
