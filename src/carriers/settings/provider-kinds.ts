// Links over the HTTP APIs of Telnyx, Bandwidth and Twilio in the carriers' file.

import type { Static } from 'typebox'
import { createBandwidth } from '../providers/bandwidth/messages.js'
import { createBandwidthNumbers, saidByBandwidth } from '../providers/bandwidth/numbers.js'
import { createRegistrationClient, type OpenRegistrar } from '../providers/registration-client.js'
import { createTelnyx, readPublicKey } from '../providers/telnyx/messages.js'
import { createTelnyxNumbers, saidByTelnyx } from '../providers/telnyx/numbers.js'
import {
  createTelnyxRegistrar,
  type TelnyxRegistrarSettings,
} from '../providers/telnyx/registration.js'
import { createTwilio } from '../providers/twilio/messages.js'
import { createTwilioNumbers, saidByTwilio } from '../providers/twilio/numbers.js'
import { defineKind } from './link-kind.js'
import {
  BandwidthFields,
  mapFrom,
  type NumbersOf,
  readProviderLink,
  TelnyxFields,
  TwilioFields,
} from './provider-fields.js'

export const telnyxKind = defineKind({
  fields: TelnyxFields,
  secrets: ['apiKey'],
  isConnected: false,
  read: (name, own, context) => {
    const { url: baseUrl, apiKey: key, publicKey, answersKeywords, registration } = own
    const registers = registration !== undefined
    if (!isPublicKey(publicKey)) {
      const text =
        'must be the public key of the account: 44 characters of base64, from its page on keys'
      return [{ path: ['publicKey'], text }]
    }
    const profiles = mapFrom(own.profiles)
    return readProviderLink({ name, kind: 'telnyx', own }, context, {
      secret: key,
      account: key,
      provider: () => createTelnyx({ baseUrl, key, publicKey, profiles, answersKeywords }),
      numbers: {
        ...{ provider: 'telnyx', profiles, said: saidByTelnyx },
        create: (settings, client) =>
          createTelnyxNumbers({ ...settings, baseUrl, key, registers }, client),
      },
      ...(registration && {
        openRegistrar: (shared) => openTelnyxRegistrar({ ...shared, baseUrl, key }, registration),
      }),
    })
  },
})

function openTelnyxRegistrar(
  settings: Omit<TelnyxRegistrarSettings, 'vertical' | 'isMock'>,
  { vertical, mock: isMock }: NonNullable<Static<typeof TelnyxFields>['registration']>,
): OpenRegistrar {
  const client = createRegistrationClient('telnyx', settings)
  return {
    client: createTelnyxRegistrar({ ...settings, vertical: vertical ?? null, isMock }, client),
    close: () => client.close(),
  }
}

function isPublicKey(text: string): boolean {
  try {
    return readPublicKey(text).type === 'public'
  } catch {
    return false
  }
}

export const bandwidthKind = defineKind({
  fields: BandwidthFields,
  secrets: ['password', 'callbackPassword'],
  isConnected: false,
  read: (name, own, context) => {
    const { url: baseUrl, mmsReceipts: hasMmsReceipts, applications, ...rest } = own
    const settings = { ...rest, baseUrl, hasMmsReceipts, applications: mapFrom(applications) }
    return readProviderLink({ name, kind: 'bandwidth', own }, context, {
      secret: own.callbackPassword,
      // A number sends through the application that its location is tied to.
      account: `${own.accountId} ${own.application}`,
      provider: () => createBandwidth(settings),
      ...(own.numbers && { numbers: bandwidthNumbers({ ...own, numbers: own.numbers }) }),
    })
  },
})

type BandwidthOwn = Static<typeof BandwidthFields>

function bandwidthNumbers({
  numbers,
  ...own
}: BandwidthOwn & { numbers: NonNullable<BandwidthOwn['numbers']> }): NumbersOf {
  const { dashboardUrl, accountId, user, password } = own
  const { siteId, locationId } = numbers
  const rest = { dashboardUrl, accountId, user, password, siteId, locationId }
  return {
    ...{ provider: 'bandwidth', profiles: mapFrom(numbers.locations), said: saidByBandwidth },
    create: (shared, client) => createBandwidthNumbers({ ...shared, ...rest }, client),
  }
}

export const twilioKind = defineKind({
  fields: TwilioFields,
  secrets: ['authToken', 'apiSecret'],
  isConnected: false,
  read: (name, own, context) => {
    const { accountSid, authToken, apiKey, apiSecret, answersKeywords } = own
    if ((apiKey === undefined) !== (apiSecret === undefined)) {
      const [there, missing] =
        apiSecret === undefined ? ['apiKey', 'apiSecret'] : ['apiSecret', 'apiKey']
      return [{ path: [there], text: `needs ${missing} beside it` }]
    }
    const settings = {
      ...{ baseUrl: own.url, lookUpUrl: own.lookUpUrl, accountSid, authToken, answersKeywords },
      services: mapFrom(own.services),
      user: apiKey ?? accountSid,
      password: apiSecret ?? authToken,
    }
    return readProviderLink({ name, kind: 'twilio', own }, context, {
      secret: authToken,
      account: accountSid,
      provider: (now) => createTwilio({ ...settings, now }),
      numbers: {
        ...{ provider: 'twilio', profiles: settings.services, said: saidByTwilio },
        create: (shared, client) =>
          createTwilioNumbers({ ...shared, ...settings, messagingUrl: own.messagingUrl }, client),
      },
    })
  },
})
