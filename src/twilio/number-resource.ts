// Numbers as Twilio's clients read them.

import type { InventoryNumber, NumberRecord } from '../numbers/number.js'
import { formatNumber } from '../text/phone-number.js'
import { API_VERSION, accountPath, twilioDate } from './message-resource.js'
import { accountSid, numberSid, serviceSid } from './sids.js'
import type { SmsUrl } from './sms-url.js'

/** `urls`: the SmsUrl of each number that has one. */
export function numberResource(number: NumberRecord, urls: ReadonlyMap<string, SmsUrl>) {
  const { accountId, phoneNumber, campaignId, purchasedAt } = number
  const sid = numberSid(phoneNumber)
  const found = urls.get(phoneNumber)
  const sms = found?.campaignId === campaignId ? found : null
  return {
    sid,
    account_sid: accountSid(accountId),
    friendly_name: formatNumber(phoneNumber),
    phone_number: phoneNumber,
    date_created: twilioDate(purchasedAt),
    date_updated: twilioDate(purchasedAt),
    sms_url: sms?.url ?? '',
    sms_method: sms?.method ?? 'POST',
    sms_fallback_url: '',
    sms_fallback_method: 'POST',
    sms_application_sid: serviceSid(campaignId),
    voice_url: null,
    status_callback: '',
    status_callback_method: 'POST',
    capabilities: { voice: true, sms: true, mms: true, fax: false },
    address_requirements: 'none',
    beta: false,
    origin: 'twilio',
    status: 'in-use',
    api_version: API_VERSION,
    uri: `${accountPath(accountId)}/IncomingPhoneNumbers/${sid}.json`,
  }
}

export function availableResource({ number, location }: InventoryNumber) {
  const [locality = null, region = null] = location.split(', ')
  return {
    friendly_name: formatNumber(number),
    phone_number: number,
    lata: null,
    locality,
    rate_center: null,
    latitude: null,
    longitude: null,
    region,
    postal_code: null,
    iso_country: 'US',
    address_requirements: 'none',
    beta: false,
    capabilities: { voice: true, SMS: true, MMS: true, fax: false },
  }
}
