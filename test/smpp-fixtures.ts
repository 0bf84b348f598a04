// SMPP link settings and messages for tests.

import { type SmppLinkSettings, USUAL_SMPP } from '../src/carriers/smpp/smpp-settings.js'
import type { Submission } from '../src/messages/carrier-port.js'

export const NOW = new Date('2026-11-16T05:00:00.000Z')

export function linkSettings(settings: Partial<SmppLinkSettings> = {}): SmppLinkSettings {
  const whom = { host: '127.0.0.1', port: 2775, systemId: 'us', password: 'secret' }
  return { ...USUAL_SMPP, name: 'aggregator', ...whom, ...settings }
}

export function submission(fields: Partial<Submission> = {}): Submission {
  return {
    accountId: 'acc_1' as Submission['accountId'],
    id: 'msg_1',
    campaignId: 'cmp_1',
    type: 'SMS',
    from: '+14152004000',
    to: '+14155550123',
    body: 'Hello',
    mediaUrls: [],
    attempt: 1,
    expiresAt: new Date(NOW.getTime() + 3_600_000),
    ...fields,
  }
}
