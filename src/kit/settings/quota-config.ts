// Quotas of accounts: what an account without its own limits may use.

import { type Env, whole } from './setting-reader.js'

/** The largest value of each quota. */
export const QUOTA_MAX = 1_000_000_000_000_000

const MB = 1_000_000

/** 0: no limit. */
export interface Quotas {
  /** Messages that wait to be sent, including scheduled ones. */
  queuedMessages: number
  /** Sent and received. */
  storedMessages: number
  mediaBytes: number
  webhooks: number
}

export function readQuotas(env: Env): Quotas {
  return {
    queuedMessages: whole(env, 'LONGCODE_QUOTA_QUEUED', 0, 0, QUOTA_MAX),
    storedMessages: whole(env, 'LONGCODE_QUOTA_STORED', 0, 0, QUOTA_MAX),
    mediaBytes: whole(env, 'LONGCODE_QUOTA_MEDIA_MB', 0, 0, QUOTA_MAX / MB) * MB,
    webhooks: whole(env, 'LONGCODE_QUOTA_WEBHOOKS', 0, 0, QUOTA_MAX),
  }
}
