// One request in another format than ours: its signature and headers, and what happens with its answer.

import type { HttpAnswer, HttpClient } from '../../kit/http-client/http-client.js'
import { HttpFailure } from '../../kit/http-client/http-client.js'
import type { OtherFormat } from '../other-format.js'
import { eventHeaders, type RequestHead, TWILIO_MARK } from '../sent-request.js'
import { USER_AGENT } from './sign-event.js'

/** For the requests that follow the first one, so all of them end within the lease. */
const FOLLOWING_MS = 8_000

export interface OtherDelivery {
  accountId: string
  eventId: string
  messageId: string | null
  /** Empty: the message names it. */
  url: string
  body: Buffer
}

export interface OtherRequest {
  head: RequestHead
  onAnswer: (answer: HttpAnswer) => Promise<string | null>
}

/** Throws an HttpFailure if there is no URL, or no key to sign with. */
export async function prepareOther(
  format: OtherFormat,
  http: HttpClient,
  delivery: OtherDelivery,
  { now, signal }: { now: Date; signal: AbortSignal },
): Promise<OtherRequest> {
  const { accountId, eventId, messageId } = delivery
  const body = delivery.body.toString()
  const url = delivery.url || (await format.findUrl(accountId, messageId))
  if (url === '') throw new HttpFailure('bad_url', 'The message no longer names a URL.')
  const headOf = async (target: string): Promise<RequestHead> => {
    const signature = await format.sign(accountId, target, body)
    if (signature === null) throw new HttpFailure('bad_url', NO_CREDENTIAL)
    const timestamp = String(Math.floor(now.getTime() / 1000))
    return { timestamp, userAgent: USER_AGENT, signatures: TWILIO_MARK + signature, url: target }
  }
  const post = async (target: string) => {
    const headers = eventHeaders(await headOf(target), eventId, '')
    const sent = { headers, body, signal, timeoutMs: FOLLOWING_MS }
    return http.request({ method: 'POST', url: target, ...sent })
  }
  return {
    head: await headOf(url),
    onAnswer: (answer) => format.act({ accountId, eventId, messageId, url, body, answer, post }),
  }
}

const NO_CREDENTIAL =
  'The account has no credential for the Twilio-compatible API. Create one with POST /v1/account/twilio.'
