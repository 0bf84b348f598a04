// Sends a batch block by block, each with its own idempotency key, so a repeated request returns the stored
// answer and nothing is sent twice. Waits when the service asks to, and stops when retrying would not help.

import { ApiFailure, NoConnection } from '../../api/request'

export interface SendResult {
  success: boolean
  id?: string
  error?: string
  code?: string
}

export interface BlockAnswer {
  results: readonly SendResult[]
  /** Answered from the key: it was sent before. */
  isReplay: boolean
}

export interface BatchWork {
  blocks: number
  /** The messages of a block. */
  read: (block: number) => Promise<readonly object[]>
  post: (messages: readonly object[], key: string, signal: AbortSignal) => Promise<BlockAnswer>
  keyOf: (block: number, round: number) => string
  /** Called whenever more results of a block are known, with the results of all its messages. */
  onResults: (block: number, results: readonly SendResult[]) => void
  onWait: (wait: { seconds: number; error: Error } | null) => void
  pause: (ms: number, signal: AbortSignal) => Promise<void>
  /** Blocks that need no further request. */
  skip?: (block: number) => boolean
}

export type BatchEnd =
  | { kind: 'done' }
  /** Refused for a temporary reason, such as missing credit or a suspended campaign. */
  | { kind: 'held'; result: SendResult }
  | { kind: 'failed'; error: Error }

/** Refused for now, but not because of the message itself. */
const MAY_PASS = new Set([
  'balance_insufficient',
  'campaign_state',
  'campaign_numberless',
  'carrier_absent',
])
const WAIT_S = { first: 1, max: 60 }
const TRIES_MAX = 8

/** Starts over from the beginning: blocks that were sent are only read. */
export async function runBatch(work: BatchWork, signal: AbortSignal): Promise<BatchEnd> {
  for (let block = 0; block < work.blocks; block += 1) {
    signal.throwIfAborted()
    if (work.skip?.(block)) continue
    try {
      const blocked = await sendBlock(work, block, signal)
      if (blocked) return { kind: 'held', result: blocked }
    } catch (error) {
      signal.throwIfAborted()
      if (error instanceof ApiFailure && error.status === 402) {
        return { kind: 'held', result: resultOf(error) }
      }
      return { kind: 'failed', error: error as Error }
    }
  }
  return { kind: 'done' }
}

function resultOf({ message, code }: ApiFailure): SendResult {
  return { success: false, error: message, code: code ?? 'balance_insufficient' }
}

// Messages refused for a temporary reason are sent again under the key of the next round, because an answer
// stored under a key never changes. A round answered from its key was sent before. The first other one is new.
async function sendBlock(work: BatchWork, block: number, signal: AbortSignal) {
  const messages = await work.read(block)
  const results: (SendResult | null)[] = messages.map(() => null)
  for (let round = 0; ; round += 1) {
    const open = results.flatMap((result, i) => (isOpen(result) ? [i] : []))
    const part = open.map((i) => messages[i]!)
    const key = work.keyOf(block, round)
    const answer = await patiently(() => work.post(part, key, signal), work, signal)
    for (const [place, i] of open.entries()) results[i] = answer.results[place] ?? null
    work.onResults(block, results as SendResult[])
    const blocked = results.find((result) => result !== null && isOpen(result))
    if (!blocked) return null
    if (!answer.isReplay) return blocked
  }
}

/** No result yet, or refused for a temporary reason. */
export function isOpen(result: SendResult | null): boolean {
  return result === null || (!result.success && MAY_PASS.has(result.code ?? ''))
}

/** Retries temporary failures after Retry-After, otherwise with a growing delay. */
export async function patiently<Reply>(
  act: () => Promise<Reply>,
  { onWait, pause }: Pick<BatchWork, 'onWait' | 'pause'>,
  signal: AbortSignal,
): Promise<Reply> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await act()
    } catch (error) {
      if (signal.aborted || !isPassing(error) || tries >= TRIES_MAX) throw error
      const requestedS = error instanceof ApiFailure ? error.retryAfterS : null
      const seconds = requestedS ?? Math.min(WAIT_S.first * 2 ** (tries - 1), WAIT_S.max)
      onWait({ seconds, error: error as Error })
      await pause(seconds * 1_000, signal)
      onWait(null)
    }
  }
}

/** Retrying with the same key is safe and can succeed. */
function isPassing(error: unknown): boolean {
  if (error instanceof NoConnection) return true
  if (!(error instanceof ApiFailure)) return false
  return error.status === 429 || error.status >= 500 || error.code === 'idempotency_in_flight'
}
