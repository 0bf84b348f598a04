// Twilio as a provider: the fields of its links, the inputs of its setup, and its features.

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
  // 5 MB in total. Files other than JPEG, PNG, and GIF: 500 kB.
  media: { bytesMax: 5_000_000, otherBytesMax: 500_000 },
  fields: Type.Object({
    url: urlField(URLS.url),
    lookUpUrl: urlField('https://lookups.twilio.com'),
    accountSid: text(1, 100, {
      pattern: '^AC[0-9a-f]{32}$',
      'x-expects': 'must be AC followed by 32 hex digits',
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
    about: 'Connect with your account SID and auth token. Supports messages and numbers.',
    container: 'messaging service',
    fields: [
      {
        ...{ name: 'accountSid', variable: 'TWILIO_ACCOUNT_SID', isRequired: true },
        question: 'Account SID (twilio.com, Account Info)',
        ...{ pattern: /^AC[0-9a-f]{32}$/, expects: 'must be AC followed by 32 hex digits' },
        form: {
          label: 'Account SID',
          help: 'twilio.com, Account Info. Starts with AC.',
        },
      },
      {
        ...{ name: 'authToken', variable: 'TWILIO_AUTH_TOKEN', isSecret: true, isRequired: true },
        question: 'Auth token (twilio.com, Account Info)',
        form: {
          label: 'Auth token',
          help: 'Next to the account SID. Twilio signs its callbacks with it.',
        },
      },
      {
        ...{ name: 'apiKey', variable: 'TWILIO_API_KEY' },
        question: 'API key for sending (default: the auth token)',
      },
      {
        ...{ name: 'apiSecret', variable: 'TWILIO_API_SECRET', isSecret: true },
        question: 'API key secret',
      },
      { name: 'url', variable: 'TWILIO_URL', question: 'API URL', ...ADDRESS_FIELD },
      {
        ...{ name: 'messagingUrl', variable: 'TWILIO_MESSAGING_URL' },
        question: 'Messaging services API URL',
        ...ADDRESS_FIELD,
      },
    ],
    urls: URLS,
    pair: ['apiKey', 'apiSecret'],
    callbackAuth: { kind: 'field', text: 'Twilio signs its callbacks with the auth token.' },
    containerFields: { byCampaign: 'services' },
    hasRegistration: false,
    noFundsCodes: [],
    parseError: parseTwilioError,
    open: openTwilioProvisioning,
  },
})
