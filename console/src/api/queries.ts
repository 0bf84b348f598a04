// What the pages read, each under the name by which the live stream makes it read again.

import { queryOptions } from '@tanstack/react-query'
import type {
  GetAccountReply,
  GetHandsetReply,
  ListBrandsReply,
  ListCampaignsReply,
  ListNumbersReply,
  SearchNumbersReply,
} from '../../generated/types.gen'
import { call } from './call'

export const accountQuery = queryOptions({
  queryKey: ['account'],
  queryFn: ({ signal }) => call<GetAccountReply>('GET', '/v1/account', { signal }),
})

export const brandsQuery = queryOptions({
  queryKey: ['brands'],
  queryFn: ({ signal }) => call<ListBrandsReply>('GET', '/v1/brand/list', { signal }),
})

export const campaignsQuery = queryOptions({
  queryKey: ['campaigns'],
  queryFn: ({ signal }) => call<ListCampaignsReply>('GET', '/v1/campaign/list', { signal }),
})

export const numbersQuery = queryOptions({
  queryKey: ['numbers'],
  queryFn: ({ signal }) => call<ListNumbersReply>('GET', '/v1/number/list', { signal }),
})

export function searchNumbersQuery(areaCode: string, limit: number) {
  return queryOptions({
    queryKey: ['number-search', areaCode, limit],
    queryFn: ({ signal }) =>
      call<SearchNumbersReply>('GET', '/v1/number/search', { query: { areaCode, limit }, signal }),
  })
}

/** Both directions of one phone of the sandbox, newest first. */
export function handsetQuery(phone: string) {
  return queryOptions({
    queryKey: ['handset', phone],
    queryFn: ({ signal }) =>
      call<GetHandsetReply>('GET', `/sandbox/handset/${phone.replace(/\D/g, '')}`, { signal }),
  })
}
