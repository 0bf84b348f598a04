// The account at a fake provider, as the setup of a link sees it: its key, balance, profiles with their webhooks,
// numbers, and campaigns, in the formats of Telnyx, Twilio, and Bandwidth. The test decides what it contains.

import type { FakeNumbers, NumberReply, NumberRequest } from './fake-numbers.js'
import type { Outcome, Taken } from './fake-provider.js'

export class FakeAccount {
  /** The required `Authorization` header. Null accepts any. */
  authorization: string | null = null
  money = '25.00'
  isTrial = false
  publicKey: string | null = null
  /** By the id of a profile, application, or service: its current fields. */
  readonly containers = new Map<string, Record<string, string>>()
  /** Numbers and services with a registered campaign. */
  readonly registered = new Set<string>()
  /** The application that the location is linked to. */
  linkedTo: string | null = null
}

/** The parts of the fake provider that setup requests read. */
interface FakeState {
  account: FakeAccount
  numbers: FakeNumbers
  taken: readonly Taken[]
  outcomes: ReadonlyMap<string, Outcome>
}

/** Returns null for requests that are not about the account. */
export type SetupAnswer = (state: FakeState, asked: NumberRequest) => NumberReply

const ok = (body: unknown): NumberReply => ({ status: 200, body })

function outcomeOf({ taken, outcomes }: FakeState, id: string): Outcome | null {
  const message = taken.find((one) => one.id === id)
  return message ? (outcomes.get(message.to) ?? { status: 'delivered' }) : null
}

export const telnyxSetup: SetupAnswer = (state, { method, path, query, body }) => {
  const { account, numbers } = state
  const [, what = '', id = ''] = path.split('/').slice(1)
  const fields = body === '' ? {} : JSON.parse(body)
  const profileOf = ([id, own]: [string, object]) => ({ id, ...own })
  switch (`${method} ${what}`) {
    case 'GET public_key':
      if (account.publicKey === null) return { status: 404, body: { errors: [] } }
      return ok({ data: { public: account.publicKey, record_type: 'public_key' } })
    case 'GET balance':
      return ok({ data: { available_credit: account.money, currency: 'USD' } })
    case 'GET messaging_profiles': {
      const name = query.get('filter[name]')
      const found = [...account.containers].filter(([, own]) => own.name === name)
      return ok({ data: found.map(profileOf) })
    }
    case 'POST messaging_profiles': {
      const made = numbers.nextId('prf')
      numbers.profiles.set(made, fields.name)
      account.containers.set(made, fields)
      return ok({ data: { id: made, ...fields } })
    }
    case 'PATCH messaging_profiles':
      account.containers.set(id, { ...account.containers.get(id), ...fields })
      return ok({ data: { id } })
    case 'GET phone_numbers': {
      if (query.has('filter[phone_number]')) return null
      const held = [...numbers.purchased.values()]
      return ok({
        data: held.map(({ id, phoneNumber, profileId }) => ({
          ...{ id, phone_number: phoneNumber, status: 'active', messaging_profile_id: profileId },
        })),
      })
    }
    case 'GET messages': {
      const outcome = outcomeOf(state, id)
      const words = { delivered: 'delivered', failed: 'delivery_failed', sent: 'sent' }
      const status =
        outcome?.status === 'unconfirmed' ? 'delivery_unconfirmed' : words[outcome!.status]
      const errors = outcome?.code ? [{ code: outcome.code, title: 'Refused by the network' }] : []
      return ok({ data: { id, to: [{ status }], errors } })
    }
    case 'GET 10dlc': {
      if (!path.endsWith('/phone_number_campaigns')) return null
      const records = [...account.registered].map((phoneNumber) => ({
        ...{ phoneNumber, campaignId: 'C1', assignmentStatus: 'ASSIGNED' },
      }))
      return ok({ records, totalRecords: records.length })
    }
    default:
      return null
  }
}

