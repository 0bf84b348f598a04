// An answer as octets. Via, From, To, Call-ID and CSeq leave as they came; the To-tag is made from them and
// from a key that all nodes share, so each gives the same answer to the same request and keeps nothing.

import { createHmac, type KeyObject } from 'node:crypto'
import type { SipRequest } from '../message/parse-message.js'
import { type Source, withSource } from '../message/via.js'

const TAG_LENGTH = 16

const REASONS = {
  200: 'OK',
  302: 'Moved Temporarily',
  404: 'Not Found',
  405: 'Method Not Allowed',
  416: 'Unsupported URI Scheme',
  420: 'Bad Extension',
  480: 'Temporarily Unavailable',
  481: 'Call/Transaction Does Not Exist',
  482: 'Loop Detected',
  483: 'Too Many Hops',
  484: 'Address Incomplete',
  503: 'Service Unavailable',
}

export type PlainStatus = keyof typeof REASONS

export interface AnswerLine {
  status: number
  reason: string
}

export function plain(status: PlainStatus): AnswerLine {
  return { status, reason: REASONS[status] }
}

/** `more` are whole header lines. */
export function writeAnswer(
  request: SipRequest,
  source: Source,
  tag: string,
  { status, reason }: AnswerLine,
  more: readonly string[],
): Buffer {
  const [, ...otherVias] = request.vias
  const to = request.hasToTag ? request.to : `${request.to};tag=${tag}`
  let text = `SIP/2.0 ${status} ${reason}\r\nVia: ${withSource(request.topVia, source)}\r\n`
  for (const via of otherVias) text += `Via: ${via}\r\n`
  text += `From: ${request.from}\r\nTo: ${to}\r\n`
  text += `Call-ID: ${request.callId}\r\nCSeq: ${request.cseq}\r\n`
  for (const line of more) text += `${line}\r\n`
  return Buffer.from(`${text}Content-Length: 0\r\n\r\n`, 'latin1')
}

/** The same for an INVITE, its repetitions and its CANCEL: without the method. */
export function toTag({ callId, from, vias }: SipRequest, key: KeyObject): string {
  const what = `${callId}\n${from}\n${vias[0]}`
  return createHmac('sha256', key).update(what, 'latin1').digest('base64url').slice(0, TAG_LENGTH)
}
