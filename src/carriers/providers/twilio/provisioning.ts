// Setting up at Twilio: a messaging service with our address for what comes in, and numbers in it. Its calls are signed
// with the auth token, which is therefore tried even where messages go out by a key of their own.

import { basic } from '../bandwidth/messages.js'
import { queryOf } from '../number-client.js'
import type { ProviderRequest } from '../provider.js'
import type { Callbacks, HeldNumber, ProviderDesk, TestOutcome } from '../provisioning.js'
import { createDeskClient, DeskFault, type DeskReach, nonsense } from '../provisioning-client.js'
import { listAt, objectAt, textAt } from '../read-answer.js'
import { saidByTwilio } from './numbers.js'

export interface TwilioDeskSettings {
  url: string
  messagingUrl: string
  accountSid: string
  authToken: string
  apiKey?: string
  apiSecret?: string
}

const PER_PAGE = '500'
const PAGES_MAX = 20
const BOUND_ALREADY = '21710'

export function openTwilioDesk(settings: TwilioDeskSettings, reach: DeskReach): ProviderDesk {
  const { accountSid, authToken, apiKey = accountSid, apiSecret = authToken } = settings
  const client = createDeskClient('twilio', reach, saidByTwilio)
  const account = `${settings.url}/2010-04-01/Accounts/${accountSid}`
  const services = `${settings.messagingUrl}/v1/Services`
  const askAs = (
    authorization: string,
    what: string,
    method: ProviderRequest['method'],
    url: string,
    form?: Record<string, string>,
  ) => {
    const type = { 'content-type': 'application/x-www-form-urlencoded' }
    const headers = { authorization, ...(form && type) }
    const body = form && { body: queryOf(form) }
    return client.askJson(what, { method, url, headers, ...body })
  }
  const ask = askAs.bind(null, basic(apiKey, apiSecret))
  const askAsAccount = askAs.bind(null, basic(accountSid, authToken))

  /** Only the query of the next page is taken from what it says: where it is asked is the host's choice. */
  const listServices = async (): Promise<unknown[]> => {
    const found: unknown[] = []
    let query: string | null = `PageSize=${PER_PAGE}`
    for (let page = 0; query !== null && page < PAGES_MAX; page += 1) {
      const answer: unknown = await ask('its messaging services', 'GET', `${services}?${query}`)
      if (!Array.isArray(objectAt(answer).services)) {
        throw nonsense('twilio', 'its messaging services', { url: services })
      }
      found.push(...listAt(answer, 'services'))
      query = textAt(answer, 'meta', 'next_page_url')?.split('?')[1] ?? null
    }
    return found
  }
  const inService = async (serviceId: string): Promise<Set<string>> => {
    const url = `${services}/${encodeURIComponent(serviceId)}/PhoneNumbers?PageSize=${PER_PAGE}`
    const found = listAt(await ask('the numbers of the service', 'GET', url), 'phone_numbers')
    return new Set(found.flatMap((one) => textAt(one, 'phone_number') ?? []))
  }
  let containerId: string | null = null

  return {
    check: async () => {
      const found = await askAsAccount('the account', 'GET', `${account}.json`)
      const status = textAt(found, 'status')
      if (status === null) throw nonsense('twilio', 'the account', { url: settings.url })
      if (status !== 'active') {
        throw new DeskFault('permission', `The account at Twilio is ${status}: ask Twilio why.`)
      }
      await ask('messages', 'GET', `${account}/Messages.json?PageSize=1`)
      const balance = await askAsAccount('the balance', 'GET', `${account}/Balance.json`).catch(
        forgiven,
      )
      const left = textAt(balance, 'balance')
      const text =
        left === null ? null : `${left} ${textAt(balance, 'currency') ?? 'USD'} are left.`
      const hasNoMoney = left !== null && Number(left) <= 0
      return { text, hasNoMoney, isTrial: textAt(found, 'type') === 'Trial' }
    },
    findContainer: async (name, callbacks) => {
      const own = (await listServices()).find((one) => textAt(one, 'friendly_name') === name)
      containerId = own ? textAt(own, 'sid') : null
      return containerId === null ? null : { id: containerId, differs: differences(own, callbacks) }
    },
    createContainer: async (name, callbacks) => {
      const form = { FriendlyName: name, ...formOf(callbacks) }
      containerId = textAt(await ask('a messaging service', 'POST', services, form), 'sid')
      if (containerId === null) throw nonsense('twilio', 'a messaging service', { url: services })
      return containerId
    },
    changeContainer: async (id, callbacks) => {
      const url = `${services}/${encodeURIComponent(id)}`
      await ask('a change of the messaging service', 'POST', url, formOf(callbacks))
    },
    listNumbers: async () => {
      const url = `${account}/IncomingPhoneNumbers.json?PageSize=${PER_PAGE}`
      const found = listAt(await ask('its numbers', 'GET', url), 'incoming_phone_numbers')
      const held = containerId === null ? new Set() : await inService(containerId)
      return found.flatMap((one) => readNumber(one, held, containerId))
    },
    putNumber: async ({ id }, serviceId) => {
      const url = `${services}/${encodeURIComponent(serviceId)}/PhoneNumbers`
      try {
        await ask('the number’s messaging service', 'POST', url, { PhoneNumberSid: id })
      } catch (error) {
        if (!(error instanceof DeskFault) || error.code !== BOUND_ALREADY) throw error
      }
    },
    isRegistered: async (_number, serviceId) => {
      const url = `${services}/${encodeURIComponent(serviceId)}/Compliance/Usa2p?PageSize=50`
      const answer = await ask('the campaign of the service', 'GET', url).catch(forgiven)
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
      const answer = await ask('the test message', 'POST', `${account}/Messages.json`, form)
      const id = textAt(answer, 'sid')
      if (id === null) throw nonsense('twilio', 'the test message', { url: settings.url })
      return id
    },
    outcomeOf: async (messageId) => {
      const url = `${account}/Messages/${encodeURIComponent(messageId)}.json`
      return readOutcome(await ask('the test message', 'GET', url))
    },
    close: () => client.close(),
  }
}

/** What is only good to know may be withheld. */
function forgiven(error: unknown): null {
  if (error instanceof DeskFault) return null
  throw error
}

function formOf({ url }: Callbacks): Record<string, string> {
  return {
    ...(url !== null && { InboundRequestUrl: url, InboundMethod: 'POST' }),
    SmartEncoding: 'false', // ours is folded already
    StickySender: 'false', // the sender is ours to choose
    UseInboundWebhookOnNumber: 'false',
  }
}

function differences(service: unknown, { url }: Callbacks): string[] {
  const former = textAt(service, 'inbound_request_url')
  return url === null || former === url ? [] : [`its webhook was ${former ?? 'not set'}`]
}

function readNumber(
  one: unknown,
  held: ReadonlySet<unknown>,
  containerId: string | null,
): HeldNumber[] {
  const [id, phoneNumber] = [textAt(one, 'sid'), textAt(one, 'phone_number')]
  if (id === null || phoneNumber === null) return []
  return [{ id, phoneNumber, containerId: held.has(phoneNumber) ? containerId : null }]
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
  const words = [status, code, textAt(answer, 'error_message')]
  const text = words.filter((word) => word !== null).join(' ')
  return { state: STATES[status] ?? 'waiting', text, code }
}
