// The request of an attempt: its headers as they are sent, the few of its words that are kept, and the whole
// put together from them again. One list of headers serves both, so what is shown is what was sent.

import { sentHeaders } from '../kit/http-client/sent-headers.js'

/** What differs from attempt to attempt. The secrets that signed are not among it. */
export interface RequestHead {
  /** As the receiver reads it, in seconds. */
  timestamp: string
  userAgent: string
  /** One for each secret that was live. */
  signatures: string
  url: string
}

/** In the order in which they are sent. */
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

/** As it is stored: a line each, the URL last, which is the customer's text and may hold anything. */
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

/** The whole of it but for the body, whose size is in a header. `signature` is shown as it is given here. */
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
