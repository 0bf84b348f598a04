// Acts on an app's answer to an inbound message: sends its replies, once. Problems are returned as one text, for the
// record of the delivery.

import { hashRequest } from '../../accounts/idempotency.js'
import { Cache } from '../../kit/cache.js'
import { Refusal } from '../../kit/contract/refusal.js'
import type { Check } from '../../kit/contract/validation.js'
import { type HttpAnswer, HttpFailure } from '../../kit/http-client/http-client.js'
import type { SendInput } from '../../messages/send/compose-message.js'
import type { SendService } from '../../messages/send/send-message.js'
import { METADATA } from '../message-metadata.js'
import { type CreateConfig, readStatusCallback, toE164 } from '../read-create.js'
import { twilioErrorOf } from '../twilio-error.js'
import type { CallbackMessage } from './callback-body.js'
import {
  readTwiml,
  type Twiml,
  type TwimlMessage,
  TwimlProblem,
  type TwimlRedirect,
} from './twiml.js'

const REDIRECTS_MAX = 3
/** As Twilio: two programs that reply to each other must not do so forever. */
const REPLIES_MAX = 30
const REPLIES_MS = 30_000
const PAIRS_MAX = 10_000
/** Replaces the missing text of an MMS during the checks, which require one. */
const NO_TEXT = 'MMS'

export interface InboundAnswer {
  accountId: string
  eventId: string
  message: CallbackMessage
  url: string
  answer: HttpAnswer
  /** Sends the same form to another URL. */
  follow: (url: string, method: 'GET' | 'POST') => Promise<HttpAnswer>
}

interface AnswerDeps {
  sendService: Pick<SendService, 'send'>
  check: Check
  config: CreateConfig
}

export class TwimlAnswers {
  readonly #deps: AnswerDeps
  readonly #recent = new Cache<string, { count: number }>({ max: PAIRS_MAX, keptMs: REPLIES_MS })

  constructor(deps: AnswerDeps) {
    this.#deps = deps
  }

  /** Null if there was no problem. Rejects if a reply could not be stored: then the delivery is repeated. */
  async act(inbound: InboundAnswer): Promise<string | null> {
    const problems: string[] = []
    let { answer, url } = inbound
    let replies = 0
    for (let redirects = 0; ; redirects += 1) {
      const twiml = readAnswer(answer)
      if (typeof twiml === 'string') return [...problems, twiml].join(' ')
      for (const verb of twiml.ignored) problems.push(`<${verb}> is not supported and was ignored.`)
      for (const reply of twiml.messages) {
        replies += 1
        const problem = await this.#send(inbound, reply, { url, index: replies })
        if (problem) problems.push(problem)
      }
      if (twiml.redirect === null) break
      if (redirects === REDIRECTS_MAX) {
        problems.push(`It redirected more than ${REDIRECTS_MAX} times.`)
        break
      }
      const next = await redirect(inbound, twiml.redirect, url)
      if (typeof next === 'string') {
        problems.push(next)
        break
      }
      ;({ answer, url } = next)
    }
    return problems.length === 0 ? null : problems.join(' ')
  }

  async #send(
    { accountId, eventId, message }: InboundAnswer,
    reply: TwimlMessage,
    { url, index }: { url: string; index: number },
  ): Promise<string | null> {
    const refused = (refusal: Refusal) => {
      const { code, message: text } = twilioErrorOf(refusal)
      return `Reply ${index} was not sent: ${code} ${text}`
    }
    try {
      const input = this.#inputOf(reply, message, url)
      if (this.#isTooOften(`${accountId} ${input.from} ${input.to}`)) {
        return `Reply ${index} was not sent: 14107 more than ${REPLIES_MAX} replies in 30 seconds.`
      }
      const key = `twiml ${eventId} ${index}`
      const requestHash = hashRequest('TWIML', key, JSON.stringify(input))
      const sent = await this.#deps.sendService.send(accountId, input, { key, requestHash })
      return sent instanceof Refusal ? refused(sent) : null
    } catch (error) {
      if (error instanceof Refusal) return refused(error)
      throw error
    }
  }

  #inputOf(reply: TwimlMessage, inbound: CallbackMessage, base: string): SendInput {
    const { check, config } = this.#deps
    const from = reply.from === null ? inbound.to : (toE164(reply.from) ?? reply.from)
    const hasMedia = reply.mediaUrls.length > 0
    const callback = reply.statusCallback && absolute(reply.statusCallback, base)
    const url = readStatusCallback(callback ?? undefined, config)
    const input: SendInput = {
      body: reply.body === '' && hasMedia ? NO_TEXT : reply.body,
      to: reply.to === null ? inbound.from : (toE164(reply.to) ?? reply.to),
      from,
      ...(from === inbound.to && { campaign: inbound.campaignId }),
      ...(hasMedia && { mediaUrls: reply.mediaUrls.map((one) => absolute(one, base)) }),
    }
    const refusal = check(input)
    if (refusal) throw refusal
    const metadata = { [METADATA.reply]: 'true', ...(url && { [METADATA.statusCallback]: url }) }
    return { ...input, body: reply.body, metadata }
  }

  #isTooOften(pair: string): boolean {
    const recent = this.#recent.peek(pair) ?? { count: 0 }
    if (recent.count === 0) this.#recent.set(pair, recent)
    recent.count += 1
    return recent.count > REPLIES_MAX
  }
}

/** Twilio takes plain text for one message. */
function readAnswer({ headers, body, truncated }: HttpAnswer): Twiml | string {
  if (truncated) return 'The response is larger than 64 KB, so it was not read as TwiML.'
  const text = body.toString('utf8').replaceAll('\0', '')
  if (/^text\/plain\b/i.test(headers['content-type'] ?? '')) {
    const message = { to: null, from: null, statusCallback: null, body: text.trim(), mediaUrls: [] }
    return { messages: message.body === '' ? [] : [message], redirect: null, ignored: [] }
  }
  try {
    return readTwiml(text)
  } catch (error) {
    if (error instanceof TwimlProblem) return `The response is not TwiML: ${error.message}.`
    throw error
  }
}

/** The answer of the URL that it redirects to, or why there is none. */
async function redirect(
  { follow }: InboundAnswer,
  target: TwimlRedirect,
  base: string,
): Promise<{ answer: HttpAnswer; url: string } | string> {
  const url = absolute(target.url, base)
  try {
    const answer = await follow(url, target.method)
    if (answer.status >= 200 && answer.status < 300) return { answer, url }
    return `The URL of <Redirect> returned HTTP ${answer.status}.`
  } catch (error) {
    if (error instanceof HttpFailure) return `The URL of <Redirect> failed: ${error.message}`
    throw error
  }
}

function absolute(url: string, base: string): string {
  return URL.canParse(url, base) ? new URL(url, base).href : url
}
