// From a send request to the message to accept, or to the refusal. The checks run in the documented order. What has to be
// looked up is usually cached from earlier messages, and then this takes no promise.

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
import type { HandoffTarget } from './accept-messages.js'
import type { DispatchPath, IdempotencyKey, NewMessage } from './accept-queries.js'
import type { SenderChoice } from './choose-sender.js'
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

export interface ComposeDeps {
  contexts: Pick<SendingContexts, 'peek' | 'get' | 'campaignOf' | 'peekCampaign'>
  senders: Pick<SenderChoice, 'peek' | 'get'>
  carrier: Pick<Carrier, 'networkOf' | 'isAbsent'>
  prices: PriceBook
  addresses: AddressBook
  /** Null if another process dispatches. */
  dispatcher: Pick<HandoffTarget, 'hasCapacity'> | null
}

/** The message to accept, or why it is refused. */
export type Composed = NewMessage | Refusal

export function isMessage(message: Composed): message is NewMessage {
  return !(message instanceof Refusal)
}

/** Everything requested for one message. */
export interface SendRequest {
  input: SendInput
  once: IdempotencyKey | null
  campaigns: readonly string[] | null
  now: Date
  trace: RecordTrace | null
}

/** Null if something has to be looked up. In that case `compose` does it. */
export function composeKnown(
  world: World,
  deps: ComposeDeps,
  accountId: AccountId,
  request: SendRequest,
): Composed | null {
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

export async function compose(
  world: World,
  deps: ComposeDeps,
  accountId: AccountId,
  request: SendRequest,
): Promise<Composed> {
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

/** Anything else is a fault and is thrown. */
function asRefusal(error: unknown): Refusal {
  if (error instanceof Refusal) return error
  throw error
}

/** Refuses what can be refused before anything is looked up. Returns the scheduled time, if given. */
function checkWanted(
  { carrier }: ComposeDeps,
  { input, campaigns, now }: SendRequest,
): Date | null {
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
  deps: ComposeDeps,
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
  deps: ComposeDeps,
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
  { contexts }: ComposeDeps,
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
  deps: ComposeDeps,
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
