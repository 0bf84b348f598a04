// Bandwidth as a provider: the fields of its links, what its setup asks for, and what it can do.

import { Type } from 'typebox'
import { flag, secret, text } from '../../../kit/settings-file/field-schemas.js'
import { byCampaign, defineProvider, mapFrom, NUMBER_FIELDS, urlField } from '../provider-module.js'
import { ADDRESS_FIELD } from '../provisioning.js'
import { BANDWIDTH_CODES, parseBandwidthError, parseDashboardError } from './codes.js'
import { createBandwidth } from './messages.js'
import { createBandwidthNumbers } from './numbers.js'
import { openBandwidthProvisioning } from './provisioning.js'

const URLS = {
  url: 'https://messaging.bandwidth.com',
  dashboardUrl: 'https://dashboard.bandwidth.com/api',
}

const DIGITS = { pattern: /^\d{1,20}$/, expects: 'must be digits, such as 5500000' }

export const bandwidth = defineProvider({
  name: 'bandwidth',
  title: 'Bandwidth',
  codes: BANDWIDTH_CODES,
  // Its own store takes 3.75 MB. Networks refuse what is larger than they accept.
  media: { bytesMax: 3_750_000, otherBytesMax: 3_750_000 },
  fields: Type.Object({
    url: urlField(URLS.url),
    lookUpUrl: urlField('https://api.bandwidth.com'),
    accountId: text(1, 100),
    user: text(1, 200),
    password: secret(1, 500),
    application: text(1, 100),
    applications: byCampaign(),
    callbackUser: text(1, 200),
    callbackPassword: secret(12, 500),
    mmsReceipts: flag(false),
    dashboardUrl: urlField(URLS.dashboardUrl),
    numbers: Type.Optional(
      Type.Object({
        ...NUMBER_FIELDS,
        siteId: text(1, 40),
        locationId: text(1, 40),
        /** By our campaign. */
        locations: byCampaign(),
      }),
    ),
  }),
  secrets: ['password', 'callbackPassword'],
  readAccount: ({ url: baseUrl, mmsReceipts: hasMmsReceipts, applications, numbers, ...own }) => {
    const settings = { ...own, baseUrl, hasMmsReceipts, applications: mapFrom(applications) }
    return {
      // A number sends through the application that its location is tied to.
      id: `${own.accountId} ${own.application}`,
      secret: own.callbackPassword,
      createMessages: () => createBandwidth(settings),
      ...(numbers && {
        numbers: {
          ...{ profiles: mapFrom(numbers.locations), parseError: parseDashboardError },
          create: (shared, client) => {
            const { dashboardUrl, accountId, user, password } = own
            const { siteId, locationId } = numbers
            const place = { dashboardUrl, accountId, user, password, siteId, locationId }
            return createBandwidthNumbers({ ...shared, ...place }, client)
          },
        },
      }),
    }
  },
  setup: {
    about: 'An account by contract, with a location for the numbers.',
    container: 'application',
    fields: [
      {
        ...{ name: 'accountId', variable: 'BANDWIDTH_ACCOUNT_ID', isRequired: true },
        question: 'Account id (the number in the dashboard’s address)',
        form: { label: 'Account id', help: 'The number in the dashboard’s address.' },
        ...DIGITS,
      },
      {
        ...{ name: 'user', variable: 'BANDWIDTH_USER', isRequired: true },
        question: 'Name of the API user',
        form: { label: 'API user', help: 'dashboard.bandwidth.com, Account, API users.' },
      },
      {
        ...{ name: 'password', variable: 'BANDWIDTH_PASSWORD', isSecret: true, isRequired: true },
        question: 'Password of the API user',
        form: {
          label: 'Password of the API user',
          help: 'One with the roles for messaging and configuration.',
        },
      },
      {
        ...{ name: 'callbackUser', variable: 'BANDWIDTH_CALLBACK_USER' },
        question: 'Name that its calls show (else longcode)',
      },
      {
        ...{ name: 'callbackPassword', variable: 'BANDWIDTH_CALLBACK_PASSWORD', isSecret: true },
        question: 'Password that its calls show (else one is made)',
        ...{ pattern: /^.{12,500}$/, expects: 'must be 12 characters at least' },
      },
      {
        ...{ name: 'siteId', variable: 'BANDWIDTH_SITE_ID', ...DIGITS },
        question: 'Sub-account of the numbers',
        form: {
          label: 'Sub-account id',
          help: 'With the location: it is tied to the application for you.',
        },
      },
      {
        ...{ name: 'locationId', variable: 'BANDWIDTH_LOCATION_ID', ...DIGITS },
        question: 'Location of the numbers',
        form: { label: 'Location id', help: 'The location (SIP peer) that holds the numbers.' },
      },
      {
        ...{ name: 'url', variable: 'BANDWIDTH_URL' },
        question: 'Address of its messages',
        ...ADDRESS_FIELD,
      },
      {
        ...{ name: 'dashboardUrl', variable: 'BANDWIDTH_DASHBOARD_URL' },
        question: 'Address of its dashboard’s API',
        ...ADDRESS_FIELD,
      },
    ],
    urls: URLS,
    pair: ['siteId', 'locationId'],
    numberFields: ['siteId', 'locationId'],
    callbackAuth: {
      ...{ kind: 'password', userField: 'callbackUser', passwordField: 'callbackPassword' },
      missing:
        'Nobody could keep the password that would be made for its calls: give one as BANDWIDTH_CALLBACK_PASSWORD.',
    },
    containerFields: { byCampaign: 'applications', others: 'application' },
    hasRegistration: false,
    noFundsCodes: [],
    parseError: parseBandwidthError,
    open: openBandwidthProvisioning,
  },
})
