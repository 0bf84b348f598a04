// Twilio as a provider: the fields of its links, what its setup asks for, and what it can do.

import { Type } from 'typebox'
import { flag, secret, text } from '../../../kit/settings-file/field-schemas.js'
import { byCampaign, defineProvider, mapFrom, NUMBER_FIELDS, urlField } from '../provider-module.js'
import { ADDRESS_FIELD } from '../provisioning.js'
import { parseTwilioError, TWILIO_CODES } from './codes.js'
import { createTwilio } from './messages.js'
import { createTwilioNumbers } from './numbers.js'
import { openTwilioProvisioning } from './provisioning.js'

const URLS = { url: 'https://api.twilio.com', messagingUrl: 'https://messaging.twilio.com' }

export const twilio = defineProvider({
  name: 'twilio',
  title: 'Twilio',
  codes: TWILIO_CODES,
  // 5 MB in all. Files other than JPEG, PNG and GIF: 500 kB.
  media: { bytesMax: 5_000_000, otherBytesMax: 500_000 },
  fields: Type.Object({
    url: urlField(URLS.url),
    lookUpUrl: urlField('https://lookups.twilio.com'),
    accountSid: text(1, 100, {
      pattern: '^AC[0-9a-f]{32}$',
      'x-expects': 'must be AC and 32 digits of hex',
    }),
    authToken: secret(1, 500),
    apiKey: Type.Optional(text(1, 100)),
    apiSecret: Type.Optional(secret(1, 500)),
    services: byCampaign(),
    answersKeywords: flag(true),
    messagingUrl: urlField(URLS.messagingUrl),
    numbers: Type.Optional(Type.Object(NUMBER_FIELDS)),
  }),
  secrets: ['authToken', 'apiSecret'],
  readAccount: ({ accountSid, authToken, apiKey, apiSecret, answersKeywords, ...own }) => {
    if ((apiKey === undefined) !== (apiSecret === undefined)) {
      const [there, missing] =
        apiSecret === undefined ? ['apiKey', 'apiSecret'] : ['apiSecret', 'apiKey']
      return [{ path: [there], text: `needs ${missing} too` }]
    }
    const settings = {
      ...{ baseUrl: own.url, lookUpUrl: own.lookUpUrl, accountSid, authToken, answersKeywords },
      services: mapFrom(own.services),
      user: apiKey ?? accountSid,
      password: apiSecret ?? authToken,
    }
    return {
      ...{ id: accountSid, secret: authToken },
      createMessages: (now) => createTwilio({ ...settings, now }),
      numbers: {
        ...{ profiles: settings.services, parseError: parseTwilioError },
        create: (shared, client) =>
          createTwilioNumbers({ ...shared, ...settings, messagingUrl: own.messagingUrl }, client),
      },
    }
  },
  setup: {
    about: 'The account’s SID and its token.',
    container: 'messaging service',
    fields: [
      {
        ...{ name: 'accountSid', variable: 'TWILIO_ACCOUNT_SID', isRequired: true },
        question: 'Account SID (Account Info, on the first page of twilio.com)',
        ...{ pattern: /^AC[0-9a-f]{32}$/, expects: 'must be AC and 32 digits of hex' },
        form: {
          label: 'Account SID',
          help: 'Account Info, on the first page of twilio.com. AC and 32 digits.',
        },
      },
      {
        ...{ name: 'authToken', variable: 'TWILIO_AUTH_TOKEN', isSecret: true, isRequired: true },
        question: 'Auth token (in addition to the account SID)',
        form: {
          label: 'Auth token',
          help: 'Next to the account SID. It signs Twilio’s callbacks.',
        },
      },
      {
        ...{ name: 'apiKey', variable: 'TWILIO_API_KEY' },
        question: 'API key to send with (else the token)',
      },
      {
        ...{ name: 'apiSecret', variable: 'TWILIO_API_SECRET', isSecret: true },
        question: 'Secret of the API key',
      },
      { name: 'url', variable: 'TWILIO_URL', question: 'Address of its API', ...ADDRESS_FIELD },
      {
        ...{ name: 'messagingUrl', variable: 'TWILIO_MESSAGING_URL' },
        question: 'Address of its messaging services',
        ...ADDRESS_FIELD,
      },
    ],
    urls: URLS,
    pair: ['apiKey', 'apiSecret'],
    callbackAuth: { kind: 'field', text: 'Its calls are signed with the auth token.' },
    containerFields: { byCampaign: 'services' },
    hasRegistration: false,
    noFundsCodes: [],
    parseError: parseTwilioError,
    open: openTwilioProvisioning,
  },
})
