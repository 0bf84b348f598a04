// What must be known of an account at a provider before a link can be set up: each field with its question, and the
// variable of the environment that answers it where nobody is asked.

import type { ProviderName } from '../providers/provider-codes.js'

export interface SetupField {
  /** As in the carriers' file. */
  name: string
  question: string
  variable: string
  isSecret?: true
  isNeeded?: true
  /** Refused otherwise; the sentence goes on after the name. */
  pattern?: RegExp
  expects?: string
}

const ADDRESS = {
  pattern: /^https?:\/\/[^\s?#]+[^\s?#/]$/,
  expects: 'must be an address without a slash at its end',
}

const DIGITS = { pattern: /^\d{1,20}$/, expects: 'must be digits, such as 5500000' }

export const SETUP_FIELDS: Record<ProviderName, readonly SetupField[]> = {
  telnyx: [
    {
      ...{ name: 'apiKey', variable: 'TELNYX_KEY', isSecret: true, isNeeded: true },
      question: 'API key (portal.telnyx.com, API Keys)',
    },
    {
      name: 'publicKey',
      variable: 'TELNYX_PUBLIC_KEY',
      question: 'Public key (else it is fetched)',
    },
    { name: 'url', variable: 'TELNYX_URL', question: 'Address of its API', ...ADDRESS },
  ],
  bandwidth: [
    {
      ...{ name: 'accountId', variable: 'BANDWIDTH_ACCOUNT_ID', isNeeded: true },
      question: 'Account id (the number in the dashboard’s address)',
      ...DIGITS,
    },
    {
      ...{ name: 'user', variable: 'BANDWIDTH_USER', isNeeded: true },
      question: 'Name of the API user',
    },
    {
      ...{ name: 'password', variable: 'BANDWIDTH_PASSWORD', isSecret: true, isNeeded: true },
      question: 'Password of the API user',
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
    },
    {
      ...{ name: 'locationId', variable: 'BANDWIDTH_LOCATION_ID', ...DIGITS },
      question: 'Location of the numbers',
    },
    { name: 'url', variable: 'BANDWIDTH_URL', question: 'Address of its messages', ...ADDRESS },
    {
      ...{ name: 'dashboardUrl', variable: 'BANDWIDTH_DASHBOARD_URL' },
      question: 'Address of its dashboard’s API',
      ...ADDRESS,
    },
  ],
  twilio: [
    {
      ...{ name: 'accountSid', variable: 'TWILIO_ACCOUNT_SID', isNeeded: true },
      question: 'Account SID (Account Info, on the first page of twilio.com)',
      ...{ pattern: /^AC[0-9a-f]{32}$/, expects: 'must be AC and 32 digits of hex' },
    },
    {
      ...{ name: 'authToken', variable: 'TWILIO_AUTH_TOKEN', isSecret: true, isNeeded: true },
      question: 'Auth token (beside the account SID)',
    },
    {
      name: 'apiKey',
      variable: 'TWILIO_API_KEY',
      question: 'API key to send with (else the token)',
    },
    {
      ...{ name: 'apiSecret', variable: 'TWILIO_API_SECRET', isSecret: true },
      question: 'Secret of the API key',
    },
    { name: 'url', variable: 'TWILIO_URL', question: 'Address of its API', ...ADDRESS },
    {
      ...{ name: 'messagingUrl', variable: 'TWILIO_MESSAGING_URL' },
      question: 'Address of its messaging services',
      ...ADDRESS,
    },
  ],
}

export const USUAL_URLS: Record<ProviderName, Readonly<Record<string, string>>> = {
  telnyx: { url: 'https://api.telnyx.com' },
  bandwidth: {
    url: 'https://messaging.bandwidth.com',
    dashboardUrl: 'https://dashboard.bandwidth.com/api',
  },
  twilio: { url: 'https://api.twilio.com', messagingUrl: 'https://messaging.twilio.com' },
}
