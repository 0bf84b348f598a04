// Sends: from a request to an accepted, durable, and paid message.

import type { AccountId } from '../../accounts/account.js'
import { Refusal } from '../../kit/contract/refusal.js'
import type { RecordTrace } from '../../kit/tracing/tracing.js'
import type { World } from '../../kit/world.js'
import { type Acceptance, type Acceptor, replayOf } from './accept-messages.js'
import type { IdempotencyKey, NewMessage } from './accept-queries.js'
import {
  type ComposeDeps,
  compose,
  composeKnown,
  isMessage,
  type SendInput,
  type SendRequest,
} from './compose-message.js'
import { SendCapacity } from './send-capacity.js'
import type { Admission, SendQuota } from './send-quota.js'

export interface SendDeps extends ComposeDeps {
  acceptor: Acceptor
  quota: Pick<SendQuota, 'admit'>
}

/**
 * `campaigns`: the campaigns that the sender's token is restricted to. Null or absent: every campaign of the
 * account.
 */
export type SendMessage = (
  accountId: AccountId,
  input: SendInput,
  once: IdempotencyKey | null,
  campaigns?: readonly string[] | null,
  /** The trace of its request. Null: it is not sampled. Absent: decided here. */
  trace?: RecordTrace | null,
) => Promise<Acceptance>

type ShownAcceptance = { id: string; isReplay: boolean; message: NewMessage | null } | Refusal

export interface SendService {
  send: SendMessage
  /** The same, with the message as accepted. It is null for a replay. */
  sendShown: (...sent: Parameters<SendMessage>) => Promise<ShownAcceptance>
  /** For callers with work to do before a send: why it would be refused now. */
  findOverload: () => Refusal | null
  /** The acceptance of each, in order. A refused message stays refused and delays nobody. */
  sendAll: (
    accountId: AccountId,
    inputs: readonly (SendInput | Refusal)[],
    onceOf: (index: number) => IdempotencyKey | null,
    campaigns?: readonly string[] | null,
  ) => Promise<Acceptance[]>
}

export function createSendService(world: World, deps: SendDeps): SendService {
  const { acceptor } = deps
  const capacity = new SendCapacity(world)

  // A message accepted before gets the same response, even if it could no longer be sent.
  const answerRefused = async (
    accountId: AccountId,
    refusal: Refusal,
    once: IdempotencyKey | null,
  ): Promise<Acceptance> =>
    (once && (await replayOf(world, accountId, once, world.clock.now()))) ?? refusal

  const sample = () => world.tracing?.startRecord() ?? null

  const sendComposed = async (
    accountId: AccountId,
    request: SendRequest,
  ): Promise<[Acceptance, NewMessage | null]> => {
    const message =
      composeKnown(world, deps, accountId, request) ??
      (await compose(world, deps, accountId, request))
    if (message instanceof Refusal) {
      return [await answerRefused(accountId, message, request.once), null]
    }
    const admitted = deps.quota.admit(accountId, 1)
    const admission = admitted instanceof Promise ? await admitted : admitted
    if (admission === null) return [await acceptor.accept(accountId, message), message]
    if (admission.refusal) {
      return [await answerRefused(accountId, admission.refusal, request.once), null]
    }
    const [acceptance] = await acceptWithin(acceptor, accountId, [message], admission)
    return [acceptance!, message]
  }

  const send: SendMessage = async (accountId, input, once, campaigns = null, trace = sample()) => {
    const request = { input, once, campaigns, now: world.clock.now(), trace }
    return (await sendComposed(accountId, request))[0]
  }

  const sendShown: SendService['sendShown'] = async (
    ...[accountId, input, once, campaigns = null, trace = sample()]
  ) => {
    const request = { input, once, campaigns, now: world.clock.now(), trace }
    const [acceptance, message] = await sendComposed(accountId, request)
    if (acceptance instanceof Refusal) return acceptance
    return { ...acceptance, message: acceptance.isReplay ? null : message }
  }

  const sendAll: SendService['sendAll'] = async (accountId, inputs, onceOf, campaigns = null) => {
    const now = world.clock.now()
    const wantedOf = (input: SendInput, i: number): SendRequest => ({
      ...{ input, once: onceOf(i), campaigns, now, trace: sample() },
    })
    const peeked = inputs.map((input, i) =>
      input instanceof Refusal ? input : composeKnown(world, deps, accountId, wantedOf(input, i)),
    )
    const messages = peeked.every((one) => one !== null)
      ? peeked
      : await Promise.all(
          peeked.map(
            (one, i) => one ?? compose(world, deps, accountId, wantedOf(inputs[i] as SendInput, i)),
          ),
        )
    const accepted = messages.filter(isMessage)
    const admission = await deps.quota.admit(accountId, accepted.length)
    const acceptances = admission
      ? await acceptWithin(acceptor, accountId, accepted, admission)
      : await acceptor.acceptAll(accountId, accepted)
    let next = 0
    const answers = messages.map((one) => (isMessage(one) ? acceptances[next++]! : one))
    // A message that the acceptor refused was looked up there.
    const isEarly = (one: Acceptance, i: number) =>
      one !== inputs[i] && (one === messages[i] || one === admission?.refusal)
    const refused = answers.flatMap((one, i) =>
      one instanceof Refusal && isEarly(one, i) && onceOf(i) ? [{ refusal: one, i }] : [],
    )
    await Promise.all(
      refused.map(async ({ refusal, i }) => {
        answers[i] = await answerRefused(accountId, refusal, onceOf(i))
      }),
    )
    return answers
  }

  return {
    findOverload: () => capacity.findOverload(),
    send: async (...sent) => capacity.findOverload() ?? capacity.hold(1, () => send(...sent)),
    sendShown: async (...sent) =>
      capacity.findOverload() ?? capacity.hold(1, () => sendShown(...sent)),
    sendAll: (...sent) => capacity.hold(sent[1].length, () => sendAll(...sent)),
  }
}

/** As many as the quota admits, in order. The rest is refused. */
async function acceptWithin(
  acceptor: Acceptor,
  accountId: AccountId,
  messages: readonly NewMessage[],
  { count, refusal, settle }: Admission,
): Promise<Acceptance[]> {
  // After a failure, they may have been written.
  let written = count
  try {
    const acceptances =
      count === 0 ? [] : await acceptor.acceptAll(accountId, messages.slice(0, count))
    written = acceptances.filter((one) => !(one instanceof Refusal || one.isReplay)).length
    return messages.map((_, i) => acceptances[i] ?? refusal!)
  } finally {
    settle(written)
  }
}

/** The ID of an accepted message. A refusal is thrown. */
export function idOrRefusal(acceptance: Acceptance): { id: string; isReplay: boolean } {
  if (acceptance instanceof Refusal) throw acceptance
  return acceptance
}
