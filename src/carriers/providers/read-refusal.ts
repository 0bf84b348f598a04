// What a provider's refusal comes to, by its code where it has one, else by the status of HTTP: the same for all of them.

import type { Verdict } from './provider.js'
import { meaningOf, type ProviderName } from './provider-codes.js'

export interface Refused {
  status: number
  code: string | null
  /** What it says in words; what stands for the code where it gives none. */
  text: string | null
  instead?: string | null
  retryAfterMs?: number
}

/** Of an answer from 400 to 499. A key that is not taken is the host's fault, whatever else may be wrong. */
export function readRefusal(provider: ProviderName, refused: Refused): Verdict {
  const { status, code, text, instead, retryAfterMs } = refused
  const meaning = code === null ? null : meaningOf(provider, code)
  if (status === 429 || meaning === 'slow_down') {
    return { kind: 'slow_down', ...(retryAfterMs !== undefined && { retryAfterMs }) }
  }
  const words = [code ?? instead ?? `HTTP ${status}`, text]
  const carrierCode = words.filter((word) => word !== null).join(' ')
  const isKeyRefused = (status === 401 || status === 403) && meaning === null
  if (meaning === 'fault' || isKeyRefused) return { kind: 'fault', detail: carrierCode }
  return { kind: 'failed', errorCode: meaning ?? 1499, carrierCode, isUnmapped: meaning === null }
}
