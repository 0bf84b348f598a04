// The fields of the message form, the request they make, and why it cannot be sent yet. Pure.

import { fromLocalInput, toLocalInput } from '../../lib/local-time'
import { readRecipient } from '../../lib/recipient'
import { BODY_MAX, countCharacters, isBlank } from '../../lib/text-meter'

export interface Fields {
  campaign: string
  /** Empty: the service chooses, preferring the number the recipient knows. */
  from: string
  to: string
  body: string
  media: string[]
  pairs: { name: string; value: string }[]
  isLater: boolean
  /** In the format of a datetime-local field. */
  at: string
  /** In seconds. Empty: the service's default. */
  validity: string
}

export const EMPTY: Fields = {
  campaign: '',
  from: '',
  to: '',
  body: '',
  media: [],
  pairs: [],
  isLater: false,
  at: '',
  validity: '',
}

export interface SendSearch {
  campaign?: string
  to?: string
  from?: string
  body?: string
  at?: string
}

/** Values in the URL take precedence over the saved draft. */
export function fieldsOf({ at, ...texts }: SendSearch): Partial<Fields> {
  const moment = at ? new Date(at) : null
  if (!moment || Number.isNaN(moment.getTime())) return texts
  return { ...texts, isLater: true, at: toLocalInput(moment) }
}

export function mediaOf({ media }: Fields): string[] {
  return media.map((url) => url.trim()).filter((url) => url !== '')
}

/** The body of POST /v1/message/send, without empty fields. */
export function messageOf(fields: Fields, campaign: string, isSandbox: boolean) {
  const { from, to, body, validity } = fields
  const mediaUrls = mediaOf(fields)
  const pairs = fields.pairs.filter(({ name }) => name.trim() !== '')
  const at = fields.isLater ? fromLocalInput(fields.at) : null
  return {
    campaign,
    ...(from && { from }),
    to: readRecipient(to, isSandbox).phone ?? to.trim(),
    body,
    ...(mediaUrls.length > 0 && { mediaUrls }),
    ...(pairs.length > 0 && {
      metadata: Object.fromEntries(pairs.map(({ name, value }) => [name.trim(), value])),
    }),
    ...(at && { scheduledAt: at.toISOString() }),
    ...(validity && { validitySeconds: Number(validity) }),
  }
}

const AHEAD_MAX_MS = 35 * 86_400_000

/** By the service's clock, which the sandbox can move. */
export function timeProblem({ isLater, at }: Fields, now: Date): string | null {
  if (!isLater) return null
  const moment = fromLocalInput(at)
  if (!moment) return 'Choose a date and time.'
  if (moment <= now) return 'This time is in the past. Choose a later time, or send now.'
  return moment.getTime() - now.getTime() > AHEAD_MAX_MS ? 'Choose a time within 35 days.' : null
}

/** Why it cannot be sent yet. The API makes the final decision. */
export function blockOf(fields: Fields, now: Date, isSandbox: boolean): string | null {
  const { phone, problem } = readRecipient(fields.to, isSandbox)
  if (!phone) return problem ? 'Enter a complete number' : 'Enter a recipient'
  if (isBlank(fields.body)) return 'Write a message'
  const over = countCharacters(fields.body) - BODY_MAX
  if (over > 0) return `${over} characters too long`
  return timeProblem(fields, now) ? 'Choose another time' : null
}
