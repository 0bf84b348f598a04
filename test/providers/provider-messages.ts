// The message API of each provider, created from the fields of a link as in a carriers file.

import { generateKeyPairSync } from 'node:crypto'
import type { MessageApi } from '../../src/carriers/providers/provider.js'
import { PROVIDERS } from '../../src/carriers/providers/providers.js'

export type ProviderName = 'telnyx' | 'bandwidth' | 'twilio'

const publicKey = generateKeyPairSync('ed25519')
  .publicKey.export({ format: 'der', type: 'spki' })
  .subarray(-32)
  .toString('base64')

/** Every field that is required, or has a default. */
export const LINK_FIELDS: Record<ProviderName, Record<string, unknown>> = {
  telnyx: { url: 'https://t.test', apiKey: 'KEY', publicKey, answersKeywords: true },
  bandwidth: {
    ...{ url: 'https://b.test', lookUpUrl: 'https://l.test', dashboardUrl: 'https://d.test' },
    ...{ accountId: '55', user: 'u', password: 'p', application: 'app', mmsReceipts: false },
    ...{ callbackUser: 'cu', callbackPassword: 'hush-hush-hush' },
  },
  twilio: {
    ...{ url: 'https://w.test', lookUpUrl: 'https://l.test', messagingUrl: 'https://m.test' },
    ...{ accountSid: `AC${'0'.repeat(32)}`, authToken: 'tok', answersKeywords: true },
  },
}

/** Throws if the fields are refused. */
export function accountOf(name: ProviderName, more: Record<string, unknown> = {}) {
  const provider = PROVIDERS.find((one) => one.name === name)!
  const account = provider.readAccount({ ...LINK_FIELDS[name], ...more })
  if (Array.isArray(account)) throw new Error(JSON.stringify(account))
  return account
}

export function messagesOf(name: ProviderName, more?: Record<string, unknown>): MessageApi {
  return accountOf(name, more).createMessages(() => new Date())
}

export const MESSAGES: Record<ProviderName, MessageApi> = {
  telnyx: messagesOf('telnyx'),
  bandwidth: messagesOf('bandwidth'),
  twilio: messagesOf('twilio'),
}
