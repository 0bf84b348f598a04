// Twilio's numbers. An order completes immediately and returns the number, labeled with our reference. A number
// belongs to a campaign through its messaging service.

import { RemoteFault } from '../../../kit/http-client/remote-fault.js'
import { findAreaCode } from '../../../numbers/nearby.js'
import type { NumberSource, OfferedNumber } from '../../../numbers/number-source.js'
import type { ProviderRequest } from '../provider.js'
import { type ProviderClient, queryOf } from '../provider-client.js'
import { basicAuth, profileName, type SourceSettings } from '../provider-module.js'
import { listAt, parseJson, textAt } from '../read-answer.js'
import { BOUND_ALREADY } from './codes.js'

export interface TwilioNumberSettings extends SourceSettings {
  baseUrl: string
  /** For its messaging services. */
  messagingUrl: string
  accountSid: string
  user: string
  password: string
}

const FOUND_MAX = 1_000
const NEARBY_MILES = '100'
const SERVICES_PER_PAGE = 500
const PAGES_MAX = 20

export function createTwilioNumbers(
  settings: TwilioNumberSettings,
  client: ProviderClient,
): NumberSource {
  const { link, monthlyPriceMicros, settleMs, profiles, callbackUrl, messagingUrl } = settings
  const account = `${settings.baseUrl}/2010-04-01/Accounts/${encodeURIComponent(settings.accountSid)}`
  const send = async (
    method: ProviderRequest['method'],
    url: string,
    form?: Record<string, string>,
  ) => {
    const type = { 'content-type': 'application/x-www-form-urlencoded' }
    const headers = {
      authorization: basicAuth(settings.user, settings.password),
      ...(form && type),
    }
    const answer = await client.request({
      method,
      url,
      headers,
      ...(form && { body: queryOf(form) }),
    })
    return answer && parseJson(answer.body)
  }

  const available = async (fields: Record<string, string>, limit: number) => {
    const query = queryOf({
      ...{ SmsEnabled: 'true', MmsEnabled: 'true', VoiceEnabled: 'true', ...fields },
      PageSize: String(Math.min(limit, FOUND_MAX)),
    })
    const found = await send('GET', `${account}/AvailablePhoneNumbers/US/Local.json?${query}`)
    return listAt(found, 'available_phone_numbers').flatMap(readOffer)
  }

  /** Its ID there. Null if it is not ours. */
  const findOwned = async (phoneNumber: string): Promise<string | null> => {
    const query = queryOf({ PhoneNumber: phoneNumber })
    const found = await send('GET', `${account}/IncomingPhoneNumbers.json?${query}`)
    const owned = listAt(found, 'incoming_phone_numbers').find(
      (one) => textAt(one, 'phone_number') === phoneNumber,
    )
    return textAt(owned, 'sid')
  }

  return {
    ...{ link, monthlyPriceMicros, settleMs },
    search: async ({ areaCode, nearby, limit }) => {
      if (areaCode === null) return available({}, limit)
      const found = await available({ AreaCode: areaCode }, limit)
      const place = findAreaCode(areaCode)
      if (found.length > 0 || !nearby || !place) return found
      const near = { NearLatLong: `${place.latitude},${place.longitude}`, Distance: NEARBY_MILES }
      return available(near, limit)
    },
    find: async (phoneNumber) => {
      const found = await available({ Contains: phoneNumber.slice(2) }, 10)
      return found.find(({ number }) => number === phoneNumber) ?? null
    },
    order: async ({ reference, phoneNumber }) => {
      const order = { PhoneNumber: phoneNumber, FriendlyName: reference, SmsUrl: callbackUrl }
      const answer = await send('POST', `${account}/IncomingPhoneNumbers.json`, order)
      const numberId = textAt(answer, 'sid')
      if (numberId === null) throw new RemoteFault('unknown', 'A number without an id.')
      return { kind: 'done', numberId }
    },
    // If it is ours, it was ordered: there is no order apart from the number.
    findOrder: async ({ phoneNumber }) => {
      const numberId = await findOwned(phoneNumber)
      return numberId === null ? { kind: 'none' } : { kind: 'done', numberId }
    },
    profileOf: (campaignId) => profiles.get(campaignId) ?? null,
    findProfile: async (campaignId) => {
      const name = profileName(campaignId)
      let url: string | null = `${messagingUrl}/v1/Services?PageSize=${SERVICES_PER_PAGE}`
      for (let page = 0; url !== null && page < PAGES_MAX; page += 1) {
        const answer: unknown = await send('GET', url)
        const own = listAt(answer, 'services').find((one) => textAt(one, 'friendly_name') === name)
        if (own) return textAt(own, 'sid')
        url = nextPage(messagingUrl, textAt(answer, 'meta', 'next_page_url'))
      }
      return null
    },
    createProfile: async (campaignId) => {
      const answer = await send('POST', `${messagingUrl}/v1/Services`, {
        FriendlyName: profileName(campaignId),
        InboundRequestUrl: callbackUrl,
        InboundMethod: 'POST',
        SmartEncoding: 'false', // ours is folded already
        StickySender: 'false', // the sender is ours to choose
      })
      const id = textAt(answer, 'sid')
      if (id === null) throw new RemoteFault('unknown', 'A service without an id.')
      return id
    },
    // A number is in at most one service. Not found: already removed.
    unbind: async ({ numberId }, profileId) => {
      const url = `${messagingUrl}/v1/Services/${encodeURIComponent(profileId)}/PhoneNumbers`
      await send('DELETE', `${url}/${encodeURIComponent(numberId)}`)
    },
    bind: async ({ numberId }, profileId) => {
      const url = `${messagingUrl}/v1/Services/${encodeURIComponent(profileId)}/PhoneNumbers`
      try {
        if (await send('POST', url, { PhoneNumberSid: numberId })) return true
      } catch (error) {
        if (error instanceof RemoteFault && error.code === BOUND_ALREADY) return true
        throw error
      }
      throw new RemoteFault('later', 'The messaging service of the campaign is gone.')
    },
    // Not found: already released.
    release: async ({ numberId }) => {
      await send('DELETE', `${account}/IncomingPhoneNumbers/${encodeURIComponent(numberId)}.json`)
      return true
    },
  }
}

/** Only the query string comes from the provider's link: the origin is the operator's setting. */
function nextPage(messagingUrl: string, next: string | null): string | null {
  const [query] = next?.match(/\?.*/s) ?? []
  return query === undefined ? null : `${messagingUrl}/v1/Services${query}`
}

function readOffer(one: unknown): OfferedNumber[] {
  const number = textAt(one, 'phone_number')
  if (number === null || !/^\+1\d{10}$/.test(number)) return []
  const place = [textAt(one, 'locality'), textAt(one, 'region')].filter((word) => word !== null)
  return [{ number, location: place.join(', ') || null }]
}
