// Receives inbound messages: finds the campaign by the number, stores the message, appends its event, and acts on
// keywords, all in one transaction. Keyword replies are ordinary outbound messages, free of charge.

import { randomBytes } from 'node:crypto'
import type { Campaign } from '../../campaigns/campaign.js'
import { keywordsOf } from '../../campaigns/campaign.js'
import { getCampaign } from '../../campaigns/campaign-queries.js'
import { appendEvent } from '../../events/append-events.js'
import { newId } from '../../kit/ids.js'
import type { Transaction } from '../../kit/postgres/db.js'
import type { World } from '../../kit/world.js'
import type { NumberRecord } from '../../numbers/number.js'
import { findNumber } from '../../numbers/number-queries.js'
import { appendOptout, type OptoutMatch, optIn, recordOptout } from '../../optouts/opt-out.js'
import type { Optout } from '../../optouts/optout.js'
import { findOptout } from '../../optouts/optout-queries.js'
import {
  KEYWORD_NAMES,
  type KeywordKind,
  type KeywordName,
  matchKeyword,
} from '../../text/keywords.js'
import { isRefusal, warmUp } from '../../text/refusals.js'
import { measureText, prepareText, withoutBrokenUnits } from '../../text/segments.js'
import type { Inbound, Network, RoutePort } from '../carrier-port.js'
import { routeOf } from '../lane.js'
import { insertFetches, type MediaFetch } from '../media/fetch-queries.js'
import { MEDIA_COUNT_MAX } from '../media.js'
import { insertAccepted, type NewMessage } from '../send/accept-queries.js'
import { addPart, type WholeInbound } from './assemble-parts.js'
import { insertInbound, type NewInbound } from './inbound-queries.js'
import { RedeliveryTracker } from './redelivery-tracker.js'
import { findRepeated, insertInboundId, keyOf, lockInbound } from './repeat-queries.js'

/** How many characters of an opt-out text are stored. Whole characters, or PostgreSQL would refuse the text. */
const KEYWORD_MAX = 100

/** Puts a reply into the inbox, in the transaction that stores it. */
export type NoteReply = (tx: Transaction, reply: NewInbound) => Promise<void>

export interface ReceiveDeps {
  carrier: Pick<RoutePort, 'networkOf'>
  noteReply: NoteReply
}

/** Runs the work in a transaction. */
type Run = (work: (tx: Transaction) => Promise<string | null>) => Promise<string | null>

export interface InboundReceiver {
  /** The ID of the message. Null if no account owns the number, or parts are still missing. */
  receive: (inbound: Inbound, run?: Run) => Promise<string | null>
  /** The same in the caller's transaction, for a complete message without media. */
  receiveIn: (tx: Transaction, inbound: WholeInbound) => Promise<string | null>
}

export function createReceiver(world: World, deps: ReceiveDeps): InboundReceiver {
  warmUp()
  const askedAgain = new RedeliveryTracker()
  const keep = async (tx: Transaction, inbound: WholeInbound): Promise<string | null> => {
    const number = await findNumber(tx, inbound.to)
    if (!number) {
      world.log.warn('inbound message to a number that no account owns')
      return null
    }
    const network = inbound.network ?? deps.carrier.networkOf(inbound.from)
    const files = filesOf(inbound)
    const mediaUrls = files.map(({ id }) => `${world.config.publicUrl}/media/${id}`)
    const message = messageOf(world, number, { ...inbound, mediaUrls }, network)
    const { accountId, id: messageId, now } = message
    await insertInbound(tx, message)
    const fetches = files.map((file) => ({ ...file, accountId, messageId }))
    await insertFetches(tx, fetches, now)
    await actOn(world, tx, { message, handledAs: inbound.handledAs ?? null }, deps)
    return message.id
  }

  return {
    receiveIn: keep,
    receive: async (inbound, run = world.db.transaction) => {
      const begunAt = world.clock.now()
      const askedAgainSince = askedAgain.since(inbound)
      const work = (tx: Transaction) =>
        once(tx, inbound, { now: world.clock.now(), askedAgainSince }, () =>
          inbound.part
            ? addPart(tx, inbound, inbound.part, world.clock.now(), keep)
            : keep(tx, inbound),
        )
      const id = await run(work).catch((error) => {
        askedAgain.noteFailure(inbound, begunAt)
        throw error
      })
      askedAgain.noteKept(inbound)
      world.hints.notify('deliveries')
      world.hints.notify('messages')
      world.hints.notify('media')
      return id
    },
  }
}

