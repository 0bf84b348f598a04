// The only place that reads the environment of the process.

import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { BadSetting, type Env } from './setting-reader.js'

/** For values that a file leaves to the environment, such as passwords; read again each time. */
export function readVariables(env: Env = processEnv()): (name: string) => string | null {
  return (name) => env[name] || null
}

/** Where docs/production.md puts the settings of a service. */
const INSTALLED_SETTINGS = '/etc/longcode/longcode.env'

/** Settings of a service on this machine that this process does not use; null if there are none. */
export function findUnusedSettings(): string | null {
  const isUsed = process.env.LONGCODE_ENV_FILE === INSTALLED_SETTINGS
  return !isUsed && existsSync(INSTALLED_SETTINGS) ? INSTALLED_SETTINGS : null
}

/**
 * A file of settings counts, and the real environment takes precedence: the file in LONGCODE_ENV_FILE, which must exist,
 * else `.env` in the working folder.
 */
export function processEnv(): Env {
  const { LONGCODE_ENV_FILE: named } = process.env
  const file = path.resolve(named || '.env')
  if (!named && !existsSync(file)) return process.env
  const fromFile: Record<string, string> = {}
  for (const line of readSettings(file).split('\n')) {
    const match = /^([A-Z_][A-Z0-9_]*)\s*=(.*)$/.exec(line.trim())
    if (match) fromFile[match[1]!] = match[2]!.trim().replace(/^(['"])(.*)\1$/, '$2')
  }
  return { ...fromFile, ...process.env }
}

function readSettings(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    throw new BadSetting(`The settings in ${file} cannot be read (${code}).`)
  }
}
