// Setup at Twilio: a messaging service with our URL for inbound messages, and numbers in it. Twilio signs its callbacks
// with the auth token, so the token is tested even if messages use an API key.

import { RemoteFault } from '../../../kit/http-client/remote-fault.js'
import type { ProviderRequest } from '../provider.js'
import { type ProviderClient, queryOf } from '../provider-client.js'
import { basicAuth } from '../provider-module.js'
import {
  type AccountNumber,
  type Callbacks,
  nullIfRefused,
  type ProvisioningClient,
  type SetupValues,
  type TestOutcome,
  unreadable,
} from '../provisioning.js'
import { listAt, objectAt, textAt } from '../read-answer.js'
import { BOUND_ALREADY } from './codes.js'

const PER_PAGE = '500'
const PAGES_MAX = 20

export function openTwilioProvisioning(
  values: SetupValues,
  client: ProviderClient,
): ProvisioningClient {
  const { url = '', messagingUrl = '', accountSid = '', authToken = '' } = values
  const { apiKey = accountSid, apiSecret = authToken } = values
  const account = `${url}/2010-04-01/Accounts/${accountSid}`
  const services = `${messagingUrl}/v1/Services`
  const sendAs = (
    authorization: string,
    what: string,
    method: ProviderRequest['method'],
    url: string,
    form?: Record<string, string>,
  ) => {
    const type = { 'content-type': 'application/x-www-form-urlencoded' }
    const headers = { authorization, ...(form && type) }
    const body = form && { body: queryOf(form) }
    return client.requestJson({ method, url, headers, ...body }, { what })
  }
  const send = sendAs.bind(null, basicAuth(apiKey, apiSecret))
  const sendAsAccount = sendAs.bind(null, basicAuth(accountSid, authToken))

  /** Only the query string of the next page comes from the provider: the origin is the operator's setting. */
  const listServices = async (): Promise<unknown[]> => {
    const found: unknown[] = []
    let query: string | null = `PageSize=${PER_PAGE}`
    for (let page = 0; query !== null && page < PAGES_MAX; page += 1) {
      const answer: unknown = await send('its messaging services', 'GET', `${services}?${query}`)
      if (!Array.isArray(objectAt(answer).services)) {
        throw unreadable('Twilio', 'its messaging services', services)
      }
      found.push(...listAt(answer, 'services'))
      query = textAt(answer, 'meta', 'next_page_url')?.split('?')[1] ?? null
    }
    return found
  }
  const inService = async (serviceId: string): Promise<Set<string>> => {
    const url = `${services}/${encodeURIComponent(serviceId)}/PhoneNumbers?PageSize=${PER_PAGE}`
    const found = listAt(await send('the numbers of the service', 'GET', url), 'phone_numbers')
    return new Set(found.flatMap((one) => textAt(one, 'phone_number') ?? []))
  }
  let containerId: string | null = null

  return {
    check: async () => {
      const found = await sendAsAccount('the account', 'GET', `${account}.json`)
      const status = textAt(found, 'status')
      if (status === null) throw unreadable('Twilio', 'the account', url)
      if (status !== 'active') {
        throw new RemoteFault(
          'refused',
          `The Twilio account is ${status}. Contact Twilio for the reason.`,
        )
      }
      await send('messages', 'GET', `${account}/Messages.json?PageSize=1`)
      const balance = await sendAsAccount('the balance', 'GET', `${account}/Balance.json`).catch(
        nullIfRefused,
      )
      const left = textAt(balance, 'balance')
      const text =
        left === null ? null : `Balance: ${left} ${textAt(balance, 'currency') ?? 'USD'}.`
      const hasNoMoney = left !== null && Number(left) <= 0
      return { text, hasNoMoney, isTrial: textAt(found, 'type') === 'Trial' }
    },
    findContainer: async (name, callbacks) => {
      const own = (await listServices()).find((one) => textAt(one, 'friendly_name') === name)
      containerId = textAt(own, 'sid')
      return containerId === null ? null : { id: containerId, differs: differences(own, callbacks) }
    },
    createContainer: async (name, callbacks) => {
      const form = { FriendlyName: name, ...formOf(callbacks) }
      containerId = textAt(await send('a messaging service', 'POST', services, form), 'sid')
      if (containerId === null) throw unreadable('Twilio', 'a messaging service', services)
      return containerId
    },
    changeContainer: async (id, callbacks) => {
      const url = `${services}/${encodeURIComponent(id)}`
      await send('a change of the messaging service', 'POST', url, formOf(callbacks))
    },
    listNumbers: async () => {
      const url = `${account}/IncomingPhoneNumbers.json?PageSize=${PER_PAGE}`
      const found = listAt(await send('its numbers', 'GET', url), 'incoming_phone_numbers')
      const serviceNumbers = containerId === null ? new Set() : await inService(containerId)
      return found.flatMap((one) => readNumber(one, serviceNumbers, containerId))
    },
    putNumber: async ({ id }, serviceId) => {
      const url = `${services}/${encodeURIComponent(serviceId)}/PhoneNumbers`
      try {
        await send('the number’s messaging service', 'POST', url, { PhoneNumberSid: id })
      } catch (error) {
        if (!(error instanceof RemoteFault) || error.code !== BOUND_ALREADY) throw error
      }
    },
    isRegistered: async (_number, serviceId) => {
      const url = `${services}/${encodeURIComponent(serviceId)}/Compliance/Usa2p?PageSize=50`
      const answer = await send('the campaign of the service', 'GET', url).catch(nullIfRefused)
      if (!Array.isArray(objectAt(answer).compliance)) return null
      return listAt(answer, 'compliance').some(
        (one) => textAt(one, 'campaign_status') === 'VERIFIED',
      )
    },
    send: async ({ from, to, text, statusUrl }) => {
      const form = {
        ...{ From: from, To: to, Body: text, SmartEncoded: 'false' },
        ...(statusUrl !== null && { StatusCallback: statusUrl }),
      }
      const answer = await send('the test message', 'POST', `${account}/Messages.json`, form)
      const id = textAt(answer, 'sid')
      if (id === null) throw unreadable('Twilio', 'the test message', url)
      return id
    },
    outcomeOf: async (messageId) => {
      const url = `${account}/Messages/${encodeURIComponent(messageId)}.json`
      return readOutcome(await send('the test message', 'GET', url))
    },
  }
}

