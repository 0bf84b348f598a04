// Setting up at Bandwidth: an application with our address and the password that its calls show, by the XML of its
// dashboard; numbers come into it by a location that is tied to it. Messages are sent and looked for by its other API.

import { queryOf } from '../number-client.js'
import type { ProviderAnswer, ProviderRequest } from '../provider.js'
import type { Callbacks, ProviderDesk, TestOutcome } from '../provisioning.js'
import { createDeskClient, type DeskReach, nonsense } from '../provisioning-client.js'
import { objectAt, parseJson, textAt } from '../read-answer.js'
import { basic } from './messages.js'
import { saidByBandwidth } from './numbers.js'
import { insidesOf, textOf, textsOf, writeXml } from './xml.js'

export interface BandwidthDeskSettings {
  url: string
  dashboardUrl: string
  accountId: string
  user: string
  password: string
  siteId?: string
  locationId?: string
}

const NUMBERS_MAX = '500'

export function openBandwidthDesk(settings: BandwidthDeskSettings, reach: DeskReach): ProviderDesk {
  const { siteId, locationId } = settings
  const client = createDeskClient('bandwidth', reach, said)
  const authorization = basic(settings.user, settings.password)
  const account = `${settings.dashboardUrl}/accounts/${settings.accountId}`
  const messages = `${settings.url}/api/v2/users/${settings.accountId}/messages`

  /** Of the dashboard. Null where it is not there. */
  const ask = async (
    what: string,
    method: ProviderRequest['method'],
    path: string,
    fields?: Record<string, unknown>,
  ): Promise<string | null> => {
    const type = fields && { 'content-type': 'application/xml' }
    const headers = { authorization, accept: 'application/xml', ...type }
    const head = '<?xml version="1.0" encoding="UTF-8"?>'
    const body = fields && { body: `${head}${writeXml(fields)}` }
    const answer = await client.ask(what, { method, url: `${account}/${path}`, headers, ...body })
    return answer?.body.toString('utf8') ?? null
  }
  const listApplications = async (): Promise<string[]> => {
    const xml = await ask('its applications', 'GET', 'applications')
    // An account without one may answer 404.
    if (xml !== null && !xml.includes('<ApplicationProvisioningResponse')) {
      throw nonsense('bandwidth', 'its applications', { url: settings.dashboardUrl })
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
      await client.askJson('messages', request)
      return { text: null, hasNoMoney: false, isTrial: false }
    },
    findContainer: async (name, callbacks) => {
      const own = (await listApplications()).find((one) => textOf(one, 'AppName') === name)
      const id = own === undefined ? null : textOf(own, 'ApplicationId')
      return id === null ? null : { id, differs: differences(own!, callbacks) }
    },
    createContainer: async (name, callbacks) => {
      const Application = { ServiceType: 'Messaging-V2', AppName: name, ...fieldsOf(callbacks) }
      const xml = await ask('an application', 'POST', 'applications', { Application })
      const id = xml && textOf(xml, 'ApplicationId')
      if (!id) throw nonsense('bandwidth', 'an application', { url: settings.dashboardUrl })
      return id
    },
    changeContainer: async (id, callbacks) => {
      const path = `applications/${encodeURIComponent(id)}`
      await ask('a change of the application', 'PATCH', path, { Application: fieldsOf(callbacks) })
    },
    listNumbers: async () => {
      const query = queryOf({ page: '1', size: NUMBERS_MAX })
      const xml = await ask('its numbers', 'GET', `inserviceNumbers?${query}`)
      const digits = textsOf(xml ?? '', 'TelephoneNumber').filter((one) => /^\d{10}$/.test(one))
      return digits.map((id) => ({ id, phoneNumber: `+1${id}`, containerId: null }))
    },
    isTied: async (id) => {
      if (hasPlace) {
        const xml = await ask('the location', 'GET', place)
        return xml !== null && textOf(xml, 'HttpMessagingV2AppId') === id
      }
      const path = `applications/${encodeURIComponent(id)}/associatedsippeers`
      const xml = await ask('the locations of the application', 'GET', path)
      return xml !== null && textOf(xml, 'PeerId') !== null
    },
    ...(hasPlace && {
      tie: async (id: string) => {
        const ApplicationsSettings = { HttpMessagingV2AppId: id }
        await ask('the location’s application', 'PUT', place, { ApplicationsSettings })
      },
    }),
    // Which campaign a number belongs to, its dashboard tells only for what was switched on by Bandwidth.
    isRegistered: async () => null,
    send: async ({ from, to, text, containerId: applicationId }) => {
      const headers = { authorization, 'content-type': 'application/json' }
      const body = JSON.stringify({ applicationId, to: [to], from, text })
      const request = { method: 'POST', url: messages, headers, body } as const
      const id = textAt(await client.askJson('the test message', request), 'id')
      if (id === null) throw nonsense('bandwidth', 'the test message', { url: settings.url })
      return id
    },
    outcomeOf: async (messageId) => {
      const url = `${messages}?${queryOf({ messageId })}`
      const request = { method: 'GET', url, headers: { authorization } } as const
      return readOutcome(await client.askJson('the test message', request))
    },
    close: () => client.close(),
  }
}

/** One API refuses in XML, the other in JSON. */
function said(answer: ProviderAnswer) {
  const parsed = objectAt(parseJson(answer.body))
  const text = textAt(parsed, 'description')
  if (text === null) return saidByBandwidth(answer)
  return { code: textAt(parsed, 'code') ?? textAt(parsed, 'type'), text }
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
    const former = textOf(application, name)
    if (url !== null && former !== url) found.push(`its ${name} was ${former ?? 'not set'}`)
  }
  const creds = insidesOf(application, 'InboundCallbackCreds')[0] ?? ''
  const shown = textOf(creds, 'Password')
  const isOther = shown !== null && shown !== password && !/^\*+$/.test(shown)
  if (isNew || isOther || textOf(creds, 'UserId') !== user) found.push('its password was another')
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
