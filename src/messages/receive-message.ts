// Inbound: finds the campaign by the number, keeps the message, tells the webhooks, and acts on
// keywords, all in one transaction. Replies to keywords are ordinary outbound messages, free.

import { randomBytes } from 'node:crypto'
import type { Campaign } from '../campaigns/campaign.js'
import { keywordsOf } from '../campaigns/campaign.js'
import { getCampaign } from '../campaigns/campaign-queries.js'
import { appendEvent } from '../events/append-events.js'
import type { Transaction } from '../kit/db.js'
import type { HttpClient } from '../kit/http-client.js'
import { newId } from '../kit/ids.js'
import type { World } from '../kit/world.js'
import type { NumberRecord } from '../numbers/number.js'
import { findNumber } from '../numbers/number-queries.js'
import { optIn, optOut } from '../optouts/opt-out.js'
import { type KeywordKind, looksLikeOptout, matchKeyword } from '../text/keywords.js'
import { measureText, prepareText, withoutBrokenUnits } from '../text/segments.js'
import { insertAccepted, type NewMessage } from './accept-queries.js'
import { addPart } from './assemble-parts.js'
import type { Carrier, Inbound } from './carrier-port.js'
import { insertInbound, insertMedia, type NewInbound, type StoredMedia } from './inbound-queries.js'
import { routeOf } from './lane.js'
import { fetchMedia, MEDIA_BYTES_MAX } from './outbound-media.js'

interface KeptMedia {
  urls: string[]
  files: StoredMedia[]
}

export interface ReceiveParts {
  http: HttpClient
  carrier: Pick<Carrier, 'networkOf'>
}

/** Runs the work in a transaction. */
type Run = (work: (tx: Transaction) => Promise<string | null>) => Promise<string | null>

export interface Receiver {
  /** The id of the message; null where the number is nobody's, or parts are still missing. */
  receive: (inbound: Inbound, run?: Run) => Promise<string | null>
  /** The same in the caller's transaction, for a message whole and without media. */
  receiveIn: (tx: Transaction, inbound: Inbound) => Promise<string | null>
}

export function createReceiver(world: World, parts: ReceiveParts): Receiver {
  const keep = async (
    tx: Transaction,
    inbound: Inbound,
    media: KeptMedia = { urls: [], files: [] },
  ): Promise<string | null> => {
    const number = await findNumber(tx, inbound.to)
    if (!number) {
      world.log.warn('inbound message to a number that nobody holds')
      return null
    }
    const message = messageOf(world, number, inbound, media.urls)
    await insertInbound(tx, message)
    await insertMedia(tx, { ...message, messageId: message.id }, media.files)
    await actOn(world, tx, message, parts.carrier)
    return message.id
  }

  return {
    receiveIn: keep,
    receive: async (inbound, run = world.db.transaction) => {
      const media = await keepMedia(world, parts.http, inbound.mediaUrls)
      const id = await run((tx) =>
        inbound.part
          ? addPart(tx, inbound, inbound.part, world.clock.now(), keep)
          : keep(tx, inbound, media),
      )
      world.hints.give('deliveries')
      world.hints.give('messages')
      return id
    },
  }
}

function messageOf(
  { clock, config }: World,
  number: NumberRecord,
  inbound: Inbound,
  mediaUrls: readonly string[],
): NewInbound {
  const now = clock.now()
  const body = withoutBrokenUnits(inbound.body)
  return {
    accountId: number.accountId,
    id: newId('msg', now),
    campaignId: number.campaignId,
    number: inbound.to,
    peer: inbound.from,
    body,
    mediaUrls,
    numSegments: mediaUrls.length > 0 ? 1 : measureText(body, config.segmentCounting).segments,
    now,
  }
}

async function actOn(
  world: World,
  tx: Transaction,
  message: NewInbound,
  carrier: Pick<Carrier, 'networkOf'>,
): Promise<void> {
  const campaign = await getCampaign(tx, message.accountId, message.campaignId)
  const isNearOptout = looksLikeOptout(message.body)
  const matched = matchKeyword(message.body, keywordsOf(campaign))
  const keyword = matched ?? (isNearOptout && campaign.actsOnNearOptout ? 'optout' : null)
  await appendEvent(tx, {
    accountId: message.accountId,
    eventType: 'message.incoming',
    campaignId: message.campaignId,
    number: message.number,
    messageId: message.id,
    sequence: null,
    status: 'DELIVERED',
    previousStatus: null,
    errorCode: null,
    errorMessage: null,
    data: { keyword: matched, optoutSuspected: isNearOptout && matched === null },
    now: message.now,
  })
  if (keyword === null) return
  const wantsReply = await applyKeyword(tx, message, keyword)
  if (wantsReply) await insertReply(world, tx, message, replyText(campaign, keyword), carrier)
}

/** Whether the sender is to be answered: one confirmation per opt-out, and no more. */
async function applyKeyword(
  tx: Transaction,
  message: NewInbound,
  keyword: KeywordKind,
): Promise<boolean> {
  const { accountId, campaignId, peer: recipient, now } = message
  const actor = { source: 'keyword' as const, tokenId: null }
  if (keyword === 'optout') {
    const optout = {
      campaignId,
      recipient,
      number: message.number,
      keyword: message.body.trim().slice(0, 100),
      messageId: message.id,
      reason: null,
      optedOutAt: now,
    }
    return optOut(tx, accountId, optout, actor)
  }
  if (keyword === 'optin')
    await optIn(tx, accountId, { campaignId, recipient, reason: null, now }, actor)
  return true
}

function replyText(campaign: Campaign, keyword: KeywordKind): string {
  if (keyword === 'optout') return campaign.optoutMessage
  return keyword === 'optin' ? campaign.optinMessage : campaign.helpMessage
}

// Written like any accepted message and found by the dispatcher: durable with the message it answers.
async function insertReply(
  { config }: World,
  tx: Transaction,
  inbound: NewInbound,
  body: string,
  carrier: Pick<Carrier, 'networkOf'>,
): Promise<void> {
  const text = prepareText(body, config.segmentCounting)
  // A moment later than what it answers, so that lists show the two in their order.
  const now = new Date(inbound.now.getTime() + 1)
  const reply: NewMessage = {
    id: newId('msg', now),
    campaignId: inbound.campaignId,
    type: 'SMS',
    number: inbound.number,
    peer: inbound.peer,
    route: routeOf(carrier.networkOf(inbound.peer), 'SMS'),
    body: text.text,
    mediaUrls: [],
    metadata: {},
    numSegments: text.segments,
    priceMicros: 0n,
    isReply: true,
    scheduledAt: null,
    validitySeconds: null,
    dueAt: inbound.now,
    once: null,
  }
  await insertAccepted(tx, inbound.accountId, [reply], now)
}

// The sender's links may not live long: what can be fetched is kept and served by us.
async function keepMedia(
  { config }: World,
  http: HttpClient,
  urls: readonly string[],
): Promise<KeptMedia> {
  const files: StoredMedia[] = []
  const kept: string[] = []
  let left = MEDIA_BYTES_MAX
  for (const url of urls) {
    const file = await fetchMedia(http, url, left)
    if ('code' in file) {
      kept.push(url)
      continue
    }
    const id = `med_${randomBytes(24).toString('base64url')}`
    left -= file.content.length
    files.push({ ...file, id })
    kept.push(`${config.publicUrl}/media/${id}`)
  }
  return { urls: kept, files }
}
