// One real message from a number of the account, and what became of it by the provider's own word: it needs no service
// that runs, and is never repeated.

import { setTimeout as sleep } from 'node:timers/promises'
import { elapsedMs } from '../../kit/clock.js'
import { MESSAGE_ERRORS } from '../../messages/message-errors.js'
import { meaningOf, type ProviderName } from '../providers/provider-codes.js'
import type { ProviderDesk } from './desk.js'
import { DeskFault } from './desk-client.js'
import type { SetupStep } from './setup.js'

const LOOK_MS = 1_000

export interface TestWish {
  to: string
  from: string
  containerId: string
  /** How long its receipt is waited for. */
  waitMs: number
  /** Told now and then while it is waited for. */
  onWait?: (text: string, waitedMs: number) => void
}

type Outcome = Pick<SetupStep, 'state' | 'text'>

export async function sendTest(
  kind: ProviderName,
  link: string,
  desk: ProviderDesk,
  { to, from, containerId, waitMs, onWait }: TestWish,
): Promise<Outcome> {
  const text = `A test of the link ${link}. Reply STOP to opt out.`
  try {
    const messageId = await desk.send({ from, to, text, containerId })
    return await awaitOutcome(kind, desk, { messageId, from, to, waitMs, onWait })
  } catch (error) {
    if (!(error instanceof DeskFault)) throw error
    const isUnclear = error.kind === 'unknown'
    const more = isUnclear
      ? ' It may have gone out, and is not sent again.'
      : hintOf(kind, error.code)
    return { state: 'failed', text: `${error.message}${more}` }
  }
}

interface Sent extends Pick<TestWish, 'from' | 'to' | 'waitMs'> {
  messageId: string
  onWait: TestWish['onWait'] | undefined
}

async function awaitOutcome(kind: ProviderName, desk: ProviderDesk, sent: Sent): Promise<Outcome> {
  const { messageId, from, to, waitMs, onWait } = sent
  const way = `${from} → ${to}`
  for (const startedMs = elapsedMs(); ; await sleep(LOOK_MS)) {
    // A look that fails is followed by another: the message has gone out.
    const outcome = await desk.outcomeOf(messageId).catch((error) => {
      if (error instanceof DeskFault) return null
      throw error
    })
    const said = outcome?.text ?? 'no word yet'
    if (outcome?.state === 'delivered') return { state: 'done', text: `${way}: ${said}.` }
    if (outcome?.state === 'failed') {
      return { state: 'failed', text: `${way}: ${said}.${hintOf(kind, outcome.code)}` }
    }
    const waitedMs = elapsedMs(startedMs)
    if (outcome?.state === 'unconfirmed' || waitedMs > waitMs) {
      const text = `${way}: ${said}; no receipt within ${Math.round(waitedMs / 1000)} s. Look at the phone.`
      return { state: 'skipped', text }
    }
    onWait?.(said, waitedMs)
  }
}

/** What a code means to whoever sets the link up. */
const HINTS: Partial<Record<string, string>> = {
  1340: 'The number is in no registered 10DLC campaign there: assign it, and send again.',
  fault: 'Something of the account is not open yet: its pages say what.',
}

function hintOf(kind: ProviderName, code: string | null): string {
  const meaning = code === null ? null : meaningOf(kind, code)
  if (meaning === null) return ''
  const known = HINTS[meaning]
  if (known) return ` ${known}`
  return typeof meaning === 'number' ? ` ${MESSAGE_ERRORS[meaning].text}.` : ''
}
