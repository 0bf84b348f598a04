// The setting for how long messages of accounts without their own retention are kept.

import { type Env, text, whole } from './setting-reader.js'

export interface RetentionSettings {
  /** Null: forever. */
  recordDays: number | null
}

/** As for one account: at least thirty days, because events are kept for so long. */
export function readRetention(env: Env): RetentionSettings {
  const isKept = text(env, 'LONGCODE_RECORD_DAYS') === 'never'
  return { recordDays: isKept ? null : whole(env, 'LONGCODE_RECORD_DAYS', 396, 30, 3_650) }
}
