// Queries of the numbers, billing, and settings pages.

import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
import type {
  LedgerEntry,
  ListLedgerReply,
  ListNumbersReply,
  Message,
} from '../../generated/types.gen'
import { request } from './request'

const PAGE = 100
/** A page of the ledger, with the messages that its entries refer to. */
const MESSAGES_MAX = 200
const TOKENS_MAX = 1000

/** Newest purchase first. A campaign's numbers come in one reply, its default first. */
export function numberListQuery(campaign: string | undefined) {
  return infiniteQueryOptions({
    queryKey: ['numbers', 'list', campaign ?? null],
    queryFn: ({ pageParam: after, signal }): Promise<ListNumbersReply> =>
      campaign === undefined
        ? request('GET /v1/number/list', { query: { limit: PAGE, after }, signal })
        : listOfCampaign(campaign, signal),
    initialPageParam: null as string | null,
    getNextPageParam: ({ numbers, hasMore }) =>
      hasMore ? (numbers.at(-1)?.phoneNumber ?? null) : null,
    placeholderData: (previous) => previous,
  })
}

async function listOfCampaign(campaign: string, signal: AbortSignal): Promise<ListNumbersReply> {
  const path = { id: campaign }
  const { numbers } = await request('GET /v1/campaign/{id}/numbers', { path, signal })
  return { numbers: numbers.map((number) => ({ ...number, campaign })), hasMore: false }
}

export function numberQuery(digits: string) {
  return queryOptions({
    queryKey: ['numbers', 'one', digits],
    queryFn: ({ signal }) =>
      request('GET /v1/number/{number}', { path: { number: digits }, signal }),
  })
}

export interface LedgerFilter {
  reason?: LedgerEntry['reason']
  campaign?: string
  since?: string
  until?: string
}

/** What a ledger row shows about a message. */
export type LedgerMessage = Pick<Message, 'id' | 'to' | 'type' | 'numSegments' | 'errorCode'>

interface LedgerPage extends ListLedgerReply {
  messages: readonly LedgerMessage[]
}

/** Newest first, each page with the messages it charges for. */
export function ledgerQuery(filter: LedgerFilter) {
  return infiniteQueryOptions({
    queryKey: ['ledger', filter],
    queryFn: async ({ pageParam: after, signal }): Promise<LedgerPage> => {
      const query = { ...filter, limit: PAGE, after }
      const page = await request('GET /v1/account/ledger', { query, signal })
      return { ...page, messages: await messagesOf(page.entries, filter.campaign, signal) }
    },
    initialPageParam: null as string | null,
    getNextPageParam: ({ next }) => next,
    placeholderData: (previous) => previous,
  })
}

/** The ledger has only message ids. A token without the read scope sees the ledger without messages. */
async function messagesOf(
  entries: readonly LedgerEntry[],
  campaign: string | undefined,
  signal: AbortSignal,
): Promise<readonly LedgerMessage[]> {
  const times = entries
    .filter(({ reason }) => reason === 'message')
    .map(({ createdAt }) => Date.parse(createdAt))
  if (times.length === 0) return []
  const query = {
    campaign,
    direction: 'OUTBOUND' as const,
    since: new Date(Math.min(...times)).toISOString(),
    until: new Date(Math.max(...times) + 1).toISOString(),
    limit: MESSAGES_MAX,
  }
  const { messages } = await request('GET /v1/message/search', { query, signal }).catch(() => ({
    messages: [],
  }))
  return messages
}

export const balancesQuery = queryOptions({
  queryKey: ['ledger', 'balances'],
  queryFn: ({ signal }) => request('GET /v1/account/balances', { signal }),
})

/** Message costs by day and campaign, both days included. */
export function usageQuery(from: string, to: string) {
  return queryOptions({
    queryKey: ['ledger', 'usage', from, to],
    queryFn: ({ signal }) => request('GET /v1/account/usage', { query: { from, to }, signal }),
    placeholderData: (previous) => previous,
  })
}

export function statementQuery(month: string) {
  return queryOptions({
    queryKey: ['ledger', 'statement', month],
    queryFn: ({ signal }) =>
      request('GET /v1/account/statement/{month}', { path: { month }, signal }),
  })
}

/** The credential for the Twilio-compatible API. It is one of the tokens. */
export const twilioQuery = queryOptions({
  queryKey: ['tokens', 'twilio'],
  queryFn: ({ signal }) => request('GET /v1/account/twilio', { signal }),
})

export const tokensQuery = queryOptions({
  queryKey: ['tokens'],
  queryFn: ({ signal }) => request('GET /v1/token/list', { query: { limit: TOKENS_MAX }, signal }),
})