/** A redelivery is the message that arrived first. */
async function once(
  tx: Transaction,
  inbound: Inbound,
  at: { now: Date; askedAgainSince: Date | null },
  receive: () => Promise<string | null>,
): Promise<string | null> {
  const key = keyOf(inbound)
  if (key === null) return receive()
  await lockInbound(tx, key)
  const repeated = await findRepeated(tx, key, at)
  if (repeated && !(await isOptOutReverted(tx, inbound))) return repeated.messageId
  const id = await receive()
  await insertInboundId(tx, key, id, at.now)
  return id
}

/**
 * If a carrier gives no IDs, a STOP after STOP and START looks like a redelivery of the first one. No STOP may be
 * ignored, so it counts unless the phone is already opted out.
 */
async function isOptOutReverted(tx: Transaction, inbound: Inbound): Promise<boolean> {
  const { from, to, body, part, connection = '' } = inbound
  const number = part || connection === '' ? null : await findNumber(tx, to)
  if (!number) return false
  const { accountId, campaignId } = number
  const { kind } = readReply(body, await getCampaign(tx, accountId, campaignId), null)
  return kind === 'optout' && (await findOptout(tx, accountId, campaignId, from)) === null
}

function messageOf(
  { clock, config }: World,
  number: NumberRecord,
  inbound: WholeInbound,
  network: Network | null,
): NewInbound {
  const now = clock.now()
  const { mediaUrls } = inbound
  const isMms = mediaUrls.length > 0
  const body = withoutBrokenUnits(inbound.body)
  return {
    accountId: number.accountId,
    id: newId('msg', now),
    campaignId: number.campaignId,
    number: inbound.to,
    peer: inbound.from,
    route: routeOf(network, isMms ? 'MMS' : 'SMS'),
    body,
    mediaUrls,
    numSegments: isMms ? 1 : measureText(body, config.segmentCounting).segments,
    now,
  }
}

async function actOn(
  world: World,
  tx: Transaction,
  { message, handledAs }: { message: NewInbound; handledAs: KeywordName | null },
  { carrier, noteReply }: ReceiveDeps,
): Promise<void> {
  const campaign = await getCampaign(tx, message.accountId, message.campaignId)
  const { kind, match, isSuspected } = readReply(message.body, campaign, handledAs)
  const optout = kind === 'optout' ? optoutOf(message) : null
  const isNew = kind !== null && (await applyKeyword(tx, message, kind, optout))
  const wantsReply = isNew && handledAs === null
  const replyId = wantsReply
    ? await insertReply(world, tx, message, replyOf(campaign, kind), carrier)
    : null
  const keyword = kind && KEYWORD_NAMES[kind]
  await appendEvent(tx, {
    accountId: message.accountId,
    eventType: 'message.incoming',
    campaignId: message.campaignId,
    number: message.number,
    messageId: message.id,
    status: 'DELIVERED',
    data: { keyword, match, replyId, optoutSuspected: isSuspected },
    now: message.now,
  })
  // After the message that caused it, because receivers of both expect this order.
  if (optout && isNew) await appendOptout(tx, message.accountId, optout, match)
  // What the service handled itself needs nobody: a large send would fill the inbox with it.
  if (kind === null) await noteReply(tx, message)
}

interface ReadReply {
  kind: KeywordKind | null
  /** How the recipient opted out: by keyword or in free text. */
  match: OptoutMatch
  /** The text looks like an opt-out, but the campaign does not act on free text. */
  isSuspected: boolean
}

