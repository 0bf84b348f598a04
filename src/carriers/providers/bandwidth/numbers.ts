// Bandwidth's numbers, through the XML API of its dashboard. A number belongs to a campaign through the location
// (SIP peer) it is ordered into, which the host has linked to an application there. Bandwidth does not act on STOP,
// so one location may serve several campaigns. Its ID there is the number.

import { RemoteFault } from '../../../kit/http-client/remote-fault.js'
import type { NumberSource, OfferedNumber, OrderState } from '../../../numbers/number-source.js'
import type { ProviderRequest } from '../provider.js'
import { type ProviderClient, queryOf } from '../provider-client.js'
import { basicAuth, type SourceSettings } from '../provider-module.js'
import { insidesOf, textOf, textsOf, writeXml } from './xml.js'

export interface BandwidthNumberSettings extends SourceSettings {
  dashboardUrl: string
  accountId: string
  user: string
  password: string
  /** The sub-account, and the location of campaigns that are not in `profiles`. */
  siteId: string
  locationId: string
}

const FOUND_MAX = 5_000
/** All numbers of a block of a thousand. */
const BLOCK = '1000'

export function createBandwidthNumbers(
  settings: BandwidthNumberSettings,
  client: ProviderClient,
): NumberSource {
  const { link, monthlyPriceMicros, settleMs, profiles, siteId, locationId } = settings
  const account = `${settings.dashboardUrl}/accounts/${encodeURIComponent(settings.accountId)}`
  /** Null if it does not exist. */
  const send = async (method: ProviderRequest['method'], path: string, fields?: object) => {
    const headers = {
      authorization: basicAuth(settings.user, settings.password),
      accept: 'application/xml',
      ...(fields && { 'content-type': 'application/xml' }),
    }
    const body = fields && {
      body: `<?xml version="1.0" encoding="UTF-8"?>${writeXml(fields as Record<string, unknown>)}`,
    }
    const answer = await client.request({ method, url: `${account}/${path}`, headers, ...body })
    return answer?.body.toString('utf8') ?? null
  }

  const available = async (fields: Record<string, string>): Promise<OfferedNumber[]> => {
    const query = queryOf({ ...fields, enableTNDetail: 'true' })
    const xml = (await send('GET', `availableNumbers?${query}`)) ?? ''
    return insidesOf(xml, 'TelephoneNumberDetail').flatMap(readOffer)
  }

  const isOwned = async (phoneNumber: string): Promise<boolean> =>
    (await send('GET', `inserviceNumbers/${phoneNumber.slice(2)}`)) !== null

  const stateOf = async (status: string | null, phoneNumber: string): Promise<OrderState> => {
    if (status === 'FAILED') return { kind: 'failed', reason: 'The provider could not deliver it.' }
    if (status !== 'COMPLETE' && status !== 'PARTIAL') return { kind: 'pending' }
    if (await isOwned(phoneNumber)) return { kind: 'done', numberId: phoneNumber.slice(2) }
    return { kind: 'pending' }
  }

  return {
    ...{ link, monthlyPriceMicros, settleMs },
    search: ({ areaCode, nearby, limit }) =>
      available({
        ...(areaCode === null ? { state: 'CA' } : { areaCode }), // a search needs a filter
        quantity: String(Math.min(limit, FOUND_MAX)),
        LCA: String(nearby && areaCode !== null),
      }),
    find: async (phoneNumber) => {
      const found = await available({ npaNxxx: phoneNumber.slice(2, 9), quantity: BLOCK })
      return found.find(({ number }) => number === phoneNumber) ?? null
    },
    order: async ({ reference, phoneNumber, profileId }) => {
      const TelephoneNumberList = { TelephoneNumber: phoneNumber.slice(2) }
      const xml = await send('POST', 'orders', {
        Order: {
          CustomerOrderId: reference,
          Name: reference,
          ExistingTelephoneNumberOrderType: { TelephoneNumberList },
          SiteId: siteId,
          PeerId: profileId ?? locationId,
        },
      })
      const status = xml && textOf(xml, 'OrderStatus')
      if (!status) throw new RemoteFault('unknown', 'An order without a status.')
      // It exists. If its state is not available now, it is queried by its reference.
      return stateOf(status, phoneNumber).catch(() => ({ kind: 'pending' }) as const)
    },
    findOrder: async ({ reference, phoneNumber }) => {
      const query = queryOf({ customerOrderId: reference })
      const xml = (await send('GET', `orders?${query}`)) ?? ''
      const statuses = insidesOf(xml, 'OrderIdUserIdDate')
        .filter((order) => [reference, null].includes(textOf(order, 'CustomerOrderId')))
        .flatMap((order) => textsOf(order, 'OrderStatus'))
      const status = statuses.find((one) => one !== 'FAILED') ?? statuses[0]
      if (status !== undefined) return stateOf(status, phoneNumber)
      const isOurs = await isOwned(phoneNumber)
      return isOurs ? { kind: 'done', numberId: phoneNumber.slice(2) } : { kind: 'none' }
    },
    profileOf: (campaignId) => profiles.get(campaignId) ?? locationId,
    findProfile: async () => locationId,
    createProfile: async () => locationId,
    // The order has put it in its location, unless it belongs to another campaign now.
    bind: async ({ phoneNumber }, profileId) => {
      const location = `sites/${encodeURIComponent(siteId)}/sippeers/${encodeURIComponent(profileId)}`
      const FullNumber = phoneNumber.slice(2)
      const isThere = async () => (await send('GET', `${location}/tns/${FullNumber}`)) !== null
      if (await isThere()) return true
      await send('POST', `${location}/movetns`, { SipPeerTelephoneNumbers: { FullNumber } })
      return isThere()
    },
    release: async ({ phoneNumber }) => {
      if (!(await isOwned(phoneNumber))) return true
      const TelephoneNumberList = { TelephoneNumber: phoneNumber.slice(2) }
      await send('POST', 'disconnects', {
        DisconnectTelephoneNumberOrder: {
          Name: `longcode ${phoneNumber}`,
          DisconnectTelephoneNumberOrderType: { TelephoneNumberList },
        },
      })
      return !(await isOwned(phoneNumber))
    },
  }
}

function readOffer(detail: string): OfferedNumber[] {
  const digits = textOf(detail, 'FullNumber')
  if (digits === null || !/^\d{10}$/.test(digits)) return []
  const place = [textOf(detail, 'City'), textOf(detail, 'State')].filter((word) => word !== null)
  return [{ number: `+1${digits}`, location: place.join(', ') || null }]
}
