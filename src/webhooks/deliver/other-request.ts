// One request in another format than ours: its signature and headers, and what happens with its answer.

import type { HttpAnswer, HttpClient } from '../../kit/http-client/http-client.js'
import { HttpFailure } from '../../kit/http-client/http-client.js'
import type { OtherFormat } from '../other-format.js'
import {
  eventHeaders,
  methodOf,
  type RequestHead,
  TWILIO_GET_MARK,
  TWILIO_MARK,
} from '../sent-request.js'
import type { WebhookFormat } from '../webhook.js'
import { USER_AGENT } from './sign-event.js'

/** For the requests that follow the first one, so all of them end within the lease. */
const FOLLOWING_MS = 8_000

export interface OtherDelivery {
  format: WebhookFormat
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
  const headOf = async (target: string, isGet: boolean): Promise<RequestHead> => {
    const full = isGet ? withForm(target, body) : target
    const signature = await format.sign(accountId, full, isGet ? '' : body)
    if (signature === null) throw new HttpFailure('bad_url', NO_CREDENTIAL)
    const timestamp = String(Math.floor(now.getTime() / 1000))
    const mark = isGet ? TWILIO_GET_MARK : TWILIO_MARK
    return { timestamp, userAgent: USER_AGENT, signatures: mark + signature, url: full }
  }
  const follow = async (target: string, asked: 'GET' | 'POST') => {
    const head = await headOf(target, asked === 'GET')
    const method = methodOf(head)
    const headers = eventHeaders(head, eventId, '')
    const sent = { headers, signal, timeoutMs: FOLLOWING_MS, ...(method === 'POST' && { body }) }
    return http.request({ method, url: head.url, ...sent })
  }
  return {
    head: await headOf(url, delivery.format === 'twilio-get'),
    onAnswer: (answer) => format.act({ accountId, eventId, messageId, url, body, answer, follow }),
  }
}

/** The form after the query that the URL has. A fragment is never sent. */
function withForm(url: string, form: string): string {
  if (!URL.canParse(url)) return url
  const target = new URL(url)
  target.hash = ''
  target.search = target.search === '' ? form : `${target.search}&${form}`
  return target.href
}

const NO_CREDENTIAL =
  'The account has no credential for the Twilio-compatible API. Create one with POST /v1/account/twilio.'
