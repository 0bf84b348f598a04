// "Run all five steps": the requests of the five steps in order, each after the previous one has really
// completed.

import type { QueryClient } from '@tanstack/react-query'
import type { CreateBrandBody, CreateCampaignBody } from '../../../generated/types.gen'
import { brandsQuery, campaignsQuery, handsetQuery } from '../../api/queries'
import { request } from '../../api/request'
import { FIRST_PHONE } from '../../lib/sandbox'
import { newKey } from '../../lib/use-act'
import { EXAMPLE_BRAND, exampleCampaign, FIRST_TEXT } from './example'
import { isVerified, type Progress } from './progress'

const PROBE_MS = 400
/** A pause, so people can follow. */
const PACE_MS = 700
const FRESH = { staleTime: 0 }

export const createBrand = (body: CreateBrandBody, key: string) =>
  request('POST /v1/brand/create', { body, key })

export const createCampaign = (body: CreateCampaignBody, key: string) =>
  request('POST /v1/campaign/create', { body, key })

export const buyNumber = (campaignId: string, number: string, key: string) =>
  request('POST /v1/campaign/{id}/number/buy', { path: { id: campaignId }, body: { number }, key })

export const sendFirst = (campaignId: string, key: string) =>
  request('POST /v1/message/send', {
    body: { campaign: campaignId, to: FIRST_PHONE, body: FIRST_TEXT },
    key,
  })

export async function doAll(client: QueryClient, from: Progress, signal: AbortSignal) {
  const brand = from.brand ?? (await createBrand(EXAMPLE_BRAND, newKey())).brand
  const brandId = brand.id
  await until(
    signal,
    () => client.fetchQuery({ ...brandsQuery, ...FRESH }),
    ({ brands }) => brands.some((one) => one.id === brandId && isVerified(one)),
  )
  await pause(PACE_MS, signal)
  const campaignId =
    from.campaign?.id ??
    (await createCampaign({ ...exampleCampaign(brand), brandId }, newKey())).campaign.id
  await until(
    signal,
    () => client.fetchQuery({ ...campaignsQuery, ...FRESH }),
    ({ campaigns }) => campaigns.some(({ id, status }) => id === campaignId && status === 'ACTIVE'),
  )
  await pause(PACE_MS, signal)
  const number = from.number?.phoneNumber ?? (await buyFirst(campaignId))
  await pause(PACE_MS, signal)
  await sendFirst(campaignId, newKey())
  await until(
    signal,
    () => client.fetchQuery({ ...handsetQuery(FIRST_PHONE), ...FRESH }),
    ({ messages }) => messages.some(({ status }) => status === 'DELIVERED' || status === 'READ'),
  )
  await pause(2 * PACE_MS, signal)
  await request('POST /sandbox/inbound', {
    body: { from: FIRST_PHONE, to: number, body: 'It works.' },
  })
}

async function buyFirst(campaignId: string): Promise<string> {
  const { numbers } = await request('GET /v1/number/search', {
    query: { areaCode: '415', limit: 1 },
  })
  const [first] = numbers
  if (!first) throw new Error('No numbers are for sale near 415. Choose another area code.')
  await buyNumber(campaignId, first.number, newKey())
  return first.number
}

/** Refetches until the condition holds. The live stream makes it faster, this makes it certain. */
async function until<T>(
  signal: AbortSignal,
  read: () => Promise<T>,
  isSo: (data: T) => boolean,
): Promise<void> {
  while (!isSo(await read())) await pause(PROBE_MS, signal)
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, ms)
    signal.addEventListener('abort', () => {
      clearTimeout(timer)
      reject(signal.reason)
    })
  })
}
