// What the pages of numbers, billing and settings read.

import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
import type {
  GetNumberReply,
  ListCampaignNumbersReply,
  ListedNumber,
  ListNumbersReply,
} from '../../generated/types.gen'
import { call } from './call'

const PAGE = 100

interface NumberPage {
  numbers: ListedNumber[]
  hasMore: boolean
}

/** Newest purchase first; those of one campaign come at once, its default first. */
export function numberListQuery(campaign: string | undefined) {
  return infiniteQueryOptions({
    queryKey: ['numbers', 'list', campaign ?? null],
    queryFn: ({ pageParam: after, signal }): Promise<NumberPage> =>
      campaign === undefined
        ? call<ListNumbersReply>('GET', '/v1/number/list', {
            query: { limit: PAGE, after },
            signal,
          })
        : listOfCampaign(campaign, signal),
    initialPageParam: null as string | null,
    getNextPageParam: ({ numbers, hasMore }) =>
      hasMore ? (numbers.at(-1)?.phoneNumber ?? null) : null,
    placeholderData: (known) => known,
  })
}

async function listOfCampaign(campaign: string, signal: AbortSignal): Promise<NumberPage> {
  const path = `/v1/campaign/${campaign}/numbers`
  const { numbers } = await call<ListCampaignNumbersReply>('GET', path, { signal })
  return { numbers: numbers.map((number) => ({ ...number, campaign })), hasMore: false }
}

export function numberQuery(digits: string) {
  return queryOptions({
    queryKey: ['numbers', 'one', digits],
    queryFn: ({ signal }) =>
      call<GetNumberReply>('GET', `/v1/number/${encodeURIComponent(digits)}`, { signal }),
  })
}
