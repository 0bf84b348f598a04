// What the form of one message holds, what is sent of it, and why it cannot be sent yet. Pure.

import { fromLocalInput, toLocalInput } from '../../lib/local-time'
import { readRecipient } from '../../lib/recipient'
import { BODY_MAX, countCharacters, isBlank } from '../../lib/text-meter'

export interface Fields {
  campaign: string
  /** Empty: the service chooses, the number they know first. */
  from: string
  to: string
  body: string
  media: string[]
  pairs: { name: string; value: string }[]
  isLater: boolean
  /** As the field of the browser writes it. */
  at: string
  /** In seconds; empty: as the service has it. */
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

/** What an address gives goes before what was kept. */
export function fieldsOf({ at, ...texts }: SendSearch): Partial<Fields> {
  const moment = at ? new Date(at) : null
  if (!moment || Number.isNaN(moment.getTime())) return texts
  return { ...texts, isLater: true, at: toLocalInput(moment) }
}

export function mediaOf({ media }: Fields): string[] {
  return media.map((url) => url.trim()).filter((url) => url !== '')
}

/** The body of POST /v1/message/send: only what was given. */
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

/** By the clock of the service, which the sandbox can move. */
export function timeProblem({ isLater, at }: Fields, now: Date): string | null {
  if (!isLater) return null
  const moment = fromLocalInput(at)
  if (!moment) return 'Choose a day and a time.'
  if (moment <= now) return 'This time has passed. Choose one to come, or send now.'
  return moment.getTime() - now.getTime() > AHEAD_MAX_MS ? 'At most 35 days ahead.' : null
}

/** Why it cannot be sent yet; the API has the last word. */
export function blockOf(fields: Fields, now: Date, isSandbox: boolean): string | null {
  const { phone, problem } = readRecipient(fields.to, isSandbox)
  if (!phone) return problem ? 'The number is not whole' : 'Who gets it?'
  if (isBlank(fields.body)) return 'Nothing is written yet'
  const over = countCharacters(fields.body) - BODY_MAX
  if (over > 0) return `${over} characters too long`
  return timeProblem(fields, now) ? 'Choose another time' : null
}
