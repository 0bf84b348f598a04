// Settles unknown outcomes: bytes left, or may have, and no response came. A receipt or a late response settles
// most of them. For the rest, receipts with unknown IDs are matched, then the carrier is queried if possible.
// Without evidence, the link's setting decides: sent again if its receipts usually arrive, or counted as sent and
// refunded.

import type { AccountId } from '../../accounts/account.js'
import { KeyedBackoff } from '../../kit/keyed-backoff.js'
import type { Loop } from '../../kit/worker-loop.js'
import type { World } from '../../kit/world.js'
import type {
  CarrierIdentity,
  LateAnswer,
  LifecyclePort,
  Listed,
  QueryPort,
  SubmitAnswer,
} from '../carrier-port.js'
import { mayBeAbout } from '../evidence/fit-receipt.js'
import type { LinkEvidence } from '../evidence/link-evidence.js'
import { LEASE_MS } from '../lane.js'
import type { MoveRecorder } from '../moves/move-recorder.js'
import type { WaitingReceipt } from '../moves/receipt-queries.js'
import type { ReceiptReceiver } from '../moves/receive-receipts.js'
import { receiveBetween } from '../moves/waiting-receipts.js'
import { encodeEntry, REFUNDED } from '../timeline.js'
import { isExpired } from './expiry.js'
import { recordFinal } from './record-answers.js'
import { delayAfterMs } from './retry-delay.js'
import { findListed } from './settle-listed.js'
import {
  findStillUnsettled,
  findUnsettled,
  findUsecases,
  requeueUnsettled,
  settleLater,
  takeUnsettled,
  type UnsettledMessage,
} from './settle-queries.js'
import { submissionOf } from './submit-messages.js'
import { mayRepeat, policyOf } from './unknown-policy.js'

const PORTION = 50
const QUERY_MS_MAX = 30_000
const ASK_AGAIN_MS = 30_000

export interface SettleDeps {
  carrier: CarrierIdentity & QueryPort & Pick<LifecyclePort, 'links'>
  recorder: MoveRecorder
  receipts: Pick<ReceiptReceiver, 'receiveLate'>
  evidence: LinkEvidence
}

export function settleLoop(world: World, deps: SettleDeps): Loop {
  const { db, clock, log } = world
  const onError = (error: unknown) => log.error({ err: error }, 'settling unknown outcomes failed')
  const aside = new KeyedBackoff(onError)
  return {
    name: 'settle',
    hints: ['clock'],
    idleMs: () => world.hints.pollMs(1_000, 'dispatch'),
    onError,
    step: async () => {
      const now = clock.now()
      const idsByAccount = new Map<AccountId, string[]>()
      for (const { accountId, id } of await findUnsettled(db, now, PORTION)) {
        const ids = idsByAccount.get(accountId)
        if (ids) ids.push(id)
        else idsByAccount.set(accountId, [id])
      }
      const counts = await Promise.all(
        [...idsByAccount].map(([accountId, ids]) =>
          aside.attempt(accountId, () => settleOf(world, deps, accountId, ids, now)),
        ),
      )
      return counts.reduce<number>((sum, count) => sum + (count ?? 0), 0)
    },
  }
}

/** What is known about a group of one account's messages. */
interface Known {
  /** Receipts that match several of them. */
  ambiguous: readonly WaitingReceipt[]
  usecases: ReadonlyMap<string, string>
}

async function settleOf(
  world: World,
  deps: SettleDeps,
  accountId: AccountId,
  ids: string[],
  now: Date,
): Promise<number> {
  const { db } = world
  const leaseUntil = new Date(now.getTime() + LEASE_MS)
  const taken = await takeUnsettled(db, accountId, ids, { now, leaseUntil })
  if (taken.length === 0) return 0
  const { received, left: ambiguous } = await receiveBetween(db, deps.receipts, taken)
  const still = received === 0 ? null : await findStillUnsettled(db, accountId, ids)
  const unsettled = still ? taken.filter(({ id }) => still.has(id)) : taken
  const campaigns = new Set(unsettled.map(({ campaignId }) => campaignId))
  const facts = { ambiguous, usecases: await findUsecases(db, accountId, [...campaigns]) }
  // One after another between the same numbers, because each listed message belongs to one message only.
  const byNumbers = new Map<string, UnsettledMessage[]>()
  for (const message of unsettled) {
    const key = `${message.from} ${message.to}`
    byNumbers.set(key, [...(byNumbers.get(key) ?? []), message])
  }
  await Promise.all(
    [...byNumbers.values()].map(async (messages) => {
      for (const message of messages) await settle(world, deps, message, facts)
    }),
  )
  return taken.length
}

