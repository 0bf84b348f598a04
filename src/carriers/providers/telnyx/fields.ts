// Telnyx as a provider: the fields of its links, the inputs of its setup, and its features.

import { Type } from 'typebox'
import { VERTICALS } from '../../../brands/verticals.js'
import { choice, flag, secret, text } from '../../../kit/settings-file/field-schemas.js'
import { byCampaign, defineProvider, mapFrom, NUMBER_FIELDS, urlField } from '../provider-module.js'
import { ADDRESS_FIELD } from '../provisioning.js'
import { parseTelnyxError, TELNYX_CODES } from './codes.js'
import { createTelnyx, readPublicKey } from './messages.js'
import { createTelnyxNumbers } from './numbers.js'
import { openTelnyxProvisioning } from './provisioning.js'
import { createTelnyxRegistrar } from './registration.js'

const URLS = { url: 'https://api.telnyx.com' }

export const telnyx = defineProvider({
  name: 'telnyx',
  title: 'Telnyx',
  codes: TELNYX_CODES,
  // "less than 1 MB in all" (error 40317).
  media: { bytesMax: 1_000_000, otherBytesMax: 1_000_000 },
  fields: Type.Object({
    url: urlField(URLS.url),
    apiKey: secret(1, 500),
    publicKey: text(1, 100),
    profiles: byCampaign(),
    answersKeywords: flag(true),
    numbers: Type.Optional(Type.Object(NUMBER_FIELDS)),
    /** Where brands and campaigns are registered with the carriers. */
    registration: Type.Optional(
      Type.Object({
        /** The default industry of brands without one. */
        vertical: Type.Optional(choice(VERTICALS)),
        mock: flag(false),
      }),
    ),
  }),
  secrets: ['apiKey'],
  readAccount: ({
    url: baseUrl,
    apiKey: key,
    publicKey,
    answersKeywords,
    registration,
    ...own
  }) => {
    if (!isPublicKey(publicKey)) {
      const problem =
        'must be the public key of the account (44 base64 characters, under API Keys in the Telnyx portal)'
      return [{ path: ['publicKey'], text: problem }]
    }
    const profiles = mapFrom(own.profiles)
    return {
      ...{ id: key, secret: key },
      createMessages: () => createTelnyx({ baseUrl, key, publicKey, profiles, answersKeywords }),
      numbers: {
        ...{ profiles, parseError: parseTelnyxError },
        create: (settings, client) =>
          createTelnyxNumbers(
            { ...settings, baseUrl, key, registers: registration !== undefined },
            client,
          ),
      },
      ...(registration && {
        registration: {
          parseError: parseTelnyxError,
          create: (settings, client) => {
            const { vertical = null, mock: isMock } = registration
            return createTelnyxRegistrar({ ...settings, baseUrl, key, vertical, isMock }, client)
          },
        },
      }),
    }
  },
  setup: {
    about: 'Connect with one API key. Supports messages, numbers, and 10DLC registration.',
    container: 'messaging profile',
    fields: [
      {
        ...{ name: 'apiKey', variable: 'TELNYX_KEY', isSecret: true, isRequired: true },
        question: 'API key (portal.telnyx.com, API Keys)',
        form: { label: 'API key', help: 'portal.telnyx.com, API Keys. Starts with KEY.' },
      },
      {
        ...{ name: 'publicKey', variable: 'TELNYX_PUBLIC_KEY' },
        question: 'Public key (default: fetched from Telnyx)',
      },
      { name: 'url', variable: 'TELNYX_URL', question: 'API URL', ...ADDRESS_FIELD },
    ],
    urls: URLS,
    callbackAuth: {
      ...{ kind: 'public_key', field: 'publicKey' },
      missing:
        'Telnyx did not return the public key. Copy it from portal.telnyx.com (API Keys, Public Key), and set TELNYX_PUBLIC_KEY.',
    },
    containerFields: { byCampaign: 'profiles' },
    hasRegistration: true,
    noFundsCodes: ['20100'],
    parseError: parseTelnyxError,
    open: openTelnyxProvisioning,
  },
})

function isPublicKey(key: string): boolean {
  try {
    return readPublicKey(key).type === 'public'
  } catch {
    return false
  }
}
