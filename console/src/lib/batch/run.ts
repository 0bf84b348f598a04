// Sends a batch block by block, each with a key of its own: what was sent is answered again from the key,
// and nothing goes out twice. Waits where the service asks to, and stops where going on is of no use.

import { ApiFailure, NoConnection } from '../../api/call'

export interface SendResult {
  success: boolean
  id?: string
  error?: string
  code?: string
}

export interface BlockAnswer {
  results: readonly SendResult[]
  /** Answered from the key: it had been sent before. */
  isReplay: boolean
}

export interface BatchWork {
  blocks: number
  /** The messages of a block. */
  read: (block: number) => Promise<readonly object[]>
  post: (messages: readonly object[], key: string, signal: AbortSignal) => Promise<BlockAnswer>
  keyOf: (block: number, round: number) => string
  /** Each time more is known of a block: the results of all its messages. */
  onResults: (block: number, results: readonly SendResult[]) => void
  onWait: (wait: { seconds: number; error: Error } | null) => void
  pause: (ms: number, signal: AbortSignal) => Promise<void>
  /** Blocks that need not be asked for again. */
  skip?: (block: number) => boolean
}

export type BatchEnd =
  | { kind: 'done' }
  /** Refused for a reason that may pass: credit, a campaign that is suspended. */
  | { kind: 'held'; result: SendResult }
  | { kind: 'failed'; error: Error }

/** Refused now, though not for what the message is. */
const MAY_PASS = new Set([
  'balance_insufficient',
  'campaign_state',
  'campaign_numberless',
  'carrier_absent',
])
const WAIT_S = { first: 1, max: 60 }
const TRIES_MAX = 8

/** Goes on from the beginning: what is there already is only read. */
export async function runBatch(work: BatchWork, signal: AbortSignal): Promise<BatchEnd> {
  for (let block = 0; block < work.blocks; block += 1) {
    signal.throwIfAborted()
    if (work.skip?.(block)) continue
    try {
      const held = await sendBlock(work, block, signal)
      if (held) return { kind: 'held', result: held }
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

// What was refused for a passing reason is sent again under the key of the next round: an answer under a key
// stays as it was. A round that is answered from its key was made before; the first that is not is new.
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
    const held = results.find((result) => result !== null && isOpen(result))
    if (!held) return null
    if (!answer.isReplay) return held
  }
}

/** Nothing is known of it yet, or it was refused for a reason that may pass. */
export function isOpen(result: SendResult | null): boolean {
  return result === null || (!result.success && MAY_PASS.has(result.code ?? ''))
}

/** Tries again what may pass, after the time that the service asks for, else longer each time. */
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
      const asked = error instanceof ApiFailure ? error.retryAfterS : null
      const seconds = asked ?? Math.min(WAIT_S.first * 2 ** (tries - 1), WAIT_S.max)
      onWait({ seconds, error: error as Error })
      await pause(seconds * 1_000, signal)
      onWait(null)
    }
  }
}

/** Trying again with the same key is safe, and may do. */
function isPassing(error: unknown): boolean {
  if (error instanceof NoConnection) return true
  if (!(error instanceof ApiFailure)) return false
  return error.status === 429 || error.status >= 500 || error.code === 'idempotency_in_flight'
}
