// Phone calls to a number, and placing a test call in the sandbox.

import { queryOptions } from '@tanstack/react-query'
import type { GetNumberCallsReply } from '../../generated/types.gen'
import { request } from './request'

export const CALL_DAYS = 30
/** Calls arrive through SIP trunks, and no live event reports them. */
const OFTEN_MS = 5_000
const SOON_MS = 400
const AWAITED_MS = 15_000

/** Polls often until this many calls are counted, which takes about a second. */
export interface Awaited {
  count: number
  untilMs: number
}

export function awaitOneMore(calls: GetNumberCallsReply | undefined): Awaited | null {
  return calls ? { count: countOf(calls) + 1, untilMs: performance.now() + AWAITED_MS } : null
}

export function numberCallsQuery(digits: string, awaited: Awaited | null) {
  return queryOptions({
    queryKey: ['calls', digits],
    queryFn: ({ signal }) =>
      request('GET /v1/number/{number}/calls', {
        path: { number: digits },
        query: { days: CALL_DAYS },
        signal,
      }),
    refetchInterval: ({ state: { data } }) => (isMissing(data, awaited) ? SOON_MS : OFTEN_MS),
  })
}

function isMissing(calls: GetNumberCallsReply | undefined, awaited: Awaited | null): boolean {
  if (!calls || !awaited) return false
  return countOf(calls) < awaited.count && performance.now() < awaited.untilMs
}

export function countOf({ redirected, refused }: GetNumberCallsReply): number {
  return redirected + refused
}

export const placeCall = (to: string, from: string, key: string) =>
  request('POST /sandbox/call', { body: { to, from }, key })
