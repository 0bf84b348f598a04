// Lists of messages: Twilio's filters and pages. The time is that of the message's creation, which is part of its ID.

import type { Caller } from '../accounts/account.js'
import { maySeeCampaign } from '../accounts/account.js'
import { DAY_MS } from '../kit/clock.js'
import { PAGE_LIMIT_MAX } from '../kit/contract/schema.js'
import { isId } from '../kit/ids.js'
import type { Store } from '../kit/postgres/db.js'
import type { Message } from '../messages/message.js'
import {
  EVERY_MESSAGE,
  type SearchFilter,
  searchMessages,
} from '../messages/reads/search-queries.js'
import { readQuery } from './form.js'
import { METADATA } from './message-metadata.js'
import { toE164 } from './read-create.js'
import { idOfSid, sidOf } from './sids.js'
import { TwilioRefusal } from './twilio-error.js'

const PAGE_SIZE = 50
const PAGE_MAX = 1_000_000
/** How many pages a client can go back from one. A token names the pages before it, because lists are read forwards. */
const TRAIL_MAX = 20

export interface ListPage {
  size: number
  /** From 0, as counted by the client. */
  page: number
  after: string | null
  /** The token of this page, then those of the pages before it. Empty for the first page. */
  trail: string[]
}

/** Throws a refusal. `PageToken` decides which page it is, and `Page` is only counted. */
export function readPage(query: unknown, readToken = messageOfToken): ListPage {
  const get = readQuery(query)
  const trail = get('PageToken')?.split('.', TRAIL_MAX + 1) ?? []
  if (trail.some((token) => readToken(token) === null)) {
    throw new TwilioRefusal(20001, 'PageToken is invalid.')
  }
  return {
    size: Math.min(Math.max(readCount('PageSize', get('PageSize'), PAGE_SIZE), 1), PAGE_LIMIT_MAX),
    page: readCount('Page', get('Page'), 0),
    after: trail.length === 0 ? null : readToken(trail[0]!),
    trail,
  }
}

function messageOfToken(token: string): string | null {
  return idOfSid('msg', ['PA'], token)
}

function readCount(name: string, text: string | undefined, otherwise: number): number {
  if (text === undefined) return otherwise
  if (!/^\d{1,9}$/.test(text)) throw new TwilioRefusal(20001, `${name} must be a number.`)
  return Math.min(Number(text), PAGE_MAX)
}

/** The fields of every list, and nothing else: a client takes any other for a second list. */
export function pageFields(
  path: string,
  query: unknown,
  at: ListPage,
  count: number,
  next: string | null,
) {
  const { size, page, trail } = at
  const uri = (number: number, tokens: readonly string[]) => {
    const fields = new URLSearchParams()
    for (const [name, value] of Object.entries(query as Record<string, string | string[]>)) {
      if (['Page', 'PageToken', 'PageSize'].includes(name)) continue
      for (const one of [value].flat()) fields.append(name, one)
    }
    fields.set('PageSize', String(size))
    fields.set('Page', String(number))
    if (tokens.length > 0) fields.set('PageToken', tokens.slice(0, TRAIL_MAX).join('.'))
    return `${path}?${fields}`
  }
  return {
    first_page_uri: uri(0, []),
    next_page_uri: next === null ? null : uri(page + 1, [next, ...trail]),
    previous_page_uri:
      page > 0 && (trail.length > 1 || page === 1) ? uri(page - 1, trail.slice(1)) : null,
    uri: uri(page, trail),
    page,
    page_size: size,
    start: page * size,
    end: page * size + Math.max(count - 1, 0),
  }
}

export interface FoundMessages {
  messages: Message[]
  nextToken: string | null
}

export async function listForTwilio(
  db: Store,
  caller: Caller,
  query: unknown,
  { size, after }: ListPage,
): Promise<FoundMessages> {
  const get = readQuery(query)
  const [to, from] = [readParty(get('To')), readParty(get('From'))]
  const filter: SearchFilter = {
    ...EVERY_MESSAGE,
    campaignId: caller.campaigns?.length === 1 ? caller.campaigns[0]! : null,
    phone: to ?? from,
    ...(to ? { phoneIs: 'to' as const } : from ? { phoneIs: 'from' as const } : {}),
    ...readTimes(get),
  }
  const page = { limit: size, skip: 0, after }
  const { messages, next } = await searchMessages(db, caller.accountId, filter, page)
  const isShown = (message: Message) =>
    maySeeCampaign(caller, message.campaignId) &&
    !message.metadata[METADATA.deleted] &&
    (to === null || from === null || senderOf(message) === from)
  const nextToken = next !== null && isId('msg', next) ? sidOf('PA', next) : null
  return { messages: messages.filter(isShown), nextToken }
}

function senderOf({ direction, number, peer }: Message): string {
  return direction === 'INBOUND' ? peer : number
}

/** A number that is none matches nothing. The list's statement needs some text. */
function readParty(text: string | undefined): string | null {
  return text === undefined ? null : (toE164(text) ?? 'none')
}

function readTimes(
  get: (name: string) => string | undefined,
): Pick<SearchFilter, 'since' | 'until'> {
  const on = readTwilioTime('DateSent', get('DateSent'))
  const from = readTwilioTime('DateSent>', get('DateSent>')) ?? on
  const to = readTwilioTime('DateSent<', get('DateSent<')) ?? on
  return { since: from?.start ?? null, until: to?.end ?? null }
}

/** A day or a second, in UTC. Both ends belong to it. */
function readTwilioTime(name: string, text: string | undefined): { start: Date; end: Date } | null {
  if (text === undefined) return null
  const isDay = /^\d{4}-\d{2}-\d{2}$/.test(text)
  const isTime =
    /^\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}:\d{2}(?:\.\d{1,6})?(?:Z|[+-]\d{2}:?\d{2})?$/.test(text)
  const startMs =
    isDay || isTime
      ? Date.parse(isDay || /[Z+]|-\d{2}:?\d{2}$/.test(text.slice(10)) ? text : `${text}Z`)
      : Number.NaN
  if (Number.isNaN(startMs)) {
    throw new TwilioRefusal(
      20001,
      `${name} must be a date, such as 2026-11-15, or an ISO 8601 time.`,
    )
  }
  return { start: new Date(startMs), end: new Date(startMs + (isDay ? DAY_MS : 1000)) }
}