export const twilioSetup: SetupAnswer = (state, { method, path, query, body }) => {
  const { account, numbers } = state
  const form = Object.fromEntries(new URLSearchParams(body))
  if (/\/Accounts\/\w+\.json$/.test(path)) {
    return ok({ status: 'active', type: account.isTrial ? 'Trial' : 'Full' })
  }
  if (path.endsWith('/Balance.json')) return ok({ balance: account.money, currency: 'USD' })
  const message = /\/Messages\/(\w+)\.json$/.exec(path)?.[1]
  if (message !== undefined) {
    const { status, code } = outcomeOf(state, message)!
    const word = {
      sent: 'sent',
      unconfirmed: 'sent',
      delivered: 'delivered',
      failed: 'undelivered',
    }
    return ok({ status: word[status], error_code: code ? Number(code) : null, error_message: null })
  }
  if (
    path.endsWith('/IncomingPhoneNumbers.json') &&
    method === 'GET' &&
    !query.has('PhoneNumber')
  ) {
    const held = [...numbers.purchased.values()]
    const listed = held.map(({ id: sid, phoneNumber: phone_number }) => ({ sid, phone_number }))
    return ok({ incoming_phone_numbers: listed })
  }
  const [, , , sid = '', part = ''] = path.split('/')
  switch (
    `${method} ${path.startsWith('/v1/Services') ? `Services ${sid && 'one'} ${part}` : ''}`
  ) {
    case 'GET Services  ': {
      const services = [...account.containers].map(([sid, own]) => ({
        ...{ sid, friendly_name: own.FriendlyName, inbound_request_url: own.InboundRequestUrl },
      }))
      return ok({ services, meta: { next_page_url: null } })
    }
    case 'POST Services  ': {
      const made = numbers.nextId('MG')
      numbers.profiles.set(made, form.FriendlyName!)
      account.containers.set(made, form)
      return { status: 201, body: { sid: made } }
    }
    case 'POST Services one ':
      account.containers.set(sid, { ...account.containers.get(sid), ...form })
      return ok({ sid })
    case 'GET Services one PhoneNumbers': {
      const held = [...numbers.purchased.values()].filter(({ profileId }) => profileId === sid)
      return ok({ phone_numbers: held.map(({ phoneNumber }) => ({ phone_number: phoneNumber })) })
    }
    case 'GET Services one Compliance':
      return ok({
        compliance: account.registered.size > 0 ? [{ campaign_status: 'VERIFIED' }] : [],
      })
    default:
      return null
  }
}

const APP_FIELDS = ['AppName', 'InboundCallbackUrl', 'OutboundCallbackUrl', 'UserId', 'Password']

/** Bandwidth documents its XML in prose. */
export const bandwidthSetup: SetupAnswer = (state, { method, path, query, body }) => {
  const { account, numbers } = state
  if (!path.startsWith('/dashboard/')) {
    const outcome = outcomeOf(state, query.get('messageId') ?? '')
    if (method !== 'GET' || !outcome) return null
    const messageStatus = outcome.status.toUpperCase()
    return ok({ messages: [{ messageStatus, errorCode: Number(outcome.code ?? 0) }] })
  }
  const [what = '', id = '', part = ''] = path.split('/').slice(5)
  if (what === 'sites' && !path.endsWith('/applicationSettings')) return null
  const xml = (text: string, status = 200): NumberReply => ({ status, body: text })
  const fields = Object.fromEntries(
    APP_FIELDS.flatMap((name) => {
      const found = new RegExp(`<${name}>([^<]*)</${name}>`).exec(body)?.[1]
      return found === undefined ? [] : [[name, found]]
    }),
  )
  const applicationOf = ([id, own]: [string, Record<string, string>]) => {
    const creds = `<UserId>${own.UserId}</UserId><Password>********</Password>`
    const urls = ['InboundCallbackUrl', 'OutboundCallbackUrl'].map(
      (one) => `<${one}>${own[one] ?? ''}</${one}>`,
    )
    return `<Application><ApplicationId>${id}</ApplicationId><AppName>${own.AppName}</AppName>${urls.join('')}<InboundCallbackCreds>${creds}</InboundCallbackCreds></Application>`
  }
  const wrapped = (inside: string) =>
    `<ApplicationProvisioningResponse>${inside}</ApplicationProvisioningResponse>`
  switch (`${method} ${what} ${part}`) {
    case 'GET applications ': {
      const all = [...account.containers].map(applicationOf).join('')
      return xml(wrapped(`<ApplicationList>${all}</ApplicationList>`))
    }
    case 'POST applications ': {
      const made = numbers.nextId('app')
      account.containers.set(made, fields)
      return xml(wrapped(applicationOf([made, fields])), 201)
    }
    case 'PATCH applications ':
      account.containers.set(id, { ...account.containers.get(id), ...fields })
      return xml(wrapped(applicationOf([id, account.containers.get(id)!])))
    case 'GET applications associatedsippeers': {
      const peers =
        account.linkedTo === id ? '<AssociatedSipPeer><PeerId>22</PeerId></AssociatedSipPeer>' : ''
      return xml(`<AssociatedSipPeersResponse>${peers}</AssociatedSipPeersResponse>`)
    }
    case 'GET sites sippeers':
      return xml(
        `<ApplicationsSettingsResponse><ApplicationsSettings><HttpMessagingV2AppId>${account.linkedTo ?? ''}</HttpMessagingV2AppId></ApplicationsSettings></ApplicationsSettingsResponse>`,
      )
    case 'PUT sites sippeers':
      account.linkedTo = /<HttpMessagingV2AppId>([^<]+)</.exec(body)![1]!
      return xml('<ApplicationsSettingsResponse/>')
    case 'GET inserviceNumbers ': {
      if (id !== '') return null
      const held = [...numbers.purchased.keys()].map(
        (one) => `<TelephoneNumber>${one.slice(2)}</TelephoneNumber>`,
      )
      return xml(`<TNs><TelephoneNumbers>${held.join('')}</TelephoneNumbers></TNs>`)
    }
    default:
      return null
  }
}
