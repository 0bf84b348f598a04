// The request of an attempt: its headers as sent, the few values that are stored, and the whole rebuilt from them.
// One list of headers serves both, so what is shown is what was sent.

import { sentHeaders } from '../kit/http-client/sent-headers.js'

/** What differs between attempts. The signing secrets are not included. */
export interface RequestHead {
  /** In seconds, as the receiver reads it. */
  timestamp: string
  userAgent: string
  /** One for each valid secret. */
  signatures: string
  url: string
}

/** In the order sent. */
export function eventHeaders(
  { timestamp, userAgent, signatures }: RequestHead,
  eventId: string,
  signature: string,
): Record<string, string> {
  return {
    'content-type': 'application/json',
    'user-agent': userAgent,
    'x-webhook-signature': signature,
    'webhook-id': eventId,
    'webhook-timestamp': timestamp,
    'webhook-signature': signatures,
  }
}

/** The stored form: one line each, the URL last, because it is the customer's text and may contain anything. */
export function packHead({ timestamp, userAgent, signatures, url }: RequestHead): string {
  return `${timestamp}\n${userAgent}\n${signatures}\n${url}`
}

export function unpackHead(text: string): RequestHead {
  const [timestamp, userAgent, signatures, ...url] = text.split('\n')
  return {
    timestamp: timestamp!,
    userAgent: userAgent!,
    signatures: signatures!,
    url: url.join('\n'),
  }
}

export interface SentRequest {
  method: 'POST'
  url: string
  headers: { name: string; value: string }[]
}

/** All of it except the body, whose size is in a header. `signature` is shown as given here. */
export function describeRequest(
  packed: string,
  eventId: string,
  signature: string,
  body: string,
): SentRequest {
  const head = unpackHead(packed)
  const own = eventHeaders(head, eventId, signature)
  const headers = sentHeaders(head.url, own, Buffer.byteLength(body))
  return {
    method: 'POST',
    url: head.url,
    headers: headers.map(([name, value]) => ({ name, value })),
  }
}
