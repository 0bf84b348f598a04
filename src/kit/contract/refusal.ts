// Every reason for which a caller is refused, with its status and its sentence. Business code throws
// a Refusal by code; http/ turns it into the reply. Texts that the contract prints stand here verbatim.

export const REFUSALS = {
  // The request itself
  field_invalid: { status: 400, text: 'A field is invalid' },
  field_unknown: {
    status: 400,
    text: 'The request names a field that this call does not take (Prefer: handling=strict)',
  },
  body_invalid: { status: 400, text: 'The request body must be a JSON object' },
  json_broken: { status: 400, text: 'The request body is not valid JSON' },
  json_too_deep: { status: 400, text: 'The request body is nested too deep: at most 32 levels' },
  json_too_wide: {
    status: 400,
    text: 'The request body holds too much: at most 1,000 fields in an object, 70,000 values in all',
  },
  body_not_utf8: { status: 400, text: 'The request body is not valid UTF-8' },
  path_malformed: { status: 400, text: 'The path is malformed: check its percent-encoding' },
  query_malformed: {
    status: 400,
    text: 'The query string is malformed: check its percent-encoding',
  },
  host_invalid: { status: 400, text: 'The request must have one Host header' },
  request_malformed: { status: 400, text: 'The request is not valid HTTP' },
  request_late: { status: 408, text: 'The request took too long to arrive: send it again' },
  headers_too_large: {
    status: 431,
    text: 'The request line and the headers are over the limit of 16 KiB',
  },
  body_too_large: { status: 413, text: 'The request body is over the limit of this call' },
  not_json: {
    status: 415,
    text: 'The request body must be JSON: send the header Content-Type: application/json',
  },
  path_unknown: { status: 404, text: 'No such path' },
  method_unknown: { status: 405, text: 'This path does not take this method' },
  streams_too_many: { status: 429, text: 'Too many event streams are open: close one' },
  connections_per_address: {
    status: 429,
    text: 'Too many connections are open from your address. Close some, or reuse them.',
    retryAfterS: 1,
  },
  rate_limited: { status: 429, text: 'Too many requests: wait as Retry-After says' },
  forwardings_too_many: {
    status: 429,
    text: 'Too many forwardings were set: wait as Retry-After says',
  },
  concurrency_limited: {
    status: 429,
    text: 'Too many requests from your account are running at the same time. Retry after the number of seconds in the Retry-After header.',
    retryAfterS: 1,
  },
  server_failure: { status: 500, text: 'Internal server error' },
  database_unavailable: { status: 503, text: 'Internal server error', retryAfterS: 5 },
  database_busy: { status: 503, text: 'Internal server error', retryAfterS: 1 },
  database_full: { status: 503, text: 'Internal server error', retryAfterS: 30 },
  database_read_only: { status: 503, text: 'Internal server error', retryAfterS: 5 },
  sends_too_many: {
    status: 503,
    text: 'Too many sends are waiting: nothing was sent or charged, send again as Retry-After says',
    retryAfterS: 1,
  },
  connections_exhausted: {
    status: 503,
    text: 'Too many connections are open. Retry after the number of seconds in the Retry-After header.',
    retryAfterS: 1,
  },
  not_ready: { status: 503, text: 'The service is starting or stopping: try again' },

  // Who is calling
  token_absent: {
    status: 401,
    text: 'Access token required: send the header Authorization: Bearer <ACCESS_TOKEN>',
  },
  token_unknown: { status: 401, text: 'Access token is unknown, expired or revoked' },
  session_absent: { status: 401, text: 'Your session has ended: sign in again' },
  link_used: {
    status: 401,
    text: 'This link has been used or is older than ten minutes: sign in with an access token',
  },
  write_unmarked: {
    status: 403,
    text: 'A call that is signed in by a cookie and changes something needs the header X-Longcode-Console: 1',
  },
  scope_absent: { status: 403, text: 'This access token lacks the scope for this call' },
  token_restricted: {
    status: 403,
    text: 'This access token is restricted to campaigns and cannot do this: use a token for the whole account',
  },
  account_suspended: { status: 403, text: 'This account is suspended: ask the operator' },
  forwarding_stopped: {
    status: 403,
    text: 'The operator stopped call forwarding for this number. Ask the operator to allow it again.',
  },
  token_missing: { status: 404, text: 'Token not found' },
  smpp_system_missing: { status: 404, text: 'SMPP system id not found' },

  // Idempotency-Key
  idempotency_key_invalid: { status: 400, text: 'Idempotency-Key must be 1 to 255 characters' },
  idempotency_in_flight: {
    status: 409,
    text: 'A request with this Idempotency-Key is still in flight: try again shortly',
  },
  idempotency_other_request: {
    status: 422,
    text: 'This Idempotency-Key was used with another request: use a new key',
  },

  // Records that are not there, or not this caller's
  brand_missing: { status: 404, text: 'Brand not found' },
  campaign_missing: { status: 404, text: 'Campaign not found' },
  message_missing: { status: 404, text: 'Message not found' },
  number_missing: { status: 404, text: 'Number not found' },
  webhook_missing: { status: 404, text: 'Webhook not found' },
  carrier_link_missing: { status: 404, text: 'Carrier link not found' },
  delivery_missing: { status: 404, text: 'Delivery not found' },
  optout_missing: { status: 404, text: 'Opt-out not found' },
  media_missing: { status: 404, text: 'Media not found' },
  media_unsendable: { status: 415, text: 'This file cannot be sent' },
  uploads_busy: {
    status: 429,
    text: 'Too many uploads are in progress: wait for one to finish, then retry',
    retryAfterS: 1,
  },
  uploads_full: {
    status: 429,
    text: 'Your account stores 1,000 uploaded files or 500 MB: reuse them, or wait until some expire',
    retryAfterS: 3_600,
  },
  account_missing: { status: 404, text: 'Account not found' },
  numbers_none: { status: 404, text: 'No numbers found' },

  // Money
  balance_insufficient: { status: 402, text: 'Insufficient account balance' },
  reference_used: {
    status: 409,
    text: 'This reference has been used: the money has moved already, or give another',
  },

  // Records that are not in the state that the call needs
  account_state: { status: 409, text: 'The account is not in a state that allows this' },
  brand_state: { status: 409, text: 'The brand is not in a state that allows this' },
  campaign_state: { status: 409, text: 'The campaign is not in a state that allows this' },
  campaign_numberless: {
    status: 409,
    text: 'The campaign has no phone number: buy one before sending',
  },
  message_state: { status: 409, text: 'Only a SCHEDULED message can be cancelled' },
  number_owned: { status: 409, text: 'You own this number already' },
  number_taken: { status: 409, text: 'This number has been taken: search for another' },
  number_not_carried: {
    status: 409,
    text: 'No carrier link of this campaign hosts the number. Nothing was charged. Choose a number from a search with this campaign.',
  },
  number_not_for_sale: { status: 404, text: 'This number is not for sale: search for another' },
  numbers_unreachable: {
    status: 503,
    text: 'The provider of numbers does not answer: nothing was bought or charged, try again as Retry-After says',
    retryAfterS: 10,
  },
  number_toll_free: { status: 400, text: 'Toll-free numbers cannot be bought through the API' },
  number_state: { status: 409, text: 'The number is not in a state that allows this' },
  numbers_unusable: {
    status: 400,
    text: 'Nothing was changed: details says what is wrong, row by row',
  },
  delivery_state: { status: 409, text: 'The delivery is not in a state that allows this' },
  webhook_off: { status: 409, text: 'The webhook is off: switch it on with PATCH enabled true' },
  webhooks_too_many: { status: 409, text: 'The campaign has 100 webhooks already: delete one' },
  sender_foreign: {
    status: 400,
    text: 'from must be a number of this campaign: list them at /v1/campaign/{id}/numbers',
  },
  carrier_absent: {
    status: 503,
    text: 'No carrier link is set up on this service: nothing was sent, and nothing was charged',
  },
  calls_absent: {
    status: 503,
    text: 'This process answers no calls: it runs without the role voice (LONGCODE_ROLES)',
  },
  recipient_opted_out: { status: 422, text: 'Recipient has opted out' },
} as const satisfies Record<string, { status: number; text: string; retryAfterS?: number }>

