// Calls for the listener tests: requests as trunks send them, an answerer without a database, and a reader of
// responses.

import assert from 'node:assert/strict'
import { type AnswerSettings, answerMessage } from '../src/sip/answer/answer-message.js'
import { NO_TRUNK_LIMITS, TrunkFinder, type TrunkSettings } from '../src/sip/answer/trunk.js'
import { DEFAULT_POLICY } from '../src/sip/forwarding/forwarding-policy.js'
import { ANY_FORM } from '../src/sip/forwarding/number-forms.js'
import { parseMessage, type SipResponse } from '../src/sip/message/parse-message.js'
import type { MessageAnswerer } from '../src/voice/listener.js'

const FORWARDED = '+14155550123'
export const TARGET = '+14155550188'

const SETTINGS: AnswerSettings = {
  find: (number) => (number === FORWARDED ? TARGET : undefined),
  policy: DEFAULT_POLICY,
  key: 'a key of all nodes',
  shedder: null,
  limiter: null,
}

/** Forwards one number and knows no other. */
export function testAnswerer(
  sources: readonly string[] = ['127.0.0.0/8', '::1'],
): MessageAnswerer & { asked: number } {
  const trunk: TrunkSettings = {
    name: 'test',
    sources,
    contactHost: 'sbc.trunk.test',
    contactTransport: null,
    diversionHost: 'voice.ours.test',
    isDiversionEmbedded: false,
    numberForms: ANY_FORM,
    limits: NO_TRUNK_LIMITS,
  }
  const trunks = new TrunkFinder([trunk])
  return {
    asked: 0,
    shareOf: ({ address }) => (trunks.find(address) ? { trunk: 'test', trunks: 1 } : null),
    pauseMs: () => 0,
    answer(bytes, source) {
      this.asked += 1
      const found = trunks.find(source.address)
      return found && answerMessage(bytes, source, found, SETTINGS, 0)
    },
  }
}

interface RequestOptions {
  method?: string
  number?: string
  callId?: string
  /** Parameters of the top Via, after the branch. */
  via?: string
  more?: readonly string[]
  body?: string
}

export function sipRequest({
  method = 'INVITE',
  number = FORWARDED,
  callId = '1@trunk.test',
  via = ';rport',
  more = [],
  body = '',
}: RequestOptions = {}): string {
  return [
    `${method} sip:${number}@ours.test SIP/2.0`,
    `Via: SIP/2.0/UDP trunk.test:5062;branch=z9hG4bK-${callId}${via}`,
    'From: <sip:+12125550100@trunk.test>;tag=a',
    `To: <sip:${number}@ours.test>`,
    `Call-ID: ${callId}`,
    `CSeq: 1 ${method}`,
    ...more,
    `Content-Length: ${body.length}`,
    '',
    body,
  ].join('\r\n')
}

const FIVE = ['via', 'from', 'to', 'call-id', 'cseq']

/** Fails unless it is a response with the five required headers. */
export function readAnswer(bytes: Buffer): SipResponse {
  const answer = parseMessage(bytes)
  assert.ok(answer.kind === 'response', bytes.toString('latin1'))
  for (const name of FIVE) assert.ok(answer.headers.get(name)?.[0], `an answer without ${name}`)
  return answer
}

/** Status and Call-ID. */
export function inShort(answer: SipResponse): string {
  return `${answer.status} ${answer.headers.get('call-id')![0]}`
}
