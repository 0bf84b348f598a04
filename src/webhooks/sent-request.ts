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
  /** W3C trace context, if a trace follows the message. */
  traceparent?: string
}

/** Start the signature of a form in Twilio's format, which has other headers. With GET, the URL has the form. */
export const TWILIO_MARK = 'twilio,'
export const TWILIO_GET_MARK = 'twilio-get,'

const MARKS = [TWILIO_MARK, TWILIO_GET_MARK]

export function methodOf({ signatures }: Pick<RequestHead, 'signatures'>): 'GET' | 'POST' {
  return signatures.startsWith(TWILIO_GET_MARK) ? 'GET' : 'POST'
}

const FORM_TYPE = 'application/x-www-form-urlencoded; charset=UTF-8'

/** In the order sent. */
export function eventHeaders(
  { timestamp, userAgent, signatures, traceparent }: RequestHead,
  eventId: string,
  signature: string,
): Record<string, string> {
  const mark = MARKS.find((one) => signatures.startsWith(one))
  if (mark !== undefined) {
    return {
      ...(mark === TWILIO_MARK && { 'content-type': FORM_TYPE }),
      'user-agent': userAgent,
      'i-twilio-idempotency-token': eventId,
      'x-twilio-signature': signatures.slice(mark.length),
      ...(traceparent !== undefined && { traceparent }),
    }
  }
  const headers: Record<string, string> = {
    'content-type': 'application/json',
    'user-agent': userAgent,
    'x-webhook-signature': signature,
    'webhook-id': eventId,
    'webhook-timestamp': timestamp,
    'webhook-signature': signatures,
  }
  if (traceparent !== undefined) headers.traceparent = traceparent
  return headers
}

/**
 * The stored form: one line each, the URL last, because it is the customer's text and may contain anything. The trace
 * context follows the signatures after a tab, which previous versions show as part of them.
 */
export function packHead(head: RequestHead): string {
  const { timestamp, userAgent, signatures, url, traceparent } = head
  const trace = traceparent === undefined ? '' : `\t${traceparent}`
  return `${timestamp}\n${userAgent}\n${signatures}${trace}\n${url}`
}

export function unpackHead(text: string): RequestHead {
  const [timestamp, userAgent, signing, ...url] = text.split('\n')
  const [signatures, traceparent] = signing!.split('\t')
  return {
    timestamp: timestamp!,
    userAgent: userAgent!,
    signatures: signatures!,
    url: url.join('\n'),
    ...(traceparent !== undefined && { traceparent }),
  }
}

export interface SentRequest {
  method: 'GET' | 'POST'
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
  const method = methodOf(head)
  const headers = sentHeaders(head.url, own, method === 'GET' ? null : Buffer.byteLength(body))
  return {
    method,
    url: head.url,
    headers: headers.map(([name, value]) => ({ name, value })),
  }
}
