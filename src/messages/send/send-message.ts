// Sends: from a request to an accepted, durable, and paid message. The checks run in the documented order.

import type { AccountId } from '../../accounts/account.js'
import { DAY_MS } from '../../kit/clock.js'
import { readTime } from '../../kit/contract/iso-time.js'
import { fieldRefusal, Refusal } from '../../kit/contract/refusal.js'
import type { RecordTrace } from '../../kit/tracing/tracing.js'
import type { World } from '../../kit/world.js'
import type { PriceBook, Prices } from '../../ledger/price-book.js'
import { prepareText } from '../../text/segments.js'
import type { Carrier } from '../carrier-port.js'
import { limitOf, routeOf } from '../lane.js'
import type { AddressBook } from '../media/address-book.js'
import type { SealedAddresses } from '../media/sealed-address.js'
import { findUploadProblem } from '../media/uploads.js'
import type { MessageType, OutboundMessage } from '../message.js'
import { type Acceptance, type Acceptor, type HandoffTarget, replayOf } from './accept-messages.js'
import type { DispatchPath, IdempotencyKey, NewMessage } from './accept-queries.js'
import type { SenderChoice } from './choose-sender.js'
import { SendCapacity } from './send-capacity.js'
import type { Admission, SendQuota } from './send-quota.js'
import type { SendingContext, SendingContexts } from './sending-context.js'

const SCHEDULE_MS_MAX = 35 * DAY_MS
const NO_METADATA = Object.freeze({})
const NO_MEDIA = Object.freeze([])
const HANDOFF: DispatchPath = Object.freeze({ kind: 'handoff' })

/** The body of a send request. */
export interface SendInput
  extends Pick<OutboundMessage, 'body' | 'to'>,
    Partial<Pick<OutboundMessage, 'from' | 'mediaUrls'>> {
  campaign?: string
  metadata?: Readonly<Record<string, string>>
  scheduledAt?: string
  validitySeconds?: number
}

export interface SendDeps {
  acceptor: Acceptor
  contexts: Pick<SendingContexts, 'peek' | 'get' | 'campaignOf' | 'peekCampaign'>
  senders: Pick<SenderChoice, 'peek' | 'get'>
  carrier: Pick<Carrier, 'networkOf' | 'isAbsent'>
  prices: PriceBook
  quota: Pick<SendQuota, 'admit'>
  addresses: AddressBook
  /** Null if another process dispatches. */
  dispatcher: Pick<HandoffTarget, 'hasCapacity'> | null
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

  /** Null if something has to be looked up. In that case `compose` does it. */
  const composeKnown = (accountId: AccountId, request: SendRequest): Composed | null => {
    try {
      const scheduledAt = checkWanted(deps, request)
      if (hasMedia(request)) {
        const addresses = deps.addresses.peek()
        if (!addresses) return null
        checkUploads(addresses, accountId, request, scheduledAt)
      }
      const facts = peekFacts(deps, accountId, request)
      return facts && messageOf(world, deps, facts, request, scheduledAt)
    } catch (error) {
      return asRefusal(error)
    }
  }

