// Sends: from what a caller asked for to a message that is accepted, durable and paid. The checks
// come in the order that the caller is told about them.

import type { AccountId } from '../accounts/account.js'
import { fieldRefusal, Refusal } from '../kit/refusal.js'
import type { World } from '../kit/world.js'
import type { PriceBook, Prices } from '../ledger/price-book.js'
import { prepareText } from '../text/segments.js'
import { type Acceptance, type Acceptor, replayOf } from './accept-messages.js'
import type { Draft, OnceKey } from './accept-queries.js'
import type { Carrier } from './carrier-port.js'
import type { ChooseSender } from './choose-sender.js'
import type { Dispatcher } from './dispatch-messages.js'
import { readTime } from './iso-time.js'
import { limitOf, routeOf } from './lane.js'
import type { MessageType } from './message.js'
import type { SendingContext, SendingContexts } from './sending-context.js'

const SCHEDULE_MS_MAX = 35 * 24 * 60 * 60 * 1000
const NO_METADATA = Object.freeze({})
const NO_MEDIA = Object.freeze([])

export interface SendInput {
  campaign?: string
  body: string
  to: string
  from?: string
  mediaUrls?: readonly string[]
  metadata?: Readonly<Record<string, string>>
  scheduledAt?: string
}

export interface SendParts {
  acceptor: Acceptor
  contexts: SendingContexts
  chooseSender: ChooseSender
  carrier: Pick<Carrier, 'networkOf'>
  prices: PriceBook
  /** Null where another process dispatches. */
  dispatcher: Pick<Dispatcher, 'hasRoom'> | null
}

export type SendMessage = (
  accountId: AccountId,
  input: SendInput,
  once: OnceKey | null,
) => Promise<Acceptance>

export function createSendMessage(world: World, parts: SendParts): SendMessage {
  const sendNew: SendMessage = async (accountId, input, once) => {
    const now = world.clock.now()
    const scheduledAt =
      input.scheduledAt === undefined ? null : readSchedule(input.scheduledAt, now)
    const campaignId = input.campaign ?? (await campaignOfSender(parts, accountId, input.from))
    const kept = parts.contexts.get(accountId, campaignId, input.from)
    const context = kept instanceof Promise ? await kept : kept
    const chosen = parts.chooseSender(accountId, context, input.to, input.from)
    const number = typeof chosen === 'string' ? chosen : await chosen
    const known = parts.prices.of(accountId)
    const prices = known instanceof Promise ? await known : known
    const given = { input, context, number, prices, scheduledAt, now, once }
    const draft = compose(world, parts, given)
    return parts.acceptor.accept(accountId, draft)
  }

  const sendOnce = async (accountId: AccountId, input: SendInput, once: OnceKey) => {
    try {
      return await sendNew(accountId, input, once)
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      // What was accepted before is answered as before, also when it could not be sent any more.
      return (await replayOf(world, accountId, once, world.clock.now())) ?? error
    }
  }

  return (accountId, input, once) =>
    once ? sendOnce(accountId, input, once) : sendNew(accountId, input, null)
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
  { contexts }: SendParts,
  accountId: AccountId,
  from: string | undefined,
): Promise<string> {
  if (from === undefined) {
    throw fieldRefusal('campaign', 'is required unless from names one of your numbers')
  }
  return contexts.campaignOf(accountId, from)
}

interface Composition {
  input: SendInput
  context: SendingContext
  number: string
  prices: Prices
  scheduledAt: Date | null
  now: Date
  once: OnceKey | null
}

function compose(world: World, parts: SendParts, given: Composition): Draft {
  const { input, context, scheduledAt, now, once } = given
  const mediaUrls = input.mediaUrls ?? NO_MEDIA
  const type: MessageType = mediaUrls.length > 0 ? 'MMS' : 'SMS'
  const text = prepareText(input.body, world.config.segmentCounting)
  const numSegments = type === 'MMS' ? 1 : text.segments
  const route = routeOf(parts.carrier.networkOf(input.to), type)
  // A limited lane is worked out under its lock, by whoever claims it; the open way needs no turn.
  // Media is looked at first.
  const isHandedOn =
    scheduledAt === null &&
    type === 'SMS' &&
    limitOf(route, context.limits) === null &&
    (parts.dispatcher?.hasRoom() ?? false)
  return {
    campaignId: context.campaignId,
    type,
    number: given.number,
    peer: input.to,
    route,
    body: text.text,
    mediaUrls,
    metadata: input.metadata ?? NO_METADATA,
    numSegments,
    priceMicros: priceOf(given.prices, type, numSegments),
    isReply: false,
    scheduledAt,
    dueAt: scheduledAt ?? (isHandedOn ? null : now),
    once,
  }
}

export function priceOf(
  { smsPriceMicros, mmsPriceMicros }: Prices,
  type: MessageType,
  segments: number,
): bigint {
  return type === 'MMS' ? mmsPriceMicros : smsPriceMicros * BigInt(segments)
}

/** The id of an accepted message; a refusal is thrown. */
export function idOrRefusal(acceptance: Acceptance): { id: string; isReplay: boolean } {
  if (acceptance instanceof Refusal) throw acceptance
  return acceptance
}
