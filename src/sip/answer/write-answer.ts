// Writes an answer as bytes. Via, From, To, Call-ID, and CSeq are copied. The To-tag is derived from them and a key that
// all nodes share, so every node gives the same answer to the same request without state.

import { hash } from 'node:crypto'
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

/** `more` contains complete header lines. */
export function writeAnswer(
  request: SipRequest,
  source: Source,
  tag: string,
  { status, reason }: AnswerLine,
  more: readonly string[],
): Buffer {
  const to = request.hasToTag ? request.to : `${request.to};tag=${tag}`
  let text = `SIP/2.0 ${status} ${reason}\r\nVia: ${withSource(request.topVia, source)}\r\n`
  for (let i = 1; i < request.vias.length; i++) text += `Via: ${request.vias[i]}\r\n`
  text += `From: ${request.from}\r\nTo: ${to}\r\n`
  text += `Call-ID: ${request.callId}\r\nCSeq: ${request.cseq}\r\n`
  for (const line of more) text += `${line}\r\n`
  return Buffer.from(`${text}Content-Length: 0\r\n\r\n`, 'latin1')
}

/**
 * The same for an INVITE, its repetitions, and its CANCEL, so it does not include the method. Only a part of the hash
 * is visible, which rules out length extension, so a key prefix is as good as an HMAC at a quarter of the cost.
 */
export function toTag({ callId, from, vias }: SipRequest, key: string): string {
  return hash('sha256', `${key}\n${callId}\n${from}\n${vias[0]}`, 'base64url').slice(0, TAG_LENGTH)
}