  const compose = async (accountId: AccountId, request: SendRequest): Promise<Composed> => {
    try {
      const scheduledAt = checkWanted(deps, request)
      if (hasMedia(request)) {
        checkUploads(await deps.addresses.open(), accountId, request, scheduledAt)
      }
      const facts = await getFacts(deps, accountId, request)
      return messageOf(world, deps, facts, request, scheduledAt)
    } catch (error) {
      return asRefusal(error)
    }
  }

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
    const message = composeKnown(accountId, request) ?? (await compose(accountId, request))
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
      input instanceof Refusal ? input : composeKnown(accountId, wantedOf(input, i)),
    )
    const messages = peeked.every((one) => one !== null)
      ? peeked
      : await Promise.all(
          peeked.map((one, i) => one ?? compose(accountId, wantedOf(inputs[i] as SendInput, i))),
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

/** The message to accept, or why it is refused. */
type Composed = NewMessage | Refusal

function isMessage(message: Composed): message is NewMessage {
  return !(message instanceof Refusal)
}

/** Anything else is a fault and is thrown. */
function asRefusal(error: unknown): Refusal {
  if (error instanceof Refusal) return error
  throw error
}

/** Everything requested for one message. */
interface SendRequest {
  input: SendInput
  once: IdempotencyKey | null
  campaigns: readonly string[] | null
  now: Date
  trace: RecordTrace | null
}

/** Refuses what can be refused before anything is looked up. Returns the scheduled time, if given. */
function checkWanted({ carrier }: SendDeps, { input, campaigns, now }: SendRequest): Date | null {
  const { scheduledAt, campaign } = input
  if (campaign !== undefined) checkAllowed(campaign, campaigns)
  if (carrier.isAbsent) throw new Refusal('carrier_absent')
  return scheduledAt === undefined ? null : readSchedule(scheduledAt, now)
}

/** For a restricted token, other campaigns do not exist. */
function checkAllowed(campaign: string, campaigns: readonly string[] | null): void {
  if (campaigns && !campaigns.includes(campaign)) throw new Refusal('campaign_missing')
}

function hasMedia({ input: { mediaUrls } }: SendRequest): boolean {
  return mediaUrls !== undefined && mediaUrls.length > 0
}

function checkUploads(
  addresses: SealedAddresses,
  accountId: AccountId,
  { input: { mediaUrls = NO_MEDIA }, now }: SendRequest,
  scheduledAt: Date | null,
): void {
  const problem = findUploadProblem(addresses, accountId, mediaUrls, { now, scheduledAt })
  if (problem) throw problem
}

/** What is looked up for a message. Usually cached from earlier messages. */
interface Facts {
  context: SendingContext
  from: string
  prices: Prices
}

/** Without a promise if all of it is known: most sends, and most entries of a large batch. */
function peekFacts(
  deps: SendDeps,
  accountId: AccountId,
  { input: { campaign, from }, campaigns }: SendRequest,
): Facts | null {
  const campaignId =
    campaign ?? (from === undefined ? from : deps.contexts.peekCampaign(accountId, from))
  if (campaignId === undefined) return null
  checkAllowed(campaignId, campaigns)
  const context = deps.contexts.peek(accountId, campaignId, from)
  const sender = context && deps.senders.peek(context, from)
  const prices = sender && deps.prices.peek(accountId)
  return prices ? { context: context!, from: sender!, prices } : null
}

async function getFacts(
  deps: SendDeps,
  accountId: AccountId,
  { input: { campaign, from, to }, campaigns }: SendRequest,
): Promise<Facts> {
  const campaignId = campaign ?? (await campaignOfSender(deps, accountId, from))
  checkAllowed(campaignId, campaigns)
  const context = await deps.contexts.get(accountId, campaignId, from)
  const sender = await deps.senders.get(accountId, context, to, from)
  return { context, from: sender, prices: await deps.prices.get(accountId) }
}

function readSchedule(text: string, now: Date): Date {
  const at = readTime('scheduledAt', text)
  if (at <= now) throw fieldRefusal('scheduledAt', 'must be in the future')
  if (at.getTime() > now.getTime() + SCHEDULE_MS_MAX) {
    throw fieldRefusal('scheduledAt', 'must be at most 35 days ahead')
  }
  return at
}

async function campaignOfSender(
  { contexts }: SendDeps,
  accountId: AccountId,
  from: string | undefined,
): Promise<string> {
  if (from === undefined) {
    throw fieldRefusal('campaign', 'is required unless from is one of your numbers')
  }
  return contexts.campaignOf(accountId, from)
}

function messageOf(
  world: World,
  deps: SendDeps,
  { context, from, prices }: Facts,
  { input, now, once, trace }: SendRequest,
  scheduledAt: Date | null,
): NewMessage {
  const mediaUrls = input.mediaUrls ?? NO_MEDIA
  const type: MessageType = mediaUrls.length > 0 ? 'MMS' : 'SMS'
  const text = prepareText(input.body, world.config.segmentCounting)
  const numSegments = type === 'MMS' ? 1 : text.segments
  const route = routeOf(deps.carrier.networkOf(input.to), type)
  // A limited lane is computed under its lock, by a claim. The unlimited path needs no claim. Media is checked
  // first.
  const isHandoff =
    scheduledAt === null &&
    type === 'SMS' &&
    limitOf(route, context.limits) === null &&
    !context.pending?.has(from) &&
    (deps.dispatcher?.hasCapacity() ?? false)
  const message: NewMessage = {
    campaignId: context.campaignId,
    type,
    from,
    to: input.to,
    route,
    body: text.text,
    mediaUrls,
    metadata: input.metadata ?? NO_METADATA,
    numSegments,
    priceMicros: priceOf(prices, type, numSegments),
    automatic: null,
    scheduledAt,
    validitySeconds: input.validitySeconds ?? null,
    path: isHandoff ? HANDOFF : { kind: 'queue', dueAt: scheduledAt ?? now },
    once,
  }
  if (trace) message.trace = trace
  return message
}

export function priceOf(
  { smsPriceMicros, mmsPriceMicros }: Prices,
  type: MessageType,
  segments: number,
): bigint {
  return type === 'MMS' ? mmsPriceMicros : smsPriceMicros * BigInt(segments)
}

/** The ID of an accepted message. A refusal is thrown. */
export function idOrRefusal(acceptance: Acceptance): { id: string; isReplay: boolean } {
  if (acceptance instanceof Refusal) throw acceptance
  return acceptance
}
