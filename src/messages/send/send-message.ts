// Sends: from what a caller asked for to a message that is accepted, durable and paid. The checks
// come in the order that the caller is told about them.

import type { AccountId } from '../../accounts/account.js'
import { readTime } from '../../kit/contract/iso-time.js'
import { fieldRefusal, Refusal } from '../../kit/contract/refusal.js'
import type { World } from '../../kit/world.js'
import type { PriceBook, Prices } from '../../ledger/price-book.js'
import { prepareText } from '../../text/segments.js'
import type { Carrier } from '../carrier-port.js'
import { limitOf, routeOf } from '../lane.js'
import type { MessageType } from '../message.js'
import { type Acceptance, type Acceptor, type HandoffTarget, replayOf } from './accept-messages.js'
import type { NewMessage, OnceKey } from './accept-queries.js'
import type { ChooseSender } from './choose-sender.js'
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
  validitySeconds?: number
}

export interface SendDeps {
  acceptor: Acceptor
  contexts: SendingContexts
  chooseSender: ChooseSender
  carrier: Pick<Carrier, 'networkOf' | 'isAbsent'>
  prices: PriceBook
  /** Null where another process dispatches. */
  dispatcher: Pick<HandoffTarget, 'hasCapacity'> | null
}

export type SendMessage = (
  accountId: AccountId,
  input: SendInput,
  once: OnceKey | null,
) => Promise<Acceptance>

export interface SendService {
  send: SendMessage
  /** Each one's acceptance, in order. What was refused before stays refused, and holds up nobody. */
  sendAll: (
    accountId: AccountId,
    inputs: readonly (SendInput | Refusal)[],
    onceOf: (index: number) => OnceKey | null,
  ) => Promise<Acceptance[]>
}

export function createSendService(world: World, deps: SendDeps): SendService {
  const { acceptor } = deps

  const composeOne: Compose = (accountId, input, once, now) => {
    if (deps.carrier.isAbsent) throw new Refusal('carrier_absent')
    const scheduledAt =
      input.scheduledAt === undefined ? null : readSchedule(input.scheduledAt, now)
    return whenKnown(gather(deps, accountId, input), (facts) =>
      messageOf(world, deps, facts, { input, scheduledAt, now, once }),
    )
  }

  // What was accepted before is answered as before, also when it could not be sent any more.
  const refuse = async (accountId: AccountId, once: OnceKey | null, error: unknown) => {
    if (!(error instanceof Refusal)) throw error
    return (once && (await replayOf(world, accountId, once, world.clock.now()))) ?? error
  }

  // Without a promise where everything is known: most entries of a large batch.
  const composeOrRefuse = (
    accountId: AccountId,
    input: SendInput,
    once: OnceKey | null,
    now: Date,
  ): Composed | Promise<Composed> => {
    try {
      const message = composeOne(accountId, input, once, now)
      if (!(message instanceof Promise)) return message
      return message.catch((error) => refuse(accountId, once, error))
    } catch (error) {
      if (!once && error instanceof Refusal) return error
      return refuse(accountId, once, error)
    }
  }

  return {
    send: async (accountId, input, once) => {
      const composing = composeOrRefuse(accountId, input, once, world.clock.now())
      const composed = composing instanceof Promise ? await composing : composing
      return isNew(composed) ? acceptor.accept(accountId, composed) : composed
    },
    sendAll: async (accountId, inputs, onceOf) => {
      const now = world.clock.now()
      const composing = inputs.map((input, i) =>
        input instanceof Refusal ? input : composeOrRefuse(accountId, input, onceOf(i), now),
      )
      const composed = await allKnown(composing)
      const accepted = await acceptor.acceptAll(accountId, composed.filter(isNew))
      let next = 0
      return composed.map((one) => (isNew(one) ? accepted[next++]! : one))
    },
  }
}

type Compose = (
  accountId: AccountId,
  input: SendInput,
  once: OnceKey | null,
  now: Date,
) => NewMessage | Promise<NewMessage>

/** What is to be accepted, or what is answered without it. */
type Composed = NewMessage | Acceptance

function isNew(composed: Composed): composed is NewMessage {
  return 'peer' in composed
}

async function allKnown<Value>(values: (Value | Promise<Value>)[]): Promise<Value[]> {
  return values.some((value) => value instanceof Promise)
    ? Promise.all(values)
    : (values as Value[])
}

function whenKnown<Value, Result>(
  value: Value | Promise<Value>,
  use: (value: Value) => Result | Promise<Result>,
): Result | Promise<Result> {
  return value instanceof Promise ? value.then(use) : use(value)
}

/** What is looked up for a message: kept from others before it, as a rule. */
interface Facts {
  context: SendingContext
  number: string
  prices: Prices
}

function gather(
  deps: SendDeps,
  accountId: AccountId,
  { campaign, from, to }: SendInput,
): Facts | Promise<Facts> {
  const campaignId = campaign ?? campaignOfSender(deps, accountId, from)
  const context = whenKnown(campaignId, (id) => deps.contexts.get(accountId, id, from))
  return whenKnown(context, (known) =>
    whenKnown(deps.chooseSender(accountId, known, to, from), (number) =>
      whenKnown(deps.prices.of(accountId), (prices) => ({ context: known, number, prices })),
    ),
  )
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
    throw fieldRefusal('campaign', 'is required unless from names one of your numbers')
  }
  return contexts.campaignOf(accountId, from)
}

interface Wanted {
  input: SendInput
  scheduledAt: Date | null
  now: Date
  once: OnceKey | null
}

function messageOf(
  world: World,
  deps: SendDeps,
  { context, number, prices }: Facts,
  { input, scheduledAt, now, once }: Wanted,
): NewMessage {
  const mediaUrls = input.mediaUrls ?? NO_MEDIA
  const type: MessageType = mediaUrls.length > 0 ? 'MMS' : 'SMS'
  const text = prepareText(input.body, world.config.segmentCounting)
  const numSegments = type === 'MMS' ? 1 : text.segments
  const route = routeOf(deps.carrier.networkOf(input.to), type)
  // A limited lane is worked out under its lock, by whoever claims it; the open way needs no turn.
  // Media is looked at first.
  const isHandedOn =
    scheduledAt === null &&
    type === 'SMS' &&
    limitOf(route, context.limits) === null &&
    (deps.dispatcher?.hasCapacity() ?? false)
  return {
    id: '',
    campaignId: context.campaignId,
    type,
    number,
    peer: input.to,
    route,
    body: text.text,
    mediaUrls,
    metadata: input.metadata ?? NO_METADATA,
    numSegments,
    priceMicros: priceOf(prices, type, numSegments),
    automatic: null,
    scheduledAt,
    validitySeconds: input.validitySeconds ?? null,
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
