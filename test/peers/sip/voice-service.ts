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
/** The host of our number in Diversion. */
export const DIVERSION_HOST = 'voice.ours.test'

interface VoiceOptions {
  env?: Record<string, string>
  /** Where redirected calls go. */
  contactHost?: string
  /** Whether the service itself answers, or nodes that the test starts. */
  isListening?: boolean
}

export interface VoiceService {
  service: TestService
  /** For UDP and TCP. 0 if it does not listen. */
  port: number
  tlsPort: number
  /** The settings another node needs to answer the same calls. */
  env: Record<string, string>
  /** Buys a number that forwards to the target, and waits until the service has loaded it. */
  buy: (target: string | null) => Promise<string>
  /** Changes the target of a number, and waits until the service has loaded it. */
  forward: (number: string, target: string | null) => Promise<void>
}

/** Calls are accepted only from 127.0.0.1. */
export async function voiceService(
  t: TestContext,
  options: VoiceOptions = {},
): Promise<VoiceService> {
  const { contactHost = 'carrier.test', isListening = true } = options
  const env = {
    LONGCODE_SIP_PORT: '0',
    // Tests may call a number without limit, unless they test the limit.
    LONGCODE_NUMBER_CALLS_PER_SECOND: '0',
    LONGCODE_ACCOUNT_CALLS_PER_SECOND: '0',
    LONGCODE_TRUNKS: writeTrunks(t, contactHost),
    ...options.env,
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
