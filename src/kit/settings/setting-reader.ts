// Reads one setting from the environment, for config.ts and the files that read groups of settings. Also
// reads a certificate with its key, which several groups have.

import { readFileSync } from 'node:fs'
import { parseDollars } from '../money.js'

/** An invalid setting. The message is the one line that the user sees. */
export class BadSetting extends Error {}

export type Env = Readonly<Record<string, string | undefined>>

export interface SettingReader {
  text: (name: string) => string | null
  whole: (name: string, fallback: number, min: number, max: number) => number
  flag: (name: string) => boolean
  /** Throws. */
  refuse: (line: string) => never
}

const PORT_MAX = 65_535

export interface TlsFiles {
  cert: Buffer
  key: Buffer
}

/** Null if neither is set. `prefix` is that of `…_TLS_CERT` and `…_TLS_KEY`. */
export function readTlsFiles(read: SettingReader, prefix: string): TlsFiles | null {
  const [certName, keyName] = [`${prefix}_TLS_CERT`, `${prefix}_TLS_KEY`]
  const cert = read.text(certName)
  const key = read.text(keyName)
  if (cert === null && key === null) return null
  if (cert === null || key === null) {
    read.refuse(`${certName} and ${keyName} go together: set both.`)
  }
  const open = (name: string, file: string): Buffer => {
    try {
      return readFileSync(file)
    } catch {
      return read.refuse(`${name}=${file} cannot be read.`)
    }
  }
  return { cert: open(certName, cert), key: open(keyName, key) }
}

/** Null if it is not set. */
export function readPort(read: SettingReader, name: string): number | 'off' | null {
  const value = read.text(name)
  if (value === null) return null
  if (value.toLowerCase() === 'off') return 'off'
  if (/^\d{1,5}$/.test(value) && Number(value) <= PORT_MAX) return Number(value)
  return read.refuse(`${name} must be a port from 0 to ${PORT_MAX}, or off, not "${value}".`)
}

export function text(env: Env, name: string): string | null {
  const value = env[name]?.trim()
  return value ? value : null
}

export function oneOf<const T extends string>(
  env: Env,
  name: string,
  allowed: readonly T[],
  fallback: T,
): T {
  const value = text(env, name)
  if (value === null) return fallback
  const match = allowed.find((candidate) => candidate === value)
  if (!match) throw new BadSetting(`${name} must be one of ${allowed.join(', ')}, not "${value}".`)
  return match
}

export function flag(env: Env, name: string): boolean {
  return oneOf(env, name, ['true', 'false'], 'false') === 'true'
}

export function decimal(
  env: Env,
  name: string,
  fallback: number,
  min: number,
  max: number,
): number {
  const value = text(env, name)
  if (value === null) return fallback
  const number = Number(value)
  if (!Number.isFinite(number) || number < min || number > max) {
    throw new BadSetting(`${name} must be a number from ${min} to ${max}, not "${value}".`)
  }
  return number
}

export function whole(env: Env, name: string, fallback: number, min: number, max: number): number {
  const number = decimal(env, name, fallback, min, max)
  if (!Number.isInteger(number)) throw new BadSetting(`${name} must be a whole number.`)
  return number
}

export function dollars(env: Env, name: string, fallback: string): bigint {
  const value = text(env, name) ?? fallback
  const micros = parseDollars(value)
  if (micros === null || micros < 0n) {
    throw new BadSetting(
      `${name} must be an amount in dollars such as 0.0079 (at most six decimals), not "${value}".`,
    )
  }
  return micros
}

export function settingsOf(env: Env): SettingReader {
  return {
    text: (name) => text(env, name),
    whole: (...bounds) => whole(env, ...bounds),
    flag: (name) => flag(env, name),
    refuse: (line) => {
      throw new BadSetting(line)
    },
  }
}
