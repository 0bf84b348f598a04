// Setup at Bandwidth: an application with our URL and the password for its callbacks, through the XML API of the
// dashboard. A location that is linked to the application provides its numbers. Messages use the messaging API.

import type { ProviderRequest } from '../provider.js'
import { type ProviderClient, queryOf } from '../provider-client.js'
import { basicAuth } from '../provider-module.js'
import {
  type Callbacks,
  type ProvisioningClient,
  type SetupValues,
  type TestOutcome,
  unreadable,
} from '../provisioning.js'
import { textAt } from '../read-answer.js'
import { insidesOf, textOf, textsOf, writeXml } from './xml.js'

const NUMBERS_MAX = '500'

export function openBandwidthProvisioning(
  values: SetupValues,
  client: ProviderClient,
): ProvisioningClient {
  const { url = '', dashboardUrl = '', accountId = '', user = '', password = '' } = values
  const { siteId, locationId } = values
  const authorization = basicAuth(user, password)
  const account = `${dashboardUrl}/accounts/${accountId}`
  const messages = `${url}/api/v2/users/${accountId}/messages`

  /** Sends a request to the dashboard. Null if the resource does not exist. */
  const send = async (
    what: string,
    method: ProviderRequest['method'],
    path: string,
    fields?: Record<string, unknown>,
  ): Promise<string | null> => {
    const type = fields && { 'content-type': 'application/xml' }
    const headers = { authorization, accept: 'application/xml', ...type }
    const head = '<?xml version="1.0" encoding="UTF-8"?>'
    const body = fields && { body: `${head}${writeXml(fields)}` }
    const answer = await client.request(
      { method, url: `${account}/${path}`, headers, ...body },
      { what },
    )
    return answer?.body.toString('utf8') ?? null
  }
  const listApplications = async (): Promise<string[]> => {
    const xml = await send('its applications', 'GET', 'applications')
    // An account without applications may return 404.
    if (xml !== null && !xml.includes('<ApplicationProvisioningResponse')) {
      throw unreadable('Bandwidth', 'its applications', dashboardUrl)
    }
    return insidesOf(xml ?? '', 'Application')
  }
  const place = `sites/${siteId}/sippeers/${locationId}/products/messaging/applicationSettings`
  const hasPlace = siteId !== undefined && locationId !== undefined

  return {
    check: async () => {
      await listApplications()
      const request = {
        method: 'GET',
        url: `${messages}?limit=1`,
        headers: { authorization },
      } as const
      await client.requestJson(request, { what: 'messages' })
      return { text: null, hasNoMoney: false, isTrial: false }
    },
    findContainer: async (name, callbacks) => {
      const own = (await listApplications()).find((one) => textOf(one, 'AppName') === name)
      const id = own === undefined ? null : textOf(own, 'ApplicationId')
      return id === null ? null : { id, differs: differences(own!, callbacks) }
    },
    createContainer: async (name, callbacks) => {
      const Application = { ServiceType: 'Messaging-V2', AppName: name, ...fieldsOf(callbacks) }
      const xml = await send('an application', 'POST', 'applications', { Application })
      const id = xml && textOf(xml, 'ApplicationId')
      if (!id) throw unreadable('Bandwidth', 'an application', dashboardUrl)
      return id
    },
    changeContainer: async (id, callbacks) => {
      const path = `applications/${encodeURIComponent(id)}`
      await send('a change of the application', 'PATCH', path, { Application: fieldsOf(callbacks) })
    },
    listNumbers: async () => {
      const query = queryOf({ page: '1', size: NUMBERS_MAX })
      const xml = await send('its numbers', 'GET', `inserviceNumbers?${query}`)
      const digits = textsOf(xml ?? '', 'TelephoneNumber').filter((one) => /^\d{10}$/.test(one))
      return digits.map((id) => ({ id, phoneNumber: `+1${id}`, containerId: null }))
    },
    isTied: async (id) => {
      if (hasPlace) {
        const xml = await send('the location', 'GET', place)
        return xml !== null && textOf(xml, 'HttpMessagingV2AppId') === id
      }
      const path = `applications/${encodeURIComponent(id)}/associatedsippeers`
      const xml = await send('the locations of the application', 'GET', path)
      return xml !== null && textOf(xml, 'PeerId') !== null
    },
    ...(hasPlace && {
      tie: async (id: string) => {
        const ApplicationsSettings = { HttpMessagingV2AppId: id }
        await send('the location’s application', 'PUT', place, { ApplicationsSettings })
      },
    }),
    // The dashboard reports the campaign of a number only for accounts where Bandwidth enabled it.
    isRegistered: async () => null,
    send: async ({ from, to, text, containerId: applicationId }) => {
      const headers = { authorization, 'content-type': 'application/json' }
      const body = JSON.stringify({ applicationId, to: [to], from, text })
      const request = { method: 'POST', url: messages, headers, body } as const
      const id = textAt(await client.requestJson(request, { what: 'the test message' }), 'id')
      if (id === null) throw unreadable('Bandwidth', 'the test message', url)
      return id
    },
    outcomeOf: async (messageId) => {
      const url = `${messages}?${queryOf({ messageId })}`
      const request = { method: 'GET', url, headers: { authorization } } as const
      return readOutcome(await client.requestJson(request, { what: 'the test message' }))
    },
  }
}

function fieldsOf({ url, user, password }: Callbacks): Record<string, unknown> {
  const creds = { UserId: user, Password: password }
  return {
    ...(url !== null && { InboundCallbackUrl: url, OutboundCallbackUrl: url }),
    InboundCallbackCreds: creds,
    OutboundCallbackCreds: creds,
  }
}

function differences(application: string, { url, user, password, isNew }: Callbacks): string[] {
  const found: string[] = []
  for (const name of ['InboundCallbackUrl', 'OutboundCallbackUrl']) {
    const previous = textOf(application, name)
    if (url !== null && previous !== url) found.push(`its ${name} was ${previous ?? 'not set'}`)
  }
  const creds = insidesOf(application, 'InboundCallbackCreds')[0] ?? ''
  const shown = textOf(creds, 'Password')
  const isOther = shown !== null && shown !== password && !/^\*+$/.test(shown)
  if (isNew || isOther || textOf(creds, 'UserId') !== user) found.push('its password was different')
  return found
}

const STATES: Readonly<Record<string, TestOutcome['state']>> = {
  DELIVERED: 'delivered',
  FAILED: 'failed',
  UNDELIVERED: 'failed',
}

function readOutcome(answer: unknown): TestOutcome {
  const status = textAt(answer, 'messages', 0, 'messageStatus') ?? 'QUEUED'
  const errorCode = textAt(answer, 'messages', 0, 'errorCode')
  const code = errorCode === '0' ? null : errorCode
  return { state: STATES[status] ?? 'waiting', text: code ? `${status} ${code}` : status, code }
}