export type RefusalCode = keyof typeof REFUSALS

export interface FieldProblem {
  field: string
  problem: string
}

export class Refusal extends Error {
  readonly code: RefusalCode
  readonly details: readonly FieldProblem[] | undefined
  /** When it is worth another try; null where another try would be refused as well. */
  readonly retryAfterS: number | null

  constructor(
    code: RefusalCode,
    text?: string,
    details?: readonly FieldProblem[],
    retryAfterS?: number,
  ) {
    super(text ?? REFUSALS[code].text)
    const usual: { status: number; retryAfterS?: number } = REFUSALS[code]
    this.name = 'Refusal'
    this.code = code
    this.details = details
    this.retryAfterS = retryAfterS ?? usual.retryAfterS ?? null
  }

  get status(): number {
    return REFUSALS[this.code].status
  }
}

/** A bad field found below the border: `problem` continues the field's name, unless `text` says all. */
export function fieldRefusal(field: string, problem: string, text?: string): Refusal {
  return new Refusal('field_invalid', text ?? `${field} ${problem}`, [{ field, problem }])
}

const ECHO_LENGTH_MAX = 200

/** What a caller sent, said back to them in a sentence: never more than a glance of it. */
export function echo(text: string, lengthMax = ECHO_LENGTH_MAX): string {
  if (text.length <= lengthMax) return text
  return `${text.slice(0, lengthMax).toWellFormed()}…`
}
