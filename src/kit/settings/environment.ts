// The only place that reads the environment of the process.

import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import type { Env } from './setting-reader.js'

/** For values that a file leaves to the environment, such as passwords; read again each time. */
export function readVariables(env: Env = processEnv()): (name: string) => string | null {
  return (name) => env[name] || null
}

/** A `.env` in the working folder counts, and the real environment takes precedence. */
export function processEnv(): Env {
  const file = path.resolve('.env')
  if (!existsSync(file)) return process.env
  const fromFile: Record<string, string> = {}
  for (const line of readFileSync(file, 'utf8').split('\n')) {
    const match = /^([A-Z_][A-Z0-9_]*)\s*=(.*)$/.exec(line.trim())
    if (match) fromFile[match[1]!] = match[2]!.trim().replace(/^(['"])(.*)\1$/, '$2')
  }
  return { ...fromFile, ...process.env }
}
