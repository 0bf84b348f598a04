// Bandwidth as a provider: the fields of its links, the inputs of its setup, and its features.

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
  // Bandwidth's media storage accepts 3.75 MB. Carriers refuse files over their own limits.
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
      // A number sends through the application that its location is linked to.
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
    about: 'Connect with an API user. Requires a contract and a location for your numbers.',
    container: 'application',
    fields: [
      {
        ...{ name: 'accountId', variable: 'BANDWIDTH_ACCOUNT_ID', isRequired: true },
        question: 'Account ID (the number in the dashboard URL)',
        form: { label: 'Account ID', help: 'The number in the dashboard URL.' },
        ...DIGITS,
      },
      {
        ...{ name: 'user', variable: 'BANDWIDTH_USER', isRequired: true },
        question: 'API user name',
        form: { label: 'API user', help: 'dashboard.bandwidth.com, Account, API users.' },
      },
      {
        ...{ name: 'password', variable: 'BANDWIDTH_PASSWORD', isSecret: true, isRequired: true },
        question: 'API user password',
        form: {
          label: 'API user password',
          help: 'The user needs the messaging and configuration roles.',
        },
      },
      {
        ...{ name: 'callbackUser', variable: 'BANDWIDTH_CALLBACK_USER' },
        question: 'User name for callbacks (default: longcode)',
      },
      {
        ...{ name: 'callbackPassword', variable: 'BANDWIDTH_CALLBACK_PASSWORD', isSecret: true },
        question: 'Password for callbacks (default: generated)',
        ...{ pattern: /^.{12,500}$/, expects: 'must be at least 12 characters' },
      },
      {
        ...{ name: 'siteId', variable: 'BANDWIDTH_SITE_ID', ...DIGITS },
        question: 'Sub-account ID of your numbers',
        form: {
          label: 'Sub-account ID',
          help: 'With a location ID, the location is linked to the application for you.',
        },
      },
      {
        ...{ name: 'locationId', variable: 'BANDWIDTH_LOCATION_ID', ...DIGITS },
        question: 'Location ID of your numbers',
        form: { label: 'Location ID', help: 'The location (SIP peer) of your numbers.' },
      },
      {
        ...{ name: 'url', variable: 'BANDWIDTH_URL' },
        question: 'Messaging API URL',
        ...ADDRESS_FIELD,
      },
      {
        ...{ name: 'dashboardUrl', variable: 'BANDWIDTH_DASHBOARD_URL' },
        question: 'Dashboard API URL',
        ...ADDRESS_FIELD,
      },
    ],
    urls: URLS,
    pair: ['siteId', 'locationId'],
    numberFields: ['siteId', 'locationId'],
    callbackAuth: {
      ...{ kind: 'password', userField: 'callbackUser', passwordField: 'callbackPassword' },
      missing:
        'A generated callback password could not be stored. Set BANDWIDTH_CALLBACK_PASSWORD.',
    },
    containerFields: { byCampaign: 'applications', others: 'application' },
    hasRegistration: false,
    noFundsCodes: [],
    parseError: parseBandwidthError,
    open: openBandwidthProvisioning,
  },
})