/** The carrier's own action comes first, then the campaign's keywords. Free text can only opt out. */
function readReply(body: string, campaign: Campaign, handledAs: KeywordName | null): ReadReply {
  if (handledAs !== null) return { kind: kindOf(handledAs), match: 'exact', isSuspected: false }
  const kind = matchKeyword(body, keywordsOf(campaign))
  if (kind !== null) return { kind, match: 'exact', isSuspected: false }
  if (!isRefusal(body)) return { kind: null, match: null, isSuspected: false }
  if (!campaign.actsOnNearOptout) return { kind: null, match: null, isSuspected: true }
  return { kind: 'optout', match: 'near', isSuspected: false }
}

function kindOf(name: KeywordName): KeywordKind {
  const kinds = Object.keys(KEYWORD_NAMES) as KeywordKind[]
  return kinds.find((kind) => KEYWORD_NAMES[kind] === name)!
}

function optoutOf(message: NewInbound): Optout {
  return {
    campaignId: message.campaignId,
    recipient: message.peer,
    number: message.number,
    keyword: [...message.body.trim().slice(0, 2 * KEYWORD_MAX)].slice(0, KEYWORD_MAX).join(''),
    messageId: message.id,
    reason: null,
    optedOutAt: message.now,
  }
}

/** Whether the phone gets a reply: one confirmation per opt-out. */
async function applyKeyword(
  tx: Transaction,
  message: NewInbound,
  kind: KeywordKind,
  optout: Optout | null,
): Promise<boolean> {
  const { accountId, campaignId, peer: recipient, now } = message
  const actor = { source: 'keyword' as const, tokenId: null }
  if (optout) return recordOptout(tx, accountId, optout, actor)
  if (kind === 'optin')
    await optIn(tx, accountId, { campaignId, recipient, reason: null, now }, actor)
  return true
}

function replyOf(campaign: Campaign, kind: KeywordKind) {
  const bodies = {
    optout: campaign.optoutMessage,
    optin: campaign.optinMessage,
    help: campaign.helpMessage,
  }
  return { automatic: KEYWORD_NAMES[kind], body: bodies[kind] }
}

// Written like any accepted message and found by the dispatcher, so it is durable with the message it replies to.
// Null if the campaign may not send.
async function insertReply(
  { config }: World,
  tx: Transaction,
  inbound: NewInbound,
  { automatic, body }: Pick<NewMessage, 'automatic' | 'body'>,
  carrier: Pick<RoutePort, 'networkOf'>,
): Promise<string | null> {
  const text = prepareText(body, config.segmentCounting)
  // Slightly later than the message it replies to, so lists show the two in order.
  const now = new Date(inbound.now.getTime() + 1)
  const reply: NewMessage = {
    campaignId: inbound.campaignId,
    type: 'SMS',
    from: inbound.number,
    to: inbound.peer,
    route: routeOf(carrier.networkOf(inbound.peer), 'SMS'),
    body: text.text,
    mediaUrls: [],
    metadata: {},
    numSegments: text.segments,
    priceMicros: 0n,
    automatic,
    scheduledAt: null,
    validitySeconds: null,
    path: { kind: 'queue', dueAt: inbound.now },
    once: null,
  }
  const id = newId('msg', now)
  const written = await insertAccepted(tx, inbound.accountId, { now, ids: [id], messages: [reply] })
  return written.count === 1 ? id : null
}

/** Longer URLs do not come from a carrier. */
const URL_MAX = 4_096

/** A carrier's links may expire soon and may need its key, so we store and serve the files ourselves. */
function filesOf({
  mediaUrls,
  link = '',
}: WholeInbound): Pick<MediaFetch, 'id' | 'link' | 'url'>[] {
  return mediaUrls.slice(0, MEDIA_COUNT_MAX).map((url) => ({
    id: `med_${randomBytes(24).toString('base64url')}`,
    link,
    url: withoutBrokenUnits(url).slice(0, URL_MAX),
  }))
}
