// A whole service that answers calls on loopback, with its own trunks file and numbers to call.

import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import type { TestContext } from 'node:test'
import { activeCampaign, buyNumber } from '../../fixtures.js'
import { type TestService, testService } from '../../harness.js'
import { until } from '../../until.js'
import { privateFolder } from '../peer-process.js'

export const TARGET = '+14155550188'
export const OTHER_TARGET = '+14155550189'
/** Stands behind our number in Diversion. */
export const DIVERSION_HOST = 'voice.ours.test'

interface Wanted {
  env?: Record<string, string>
  /** Where redirected calls go. */
  contactHost?: string
  /** Whether the service itself answers, or nodes that the test starts. */
  isListening?: boolean
}

export interface VoiceService {
  service: TestService
  /** Of UDP and TCP; 0 where it does not listen. */
  port: number
  tlsPort: number
  /** The settings that a node of it needs to answer the same calls. */
  env: Record<string, string>
  /** A number of the account whose calls go to the target. Once it is bought, the service itself knows so. */
  buy: (target: string | null) => Promise<string>
  /** The same: a caller who comes now hears of the target. */
  forward: (number: string, target: string | null) => Promise<void>
}

/** Calls come from 127.0.0.1, and from nowhere else. */
export async function voiceService(t: TestContext, wanted: Wanted = {}): Promise<VoiceService> {
  const { contactHost = 'carrier.test', isListening = true } = wanted
  const env = {
    LONGCODE_SIP_PORT: '0',
    // Tests call one number as often as they like, unless they are about it.
    LONGCODE_NUMBER_CALLS_PER_SECOND: '0',
    LONGCODE_ACCOUNT_CALLS_PER_SECOND: '0',
    LONGCODE_TRUNKS: writeTrunks(t, contactHost),
    ...wanted.env,
  }
  const service = await testService(t, { env, roles: isListening ? ['voice'] : [] })
  const { campaignId } = await activeCampaign(service)
  const isFollowed = (number: string, target: string | null) => () =>
    !service.voice || service.voice.forwardings.find(number) === target
  const forward: VoiceService['forward'] = async (number, target) => {
    const path = `/v1/number/${encodeURIComponent(number)}/forwarding`
    const reply = await service.call('PATCH', path, { forwardNumber: target })
    assert.equal(reply.status, 200, JSON.stringify(reply.body))
    await until(isFollowed(number, target), `${number} to be forwarded to ${target}`)
  }
  const buy: VoiceService['buy'] = async (target) => {
    const number = await buyNumber(service, campaignId)
    if (target !== null) await forward(number, target)
    else await until(isFollowed(number, null), `${number} to be known`)
    return number
  }
  const { port = 0, tlsPort } = service.voice?.listening ?? {}
  return { service, port, tlsPort: tlsPort ?? 0, env, buy, forward }
}

function writeTrunks(t: TestContext, contactHost: string): string {
  const trunk = {
    name: 'peers',
    sources: ['127.0.0.1'],
    contactHost,
    diversionHost: DIVERSION_HOST,
  }
  const file = path.join(privateFolder(t), 'trunks.json')
  writeFileSync(file, JSON.stringify({ trunks: [trunk] }))
  return file
}
