// Telnyx's numbers. Orders carry our reference and are found by it. A number gets its messaging profile with the
// order and again once it exists, so it can move to another campaign. Telnyx forwards phone calls.

import { RemoteFault } from '../../../kit/http-client/remote-fault.js'
import type {
  NumberOrder,
  NumberSource,
  OfferedNumber,
  OrderState,
} from '../../../numbers/number-source.js'
import type { ProviderRequest } from '../provider.js'
import { type ProviderClient, queryOf } from '../provider-client.js'
import { profileName, type SourceSettings } from '../provider-module.js'
import { listAt, objectAt, parseJson, textAt } from '../read-answer.js'

export interface TelnyxNumberSettings extends SourceSettings {
  baseUrl: string
  key: string
  /** Whether campaigns are registered there. If so, numbers are assigned to them. */
  registers: boolean
}

const assignmentOf = (phoneNumber: string) =>
  `10dlc/phone_number_campaigns/${encodeURIComponent(phoneNumber)}`

export function createTelnyxNumbers(
  settings: TelnyxNumberSettings,
  client: ProviderClient,
): NumberSource {
  const { baseUrl, key, registers, link, monthlyPriceMicros, settleMs, profiles, callbackUrl } =
    settings
  const send = async (method: ProviderRequest['method'], path: string, fields?: object) => {
    const json = { 'content-type': 'application/json' }
    const headers = { authorization: `Bearer ${key}`, ...(fields && json) }
    const body = fields && { body: JSON.stringify(fields) }
    const answer = await client.request({ method, url: `${baseUrl}/v2/${path}`, headers, ...body })
    return answer && parseJson(answer.body)
  }
  const list = async (path: string, fields: Record<string, string | string[]>) =>
    listAt(await send('GET', `${path}?${queryOf(fields)}`), 'data')

  const available = async (fields: Record<string, string | string[]>) =>
    (
      await list('available_phone_numbers', {
        'filter[country_code]': 'US',
        'filter[phone_number_type]': 'local',
        'filter[features][]': ['sms', 'mms', 'voice'],
        ...fields,
      })
    ).flatMap(readOffer)

  /** Its ID there. Null if it is not ours. Queried without the plus, which Telnyx does not accept. */
  const findOwned = async (phoneNumber: string): Promise<string | null> => {
    const found = await list('phone_numbers', { 'filter[phone_number]': phoneNumber.slice(1) })
    const owned = found.find((one) => textAt(one, 'phone_number') === phoneNumber)
    return textAt(owned, 'id')
  }

  const readOrder = async (order: unknown, phoneNumber: string): Promise<OrderState> => {
    const status = textAt(order, 'status')
    if (status === 'failure')
      return { kind: 'failed', reason: 'The provider could not deliver it.' }
    if (status !== 'success') return { kind: 'pending' }
    const numberId = await findOwned(phoneNumber)
    return numberId === null ? { kind: 'pending' } : { kind: 'done', numberId }
  }

  /** It may have been ordered more than once. An order that did not fail counts. */
  const findOrder = async ({
    reference,
    phoneNumber,
  }: Pick<NumberOrder, 'reference' | 'phoneNumber'>) => {
    const orders = await list('number_orders', { 'filter[customer_reference]': reference })
    const own = orders.filter((one) => textAt(one, 'customer_reference') === reference)
    const order = own.find((one) => textAt(one, 'status') !== 'failure') ?? own[0]
    if (order !== undefined) return readOrder(order, phoneNumber)
    const numberId = await findOwned(phoneNumber)
    return numberId === null ? ({ kind: 'none' } as const) : ({ kind: 'done', numberId } as const)
  }

  /** Networks accept texts from a number only after it is assigned to the registered campaign. */
  const assign = async (phoneNumber: string, campaignId: string): Promise<boolean> => {
    const assignment = await send('GET', assignmentOf(phoneNumber))
    const isOurs = assignment !== null && textAt(assignment, 'campaignId') === campaignId
    const status = textAt(assignment, 'assignmentStatus')
    if (isOurs && status === 'ASSIGNED') return true
    if (isOurs && status === 'PENDING_ASSIGNMENT') return false
    if (assignment !== null && !isOurs) {
      if (status !== 'PENDING_UNASSIGNMENT') await send('DELETE', assignmentOf(phoneNumber))
      return false
    }
    const made = await send('POST', '10dlc/phone_number_campaigns', { phoneNumber, campaignId })
    if (isOurs) {
      const why = textAt(assignment, 'failureReasons') ?? 'no reason is given'
      throw new RemoteFault('later', `The number was not assigned to its campaign: ${why}`)
    }
    return textAt(made, 'assignmentStatus') === 'ASSIGNED'
  }

  return {
    ...{ link, monthlyPriceMicros, settleMs, findOrder },
    search: ({ areaCode, nearby, limit }) =>
      available({
        ...(areaCode !== null && { 'filter[national_destination_code]': areaCode }),
        'filter[limit]': String(limit),
        'filter[best_effort]': String(nearby && areaCode !== null),
      }),
    find: async (phoneNumber) => {
      const found = await available({
        'filter[national_destination_code]': phoneNumber.slice(2, 5),
        'filter[phone_number][ends_with]': phoneNumber.slice(5),
        'filter[limit]': '10',
      })
      return found.find(({ number }) => number === phoneNumber) ?? null
    },
    order: async ({ reference, phoneNumber, profileId }) => {
      const answer = await send('POST', 'number_orders', {
        phone_numbers: [{ phone_number: phoneNumber }],
        ...(profileId !== null && { messaging_profile_id: profileId }),
        customer_reference: reference,
      })
      const order = objectAt(answer, 'data')
      if (textAt(order, 'id') === null) throw new RemoteFault('unknown', 'An order without an id.')
      // It exists. If its state is not available now, it is queried by its reference.
      return readOrder(order, phoneNumber).catch(() => ({ kind: 'pending' }) as const)
    },
    profileOf: (campaignId) => profiles.get(campaignId) ?? null,
    findProfile: async (campaignId) => {
      const name = profileName(campaignId)
      const found = await list('messaging_profiles', { 'filter[name]': name, 'page[size]': '50' })
      const own = found.find((one) => textAt(one, 'name') === name)
      return textAt(own, 'id')
    },
    createProfile: async (campaignId) => {
      const answer = await send('POST', 'messaging_profiles', {
        name: profileName(campaignId),
        whitelisted_destinations: ['US', 'CA'],
        webhook_url: callbackUrl,
        webhook_api_version: '2',
      })
      const id = textAt(answer, 'data', 'id')
      if (id === null) throw new RemoteFault('unknown', 'A profile without an id.')
      return id
    },
    bind: async ({ numberId, phoneNumber }, profileId, campaignThere) => {
      const fields = { messaging_profile_id: profileId }
      if (
        !(await send('PATCH', `phone_numbers/${encodeURIComponent(numberId)}/messaging`, fields))
      ) {
        throw new RemoteFault('later', 'The number is not there yet.')
      }
      return campaignThere === null || assign(phoneNumber, campaignThere)
    },
    forward: async ({ numberId }, target) => {
      const call_forwarding = {
        call_forwarding_enabled: target !== null,
        ...(target !== null && { forwards_to: target, forwarding_type: 'always' }),
      }
      const path = `phone_numbers/${encodeURIComponent(numberId)}/voice`
      if (!(await send('PATCH', path, { call_forwarding }))) {
        throw new RemoteFault('later', 'The number is not there yet.')
      }
    },
    // Not found: already released.
    release: async ({ numberId, phoneNumber }) => {
      if (registers) await send('DELETE', assignmentOf(phoneNumber))
      await send('DELETE', `phone_numbers/${encodeURIComponent(numberId)}`)
      return true
    },
  }
}

function readOffer(one: unknown): OfferedNumber[] {
  const number = textAt(one, 'phone_number')
  if (number === null || !/^\+1\d{10}$/.test(number)) return []
  const regions = listAt(one, 'region_information')
  const nameOf = (type: string) => {
    const found = regions.find((region) => textAt(region, 'region_type') === type)
    return textAt(found, 'region_name')
  }
  const place = [nameOf('rate_center') ?? nameOf('location'), nameOf('state')]
  return [{ number, location: place.filter((word) => word !== null).join(', ') || null }]
}
