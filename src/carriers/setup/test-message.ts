// One real message from a number of the account, and its outcome as the provider reports it. It needs no running
// service and is never repeated. If one runs, the provider should send it a callback: the result reports whether it
// did.

import { setTimeout as sleep } from 'node:timers/promises'
import { elapsedMs, HOUR_MS } from '../../kit/clock.js'
import { RemoteFault } from '../../kit/http-client/remote-fault.js'
import type { World } from '../../kit/world.js'
import { MESSAGE_ERRORS } from '../../messages/message-errors.js'
import { takeReceiptsOf } from '../../messages/moves/receipt-queries.js'
import type { ProviderCodes } from '../providers/provider-codes.js'
import type { ProvisioningClient } from '../providers/provisioning.js'
import type { SetupStep } from './setup.js'

const POLL_MS = 1_000
/** The callback comes within seconds of the provider's own report. */
const CALL_MS_MAX = 15_000

export interface TestRequest {
  to: string
  from: string
  containerId: string
  /** The URL for the provider's callback, or null for none. */
  statusUrl: string | null
  /** How long to wait for its receipt. */
  waitMs: number
  /** Whether the provider has sent a callback. Waits until the signal. Null if no service could receive one. */
  hasCalled: ((messageId: string, signal: AbortSignal) => Promise<boolean>) | null
  /** Called now and then while waiting. */
  onWait?: (text: string, waitedMs: number) => void
}

type Outcome = Pick<SetupStep, 'state' | 'text'>

export interface TestResult extends Outcome {
  /** Whether the provider has the message. Otherwise it sends no callback. */
  isTaken: boolean
  /** Absent if it was not awaited. `isHeard` is null if it could not be looked up. */
  call?: { isHeard: boolean | null; waitedMs: number }
}

export async function sendTest(
  codes: ProviderCodes,
  link: string,
  client: ProvisioningClient,
  request: TestRequest,
): Promise<TestResult> {
  const { to, from, containerId, statusUrl } = request
  const text = `Test message for the link ${link}. Reply STOP to opt out.`
  try {
    const messageId = await client.send({ from, to, text, containerId, statusUrl })
    return await awaitBoth(codes, client, { ...request, messageId })
  } catch (error) {
    if (!(error instanceof RemoteFault)) throw error
    const isUnclear = error.kind === 'unknown'
    const more = isUnclear
      ? ' It may have been sent, so it is not sent again.'
      : hintOf(codes, error.code)
    return { state: 'failed', text: `${error.message}${more}`, isTaken: false }
  }
}

interface Sent extends TestRequest {
  messageId: string
}

/** Waits for the provider's report and then for its callback, because the report does not prove that callbacks arrive. */
async function awaitBoth(
  codes: ProviderCodes,
  client: ProvisioningClient,
  sent: Sent,
): Promise<TestResult> {
  const { messageId, waitMs, hasCalled, onWait } = sent
  const startedMs = elapsedMs()
  const end = new AbortController()
  let isOver = false
  const over = (isHeard: boolean | null) => {
    isOver = true
    return isHeard
  }
  // A lost database connection is not a failure of the link.
  const called = hasCalled?.(messageId, end.signal).then(over, () => over(null))
  try {
    const outcome = await awaitOutcome(codes, client, sent)
    const { state, text } = outcome
    if (!called) return { state, text, isTaken: true }
    const patienceMs = outcome.isGivenUp ? 0 : Math.min(CALL_MS_MAX, waitMs)
    for (const sinceMs = elapsedMs(); !isOver && elapsedMs(sinceMs) < patienceMs; ) {
      onWait?.('waiting for the callback', elapsedMs(startedMs))
      await sleep(POLL_MS)
    }
    end.abort()
    const call = { isHeard: await called, waitedMs: elapsedMs(startedMs) }
    return { state, text, isTaken: true, call }
  } finally {
    end.abort()
  }
}

async function awaitOutcome(
  codes: ProviderCodes,
  client: ProvisioningClient,
  sent: Sent,
): Promise<Outcome & { isGivenUp?: boolean }> {
  const { messageId, from, to, waitMs, onWait } = sent
  const numbers = `${from} → ${to}`
  for (const startedMs = elapsedMs(); ; await sleep(POLL_MS)) {
    // A failed poll is repeated, because the message was sent.
    const outcome = await client.outcomeOf(messageId).catch((error) => {
      if (error instanceof RemoteFault) return null
      throw error
    })
    const statusText = outcome?.text ?? 'no status yet'
    if (outcome?.state === 'delivered') return { state: 'done', text: `${numbers}: ${statusText}.` }
    if (outcome?.state === 'failed') {
      return { state: 'failed', text: `${numbers}: ${statusText}.${hintOf(codes, outcome.code)}` }
    }
    const waitedMs = elapsedMs(startedMs)
    if (outcome?.state === 'unconfirmed' || waitedMs > waitMs) {
      const text = `${numbers}: ${statusText}; no receipt within ${Math.round(waitedMs / 1000)} s. Check the phone.`
      return { state: 'skipped', text, isGivenUp: outcome?.state !== 'unconfirmed' }
    }
    onWait?.(statusText, waitedMs)
  }
}

/** What a code means to the operator who sets up the link. */
const HINTS: Partial<Record<string, string>> = {
  1340: 'The number is not in a registered 10DLC campaign. Assign it to one, and send again.',
  fault: 'A feature of the account is not enabled yet. Check the account with the provider.',
}

function hintOf(codes: ProviderCodes, code: string | null): string {
  const meaning = code === null ? null : codes.meaningOf(code)
  if (meaning === null) return ''
  const hint = HINTS[meaning]
  if (hint) return ` ${hint}`
  return typeof meaning === 'number' ? ` ${MESSAGE_ERRORS[meaning].text}.` : ''
}

const RECEIPT_POLL_MS = 500
/** Callbacks come after the message, so older ones belong to other messages. */
const OLDEST_MS = HOUR_MS

export interface AwaitedCallback {
  link: string
  /** The provider's message id. */
  messageId: string
  /** Ends the wait. One last check follows. */
  signal: AbortSignal
}

/**
 * Whether the provider has sent a callback for the test message. No stored message matches its receipt, so the process
 * that received it stores it as unmatched.
 */
export async function awaitCallback(
  { db, clock }: Pick<World, 'db' | 'clock'>,
  { link, messageId, signal }: AwaitedCallback,
): Promise<boolean> {
  for (;;) {
    const isLast = signal.aborted
    const since = new Date(clock.now().getTime() - OLDEST_MS)
    if (await takeReceiptsOf(db, { link, carrierId: messageId, since })) return true
    if (isLast) return false
    await sleep(RECEIPT_POLL_MS, undefined, { signal }).catch(() => {}) // ended: one last check
  }
}