function formOf({ url }: Callbacks): Record<string, string> {
  return {
    ...(url !== null && { InboundRequestUrl: url, InboundMethod: 'POST' }),
    SmartEncoding: 'false', // we have already replaced Unicode symbols
    StickySender: 'false', // we choose the sender
    UseInboundWebhookOnNumber: 'false',
  }
}

function differences(service: unknown, { url }: Callbacks): string[] {
  const previous = textAt(service, 'inbound_request_url')
  return url === null || previous === url ? [] : [`its webhook was ${previous ?? 'not set'}`]
}

function readNumber(
  one: unknown,
  serviceNumbers: ReadonlySet<unknown>,
  containerId: string | null,
): AccountNumber[] {
  const [id, phoneNumber] = [textAt(one, 'sid'), textAt(one, 'phone_number')]
  if (id === null || phoneNumber === null) return []
  return [{ id, phoneNumber, containerId: serviceNumbers.has(phoneNumber) ? containerId : null }]
}

const STATES: Readonly<Record<string, TestOutcome['state']>> = {
  delivered: 'delivered',
  read: 'delivered',
  undelivered: 'failed',
  failed: 'failed',
  canceled: 'failed',
}

function readOutcome(answer: unknown): TestOutcome {
  const status = textAt(answer, 'status') ?? 'queued'
  const code = textAt(answer, 'error_code')
  const parts = [status, code, textAt(answer, 'error_message')]
  const text = parts.filter((word) => word !== null).join(' ')
  return { state: STATES[status] ?? 'waiting', text, code }
}
