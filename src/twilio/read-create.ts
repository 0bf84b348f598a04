// Reads the parameters of a new message and checks them in Twilio's order and with Twilio's codes. The rest is checked
// like any send.

import type { Config } from '../kit/config.js'
import { readTime } from '../kit/contract/iso-time.js'
import type { Check } from '../kit/contract/validation.js'
import { checkTargetUrl } from '../kit/http-client/public-address.js'
import { MEDIA_COUNT_MAX } from '../messages/media.js'
import type { SendInput } from '../messages/send/compose-message.js'
import { VALIDITY_SECONDS_MAX, VALIDITY_SECONDS_MIN } from '../messages/validity.js'
import { isE164 } from '../text/phone-number.js'
import { BODY_LENGTH_MAX } from '../text/segments.js'
import type { FormBody } from './form.js'
import { METADATA } from './message-metadata.js'
import { campaignIdOf } from './sids.js'
import { TwilioRefusal } from './twilio-error.js'

/** Replaces the missing text of an MMS during the checks, which require one. */
const NO_TEXT = 'MMS'

const NOT_SERVED = ['ContentSid', 'ContentVariables', 'ApplicationSid'] as const

export type CreateConfig = Pick<Config, 'mode' | 'publicUrl' | 'webhookAllow'>

/** Throws a refusal. */
export function readCreate(form: FormBody, config: CreateConfig, check: Check): SendInput {
  for (const name of NOT_SERVED) {
    if (form.get(name)) throw new TwilioRefusal(20001, `The parameter ${name} is not supported.`)
  }
  const to = form.get('To')
  if (to === undefined) throw new TwilioRefusal(21604, "A 'To' phone number is required.")
  const sender = readSender(form)
  const body = form.get('Body')
  const mediaUrls = readMedia(form)
  if (body === undefined && mediaUrls.length === 0) {
    throw new TwilioRefusal(21602, 'Message body is required.')
  }
  const input: SendInput = {
    body: body ?? NO_TEXT,
    to: readRecipient(to),
    ...sender,
    ...(mediaUrls.length > 0 && { mediaUrls }),
    ...readTiming(form),
  }
  if (body !== undefined && isTooLong(body)) {
    const text = `The message body exceeds the ${BODY_LENGTH_MAX} character limit.`
    throw new TwilioRefusal(21617, text)
  }
  const refusal = check(input)
  if (refusal) throw refusal
  const callback = readStatusCallback(form.get('StatusCallback'), config)
  return {
    ...input,
    ...(body === undefined && { body: '' }),
    ...(callback && { metadata: { [METADATA.statusCallback]: callback } }),
  }
}

/** In characters. Most texts have fewer UTF-16 units than that. */
function isTooLong(body: string): boolean {
  return body.length > BODY_LENGTH_MAX && [...body].length > BODY_LENGTH_MAX
}

function readSender(form: FormBody): Pick<SendInput, 'from' | 'campaign'> {
  const [from, service] = [form.get('From'), form.get('MessagingServiceSid')]
  if (from === undefined && service === undefined) {
    throw new TwilioRefusal(
      21603,
      "A 'From' phone number or a 'MessagingServiceSid' is required to send a message.",
    )
  }
  const campaign = service === undefined ? undefined : campaignIdOf(service)
  if (campaign === null) {
    throw new TwilioRefusal(21701, `The Messaging Service ${shown(service!)} does not exist.`, 404)
  }
  // From may also be a service, as in Twilio's clients.
  const alsoService = from === undefined ? null : campaignIdOf(from)
  if (alsoService) return { campaign: campaign ?? alsoService }
  const number = from === undefined ? undefined : toE164(from)
  if (number === null) {
    const text = `The 'From' number ${shown(from!)} is not a valid phone number.`
    throw new TwilioRefusal(21212, text)
  }
  return { ...(number && { from: number }), ...(campaign && { campaign }) }
}

function readRecipient(text: string): string {
  const number = toE164(text)
  if (number !== null) return number
  if (/^\+(?!1)\d{7,15}$/.test(text)) {
    throw new TwilioRefusal(21408, 'Only +1 numbers can be messaged.')
  }
  throw new TwilioRefusal(21211, `The 'To' number ${shown(text)} is not a valid phone number.`)
}

/** Twilio also accepts national numbers and punctuation. Null if it is not a +1 number. */
export function toE164(text: string): string | null {
  if (isE164(text)) return text
  const digits = text.length > 40 ? '' : text.replaceAll(/[ ().+-]/g, '')
  if (/^[2-9]\d{9}$/.test(digits)) return text.startsWith('+') ? null : `+1${digits}`
  return /^1[2-9]\d{9}$/.test(digits) ? `+${digits}` : null
}

function readMedia(form: FormBody): string[] {
  const urls = form.list('MediaUrl')
  if (urls.length > MEDIA_COUNT_MAX) {
    const text = `Number of media files exceeds the limit of ${MEDIA_COUNT_MAX}.`
    throw new TwilioRefusal(21623, text)
  }
  return urls
}

function readTiming(form: FormBody): Pick<SendInput, 'scheduledAt' | 'validitySeconds'> {
  const [sendAt, validity] = [form.get('SendAt'), form.get('ValidityPeriod')]
  if (validity !== undefined && !/^\d{1,6}$/.test(validity)) {
    throw new TwilioRefusal(20001, 'ValidityPeriod must be a number of seconds.')
  }
  const seconds = Math.min(
    Math.max(Number(validity ?? 0), VALIDITY_SECONDS_MIN),
    VALIDITY_SECONDS_MAX,
  )
  return {
    ...(sendAt !== undefined && { scheduledAt: readSendAt(sendAt) }),
    ...(validity !== undefined && { validitySeconds: seconds }),
  }
}

function readSendAt(text: string): string {
  try {
    return readTime('SendAt', text).toISOString()
  } catch {
    throw new TwilioRefusal(35114, 'SendAt must be an ISO 8601 time, such as 2027-01-01T00:00:00Z.')
  }
}

/** Undefined if none is requested. */
export function readStatusCallback(
  url: string | undefined,
  { mode, webhookAllow: allow }: CreateConfig,
): string | undefined {
  if (url === undefined) return undefined
  const target = checkTargetUrl(url, { allowPrivate: mode === 'sandbox', allow })
  if (!target.ok) throw new TwilioRefusal(21609, `The StatusCallback URL ${target.problem}.`)
  return url
}

const SHOWN_MAX = 60

/** Part of a value, for an error text. */
function shown(text: string): string {
  return text.slice(0, SHOWN_MAX).toWellFormed()
}
