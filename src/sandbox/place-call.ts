// A simulated call to one of our numbers: the INVITE that a trunk would send, the response from the real call
// handling code, and what it means in a sentence.

import { randomBytes } from 'node:crypto'
import type { SipOutcome } from '../sip/answer/answer-message.js'
import type { TrunkSettings } from '../sip/answer/trunk.js'
import { FORWARDINGS_MAX } from '../sip/forwarding/forwarding-policy.js'
import { ANY_FORM, readUriNumber, writeNumber } from '../sip/forwarding/number-forms.js'
import { valuesOf } from '../sip/message/headers.js'
import { readNameAddress } from '../sip/message/name-address.js'
import { parseMessage, type SipResponse } from '../sip/message/parse-message.js'
import { readUri } from '../sip/message/uri.js'
import type { Source } from '../sip/message/via.js'

/** What handles calls behind the sockets: `Answerer` of voice/. */
export interface CallAnswerer {
  answerFor: (trunk: TrunkSettings, bytes: Buffer, source: Source) => SipOutcome
}

/** Both numbers E.164. */
interface Call {
  from: string
  to: string
}

interface PlacedCall {
  status: number
  reason: string
  forwardedTo: string | null
  heard: string
  request: string
  response: string
}

/** As if from this machine itself. */
const SOURCE: Source = { transport: 'udp', address: '127.0.0.1', port: 5060 }

/** A call that arrives by the trunk. */
export function placeCall(call: Call, answerer: CallAnswerer, trunk: TrunkSettings): PlacedCall {
  const request = writeInvite(call, trunk, randomBytes(8).toString('hex'))
  const outcome = answerer.answerFor(trunk, Buffer.from(request, 'latin1'), SOURCE)
  if (outcome.kind !== 'answered') throw new Error(`a sandbox call is ${outcome.kind}`)
  const response = parseMessage(outcome.bytes)
  if (response.kind !== 'response') throw new Error(`its answer is ${response.kind}`)
  const { status, reason } = response
  const forwardedTo = contactNumber(response)
  return {
    status,
    reason,
    forwardedTo,
    heard: hear(response, forwardedTo, outcome.why),
    request,
    response: outcome.bytes.toString('latin1'),
  }
}

/** Numbers in the trunk's format. `unique` makes it a separate call. */
function writeInvite({ from, to }: Call, { numberForms }: TrunkSettings, unique: string): string {
  const { prefix, called } = numberForms
  const number = `${encodeURIComponent(prefix)}${writeNumber(to, called[0] ?? 'e164')}`
  const { address: host, port } = SOURCE
  return [
    `INVITE sip:${number}@${host};user=phone SIP/2.0`,
    `Via: SIP/2.0/UDP ${host}:${port};branch=z9hG4bK${unique};rport`,
    'Max-Forwards: 70',
    `From: <sip:${from}@${host}>;tag=${unique.slice(0, 8)}`,
    `To: <sip:${number}@${host}>`,
    `Call-ID: ${unique}@${host}`,
    'CSeq: 1 INVITE',
    `Contact: <sip:${from}@${host}:${port}>`,
    'User-Agent: Longcode sandbox',
    'Content-Length: 0',
    '',
    '',
  ].join('\r\n')
}

/** The number that a redirected caller calls next. */
function contactNumber({ headers }: SipResponse): string | null {
  const [contact] = valuesOf(headers, 'contact') ?? []
  const address = contact === undefined ? null : readNameAddress(contact)
  const uri = address && readUri(address.uri)
  const read = uri && readUriNumber(uri, ANY_FORM)
  return read?.kind === 'number' ? read.number : null
}

/** By the internal refusal reason, which callers do not hear. */
const REASONS: Record<string, string> = {
  'not forwarded': 'the number is unavailable: its calls are not forwarded',
  outside:
    'the number is unavailable: it is forwarded to a number outside the United States and Canada',
  impossible: 'the number is unavailable: it is forwarded to a number that cannot exist',
  premium: 'the number is unavailable: it is forwarded to a premium number, which is not allowed',
  caribbean:
    'the number is unavailable: it is forwarded to a Caribbean number, which this service does not allow',
  itself: 'the call loops: the number is forwarded to itself',
  loop: 'the call loops: its forwarding leads back to it',
  chain: `the call is forwarded too many times (maximum ${FORWARDINGS_MAX})`,
  'not our number': 'the number does not exist: no account owns it',
  overload: 'the service has too many calls right now and should be tried again shortly',
}

function hear({ status, reason }: SipResponse, target: string | null, why: string | null): string {
  if (status === 302 && target !== null) return `The caller is redirected to ${target}.`
  const explanation = why === null ? undefined : REASONS[why]
  return explanation
    ? `The caller hears that ${explanation}.`
    : `The caller receives ${status} ${reason}.`
}