async function settle(
  world: World,
  deps: SettleDeps,
  message: UnsettledMessage,
  facts: Known,
): Promise<void> {
  const { db, clock } = world
  const reply = await ask(deps.carrier, message)
  const answer = reply?.kind === 'listed' ? await findListed(world, message, reply) : reply
  const now = clock.now()
  const mayWait = !isExpired(message, now)
  if (answer?.kind === 'sent' || answer?.kind === 'failed') {
    await recordFinal(world, deps.recorder, message, answer)
  } else if (answer?.kind === 'slow_down') {
    // Not accepted. If its validity has ended, the next claim expires it.
    await requeueRefused(world, message, answer.retryAfterMs)
  } else if (answer?.kind === 'absent') {
    await resend(world, deps, message, { dueAt: now, entry: encodeEntry(now, 'absent') })
  } else if (answer?.kind === 'down' && mayWait) {
    await settleLater(db, message, new Date(now.getTime() + ASK_AGAIN_MS))
  } else if (mayWait && (await mayResend(deps, message, facts))) {
    const entry = encodeEntry(now, 'repeated')
    await resend(world, deps, message, { dueAt: now, unprovenAt: now, entry })
  } else {
    await settleWithoutEvidence(deps, message, now)
  }
}

/** Only if a receipt would have come if the carrier had the message. */
async function mayResend(
  { carrier, evidence }: SettleDeps,
  message: UnsettledMessage,
  { ambiguous, usecases }: Known,
): Promise<boolean> {
  const { unknownLink, campaignId } = message
  if (!mayRepeat(policyOf(carrier, unknownLink), usecases.get(campaignId))) return false
  if (carrier.isSimulated) return true
  const isMaybeReceipted = ambiguous.some(({ receipt, receivedAt }) => {
    const clue = receipt.clue?.() ?? null
    return clue !== null && mayBeAbout({ link: receipt.link, clue, receivedAt }, message)
  })
  if (isMaybeReceipted) return false
  const current = carrier.links?.().map(({ link }) => link) ?? [carrier.name]
  const links = unknownLink === null ? current : [unknownLink]
  for (const link of links) if (!(await evidence.isReceipted(link))) return false
  return true
}

async function resend(
  world: World,
  { evidence }: SettleDeps,
  message: UnsettledMessage,
  how: { dueAt: Date; unprovenAt?: Date; entry: string },
): Promise<void> {
  if (!(await requeueUnsettled(world.db, message, how))) return
  evidence.count(message.unknownLink, 'resent')
  world.hints.notify('messages', [message.accountId])
}

/** Customers do not pay for a message that may never have arrived. A later receipt charges it. */
async function settleWithoutEvidence(
  { recorder, evidence }: SettleDeps,
  { accountId, id, unknownLink }: UnsettledMessage,
  now: Date,
): Promise<void> {
  const outcome = await recorder.move(accountId, {
    messageId: id,
    target: 'SENT',
    errorCode: null,
    isUnproven: true,
    unprovenAt: now,
    entry: encodeEntry(now, 'settled', REFUNDED),
  })
  if (outcome === 'moved') evidence.count(unknownLink, 'refunded')
}

async function ask(
  carrier: QueryPort,
  message: UnsettledMessage,
): Promise<SubmitAnswer | Listed | null> {
  if (!carrier.query) return null
  let timer: NodeJS.Timeout | undefined
  const silence = new Promise<null>((resolve) => {
    timer = setTimeout(resolve, QUERY_MS_MAX, null)
  })
  const { unknownLink, createdAt } = message
  const query = carrier.query(submissionOf(message), unknownLink, createdAt).catch(() => null)
  return Promise.race([query, silence]).finally(() => clearTimeout(timer))
}

/** Known as not accepted: an attempt like any other. */
async function requeueRefused(
  { db, clock, hints }: World,
  message: Pick<UnsettledMessage, 'accountId' | 'id' | 'attempts'>,
  retryAfterMs?: number,
): Promise<void> {
  const now = clock.now()
  const delayMs = delayAfterMs(Math.max(1, message.attempts), retryAfterMs)
  const entry = encodeEntry(now, 'refused', `${(delayMs / 1000).toFixed(1)} s`)
  await requeueUnsettled(db, message, { dueAt: new Date(now.getTime() + delayMs), entry })
  hints.notify('messages', [message.accountId])
}

/** The link's late response. Resolves when it is durable. */
export async function takeLateAnswer(
  world: World,
  recorder: MoveRecorder,
  { accountId, id: messageId, answer }: LateAnswer,
): Promise<void> {
  const message = { accountId, id: messageId, attempts: 1 }
  if (answer.kind === 'slow_down') await requeueRefused(world, message, answer.retryAfterMs)
  else await recordFinal(world, recorder, message, answer, 'late')
}
