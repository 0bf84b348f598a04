// Setup at Telnyx: a messaging profile with our webhook, the public key of the account, and numbers in the profile.

import type { ProviderRequest } from '../provider.js'
import { type ProviderClient, queryOf } from '../provider-client.js'
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

const NUMBERS_MAX = '250'
const RECORDS_MAX = '500'

export function openTelnyxProvisioning(
  values: SetupValues,
  client: ProviderClient,
): ProvisioningClient {
  const { url: baseUrl = '', apiKey = '' } = values
  const send = (what: string, method: ProviderRequest['method'], path: string, fields?: object) => {
    const json = { 'content-type': 'application/json' }
    const headers = { authorization: `Bearer ${apiKey}`, ...(fields && json) }
    const url = `${baseUrl}/v2/${path}`
    const body = fields && { body: JSON.stringify(fields) }
    return client.requestJson({ method, url, headers, ...body }, { what })
  }
  const list = async (what: string, path: string) => {
    const answer = await send(what, 'GET', path)
    if (!Array.isArray(objectAt(answer).data)) {
      throw unreadable('Telnyx', what, baseUrl)
    }
    return listAt(answer, 'data')
  }
  return {
    check: async () => {
      await list('its messaging profiles', 'messaging_profiles?page[size]=1')
      const balance = await send('the balance', 'GET', 'balance').catch(nullIfRefused)
      const left = textAt(balance, 'data', 'available_credit')
      const currency = textAt(balance, 'data', 'currency') ?? 'USD'
      const text = left === null ? null : `Balance: ${left} ${currency}.`
      return { text, hasNoMoney: left !== null && Number(left) <= 0, isTrial: false }
    },
    publicKey: async () =>
      textAt(
        await send('the public key', 'GET', 'public_key').catch(nullIfRefused),
        'data',
        'public',
      ),
    findContainer: async (name, callbacks) => {
      const query = queryOf({ 'filter[name]': name, 'page[size]': '50' })
      const found = await list('its messaging profiles', `messaging_profiles?${query}`)
      const own = found.find((one) => textAt(one, 'name') === name)
      const id = textAt(own, 'id')
      return id === null ? null : { id, differs: differences(own, callbacks) }
    },
    createContainer: async (name, { url }) => {
      const answer = await send('a messaging profile', 'POST', 'messaging_profiles', {
        ...{ name, whitelisted_destinations: ['US', 'CA'], webhook_api_version: '2' },
        ...(url !== null && { webhook_url: url }),
      })
      const id = textAt(answer, 'data', 'id')
      if (id === null) throw unreadable('Telnyx', 'a messaging profile', baseUrl)
      return id
    },
    changeContainer: async (id, { url }) => {
      const fields = { webhook_url: url, webhook_api_version: '2' }
      await send(
        'a change of the messaging profile',
        'PATCH',
        `messaging_profiles/${encodeURIComponent(id)}`,
        fields,
      )
    },
    listNumbers: async () => {
      const query = queryOf({ 'filter[status]': 'active', 'page[size]': NUMBERS_MAX })
      return (await list('its numbers', `phone_numbers?${query}`)).flatMap(readNumber)
    },
    putNumber: async ({ id }, messaging_profile_id) => {
      const path = `phone_numbers/${encodeURIComponent(id)}/messaging`
      await send('the number’s profile', 'PATCH', path, { messaging_profile_id })
    },
    isRegistered: async ({ phoneNumber }) => {
      const query = queryOf({ recordsPerPage: RECORDS_MAX })
      const path = `10dlc/phone_number_campaigns?${query}`
      const answer = await send('numbers of campaigns', 'GET', path).catch(nullIfRefused)
      if (!Array.isArray(objectAt(answer).records)) return null
      const own = listAt(answer, 'records').find(
        (one) => textAt(one, 'phoneNumber') === phoneNumber,
      )
      return own !== undefined && textAt(own, 'assignmentStatus') !== 'FAILED_ASSIGNMENT'
    },
    send: async ({ from, to, text, statusUrl }) => {
      const answer = await send('the test message', 'POST', 'messages', {
        ...{ from, to, text, type: 'SMS' },
        ...(statusUrl !== null && { webhook_url: statusUrl }),
      })
      const id = textAt(answer, 'data', 'id')
      if (id === null) throw unreadable('Telnyx', 'the test message', baseUrl)
      return id
    },
    outcomeOf: async (messageId) =>
      readOutcome(
        await send('the test message', 'GET', `messages/${encodeURIComponent(messageId)}`),
      ),
  }
}

function differences(profile: unknown, { url }: Callbacks): string[] {
  const previous = textAt(profile, 'webhook_url')
  return url === null || previous === url ? [] : [`its webhook was ${previous ?? 'not set'}`]
}

function readNumber(one: unknown): AccountNumber[] {
  const [id, phoneNumber] = [textAt(one, 'id'), textAt(one, 'phone_number')]
  if (id === null || phoneNumber === null) return []
  return [{ id, phoneNumber, containerId: textAt(one, 'messaging_profile_id') }]
}

const STATES: Readonly<Record<string, TestOutcome['state']>> = {
  delivered: 'delivered',
  delivery_unconfirmed: 'unconfirmed',
  delivery_failed: 'failed',
  sending_failed: 'failed',
  expired: 'failed',
}

function readOutcome(answer: unknown): TestOutcome {
  const status = textAt(answer, 'data', 'to', 0, 'status') ?? 'queued'
  const error = objectAt(answer, 'data', 'errors', 0)
  const code = textAt(error, 'code')
  const parts = [status, code, textAt(error, 'title') ?? textAt(error, 'detail')]
  const text = parts.filter((word) => word !== null).join(' ')
  return { state: STATES[status] ?? 'waiting', text, code }
}
