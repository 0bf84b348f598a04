// Outcomes that nobody knows: the bytes left, or may have, and no answer came. A receipt or a late answer settles
// most of them in time. For the rest the carrier is asked where it can be; then the link's setting decides:
// sent again, at the risk of a second text, or taken as sent.

import type { AccountId } from '../../accounts/account.js'
import { SetAside } from '../../kit/set-aside.js'
import type { Loop } from '../../kit/worker-loop.js'
import type { World } from '../../kit/world.js'
import type { Carrier, LateAnswer, SubmitAnswer } from '../carrier-port.js'
import { LEASE_MS } from '../lane.js'
import type { MoveRecorder } from '../moves/move-recorder.js'
import { encodeEntry } from '../timeline.js'
import { isExpired } from './expiry.js'
import { recordFinal } from './record-answers.js'
import { delayAfterMs } from './retry-delay.js'
import {
  findUnsettled,
  requeueUnsettled,
  settleLater,
  takeUnsettled,
  type UnsettledMessage,
} from './settle-queries.js'
import { submissionOf } from './submit-messages.js'
import { policyOf } from './unknown-policy.js'

const PORTION = 50
const QUERY_MS_MAX = 30_000
const ASK_AGAIN_MS = 30_000

export interface SettleDeps {
  carrier: Carrier
  recorder: MoveRecorder
}

export function settleLoop(world: World, deps: SettleDeps): Loop {
  const { db, clock, log } = world
  const onError = (error: unknown) => log.error({ err: error }, 'settling unknown outcomes failed')
  const aside = new SetAside(onError)
  const settleOf = async (accountId: AccountId, ids: string[], now: Date) => {
    const leaseUntil = new Date(now.getTime() + LEASE_MS)
    const unsettled = await takeUnsettled(db, accountId, ids, { now, leaseUntil })
    await Promise.all(unsettled.map((message) => settle(world, deps, message)))
    return unsettled.length
  }
  return {
    name: 'settle',
    hints: ['clock'],
    idleMs: 1_000,
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
          aside.attempt(accountId, () => settleOf(accountId, ids, now)),
        ),
      )
      return counts.reduce<number>((sum, count) => sum + (count ?? 0), 0)
    },
  }
}

async function settle(world: World, deps: SettleDeps, message: UnsettledMessage): Promise<void> {
  const { db, clock } = world
  const answer = await ask(deps.carrier, message)
  const now = clock.now()
  const mayWait = !isExpired(message, now)
  if (answer?.kind === 'sent' || answer?.kind === 'failed') {
    await recordFinal(world, deps.recorder, message, answer)
  } else if (answer?.kind === 'slow_down') {
    // Not taken: where its validity has passed, whoever claims it gives it up.
    await requeueRefused(world, message, answer.retryAfterMs)
  } else if (answer?.kind === 'down' && mayWait) {
    await settleLater(db, message, new Date(now.getTime() + ASK_AGAIN_MS))
  } else if (mayWait && policyOf(deps.carrier, message.unknownLink).mayRepeat) {
    await requeueUnsettled(db, message, { dueAt: now, entry: encodeEntry(now, 'repeated') })
    world.hints.notify('messages')
  } else {
    await deps.recorder.move(message.accountId, {
      messageId: message.id,
      target: 'SENT',
      errorCode: null,
      entry: encodeEntry(now, 'settled'),
    })
  }
}

async function ask(carrier: Carrier, message: UnsettledMessage): Promise<SubmitAnswer | null> {
  if (!carrier.query) return null
  let timer: NodeJS.Timeout | undefined
  const silence = new Promise<null>((resolve) => {
    timer = setTimeout(resolve, QUERY_MS_MAX, null)
  })
  const { unknownLink } = message
  const asked = carrier.query(submissionOf(message), unknownLink).catch(() => null)
  return Promise.race([asked, silence]).finally(() => clearTimeout(timer))
}

/** Known not to have been taken: an attempt like any other. */
async function requeueRefused(
  { db, clock, hints }: World,
  message: Pick<UnsettledMessage, 'accountId' | 'id' | 'attempts'>,
  retryAfterMs?: number,
): Promise<void> {
  const now = clock.now()
  const delayMs = delayAfterMs(Math.max(1, message.attempts), retryAfterMs)
  const entry = encodeEntry(now, 'refused', `${(delayMs / 1000).toFixed(1)} s`)
  await requeueUnsettled(db, message, { dueAt: new Date(now.getTime() + delayMs), entry })
  hints.notify('messages')
}

/** What the link answered after all. Resolves when it is durable. */
export async function takeLateAnswer(
  world: World,
  recorder: MoveRecorder,
  { accountId, messageId, answer }: LateAnswer,
): Promise<void> {
  const message = { accountId, id: messageId, attempts: 1 }
  if (answer.kind === 'slow_down') await requeueRefused(world, message, answer.retryAfterMs)
  else await recordFinal(world, recorder, message, answer, 'late')
}
