// Failures in Twilio's form: its codes and statuses for our refusals. Pure.

import { Refusal, type RefusalCode } from '../kit/contract/refusal.js'

/** A refusal with a code that only Twilio has. */
export class TwilioRefusal extends Refusal {
  readonly twilioCode: number
  readonly #status: number

  constructor(twilioCode: number, text: string, status = 400) {
    super('field_invalid', text)
    this.twilioCode = twilioCode
    this.#status = status
  }

  override get status(): number {
    return this.#status
  }
}

export interface TwilioError {
  status: number
  code: number
  message: string
}

type Mapping = Pick<TwilioError, 'code'> & { status?: number }

const CODES: Partial<Record<RefusalCode, Mapping>> = {
  account_suspended: { code: 20005 },
  scope_absent: { code: 20403 },
  token_restricted: { code: 20403 },
  rate_limited: { code: 20429 },
  concurrency_limited: { code: 20429 },
  method_unknown: { code: 20004 },
  sender_foreign: { code: 21606 },
  recipient_opted_out: { code: 21610, status: 400 },
  campaign_missing: { code: 21701, status: 404 },
  campaign_numberless: { code: 21703, status: 400 },
  campaign_state: { code: 30034, status: 400 },
  balance_insufficient: { code: 20005, status: 400 },
  queue_full: { code: 21611 },
  message_state: { code: 20409, status: 409 },
  number_not_for_sale: { code: 21422, status: 400 },
  number_taken: { code: 21422, status: 400 },
  number_owned: { code: 21422, status: 400 },
  number_toll_free: { code: 21422, status: 400 },
  number_not_carried: { code: 21422, status: 400 },
  idempotency_key_invalid: { code: 20001 },
  idempotency_other_request: { code: 20422, status: 400 },
}

const FIELD_CODES: readonly [field: RegExp, code: number][] = [
  [/^to\b/i, 21211],
  [/^from\b/i, 21212],
  [/^body\b/i, 21617],
  [/^media/i, 21620],
  [/^scheduledAt\b/, 35114],
  [/^url\b/, 21609],
]

const BY_STATUS: Readonly<Record<number, number>> = {
  400: 20001,
  401: 20003,
  403: 20403,
  404: 20404,
  405: 20004,
  409: 20409,
  422: 20422,
  429: 20429,
  503: 20503,
}

const NOT_SERVED =
  'The requested resource was not found. This service supports Messages, Media, IncomingPhoneNumbers, AvailablePhoneNumbers, and Balance.'

export function twilioErrorOf(refusal: Refusal): TwilioError {
  const message = refusal.code === 'path_unknown' ? NOT_SERVED : refusal.message
  if (refusal instanceof TwilioRefusal) {
    return { status: refusal.status, code: refusal.twilioCode, message }
  }
  const mapping = refusal.code === 'field_invalid' ? fieldMapping(refusal) : CODES[refusal.code]
  const status = mapping?.status ?? refusal.status
  return { status, code: mapping?.code ?? defaultCode(status), message }
}

function fieldMapping({ details = [] }: Refusal): Mapping | undefined {
  const field = details[0]?.field ?? ''
  const found = FIELD_CODES.find(([pattern]) => pattern.test(field))
  return found && { code: found[1] }
}

function defaultCode(status: number): number {
  return BY_STATUS[status] ?? (status >= 500 ? 20500 : 20001)
}
