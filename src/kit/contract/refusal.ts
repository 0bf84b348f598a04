// Every reason to refuse a request, with its status and text. Business code throws a Refusal by code,
// and http/ turns it into the response. Texts from the contract are copied verbatim.

export const REFUSALS = {
  // The request itself
  field_invalid: { status: 400, text: 'A field is invalid' },
  field_unknown: {
    status: 400,
    text: 'The request has an unknown field, which Prefer: handling=strict does not allow',
  },
  body_invalid: { status: 400, text: 'The request body must be a JSON object' },
  json_broken: { status: 400, text: 'The request body is not valid JSON' },
  json_too_deep: {
    status: 400,
    text: 'The request body is nested too deeply (maximum 32 levels).',
  },
  json_too_wide: {
    status: 400,
    text: 'The request body is too complex (maximum 1,000 fields per object and 70,000 values in total).',
  },
  body_not_utf8: { status: 400, text: 'The request body is not valid UTF-8' },
  path_malformed: { status: 400, text: 'The path is malformed: check its percent-encoding' },
  query_malformed: {
    status: 400,
    text: 'The query string is malformed: check its percent-encoding',
  },
  host_invalid: { status: 400, text: 'The request must have one Host header' },
  request_malformed: { status: 400, text: 'The request is not valid HTTP' },
  request_late: { status: 408, text: 'The request took too long to arrive. Send it again.' },
  headers_too_large: {
    status: 431,
    text: 'The request line and headers are larger than 16 KiB',
  },
  body_too_large: { status: 413, text: 'The request body is too large for this endpoint' },
  not_json: {
    status: 415,
    text: 'The request body must be JSON: send the header Content-Type: application/json',
  },
  path_unknown: { status: 404, text: 'No such path' },
  method_unknown: { status: 405, text: 'This path does not support this method' },
  streams_too_many: { status: 429, text: 'Too many event streams are open. Close one first.' },
  connections_per_address: {
    status: 429,
    text: 'Too many connections are open from your address. Close some, or reuse them.',
    retryAfterS: 1,
  },
  rate_limited: {
    status: 429,
    text: 'Too many requests. Retry after the number of seconds in the Retry-After header.',
  },
  forwardings_too_many: {
    status: 429,
    text: 'Too many forwarding changes. Retry after the number of seconds in the Retry-After header.',
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
    text: 'Too many messages are waiting. Nothing was sent or charged. Retry after the number of seconds in the Retry-After header.',
    retryAfterS: 1,
  },
  connections_exhausted: {
    status: 503,
    text: 'Too many connections are open. Retry after the number of seconds in the Retry-After header.',
    retryAfterS: 1,
  },
  not_ready: { status: 503, text: 'The service is starting or stopping. Try again shortly.' },

  // Authentication
  token_absent: {
    status: 401,
    text: 'Access token required: send the header Authorization: Bearer <ACCESS_TOKEN>',
  },
  token_unknown: { status: 401, text: 'Access token is unknown, expired, or revoked' },
  session_absent: { status: 401, text: 'Your session has ended. Sign in again.' },
  link_used: {
    status: 401,
    text: 'This link was already used or is more than ten minutes old. Sign in with an access token.',
  },
  sign_in_refused: { status: 401, text: 'The email or password is wrong.' },
  code_refused: {
    status: 401,
    text: 'The code is wrong or was already used. Enter the current code of your authenticator app.',
  },
  passkey_refused: {
    status: 401,
    text: 'This passkey was not accepted. Try again, or sign in with your password.',
  },
  oidc_refused: {
    status: 401,
    text: 'The response of your company’s identity provider was not accepted. Start again.',
  },
  oidc_role_absent: {
    status: 403,
    text: 'None of your company’s groups has access here. Ask an operator.',
  },
  oidc_unavailable: {
    status: 503,
    text: 'Your company’s identity provider does not respond. Try again shortly.',
    retryAfterS: 30,
  },
  sign_in_expired: { status: 401, text: 'This sign-in took too long. Start again.' },
  sign_in_limited: {
    status: 429,
    text: 'Too many failed sign-ins. Retry after the number of seconds in the Retry-After header.',
  },
  sign_in_first: {
    status: 401,
    text: 'A person with this email address already has a password here. Sign in, then open the link again.',
  },
  invitation_missing: {
    status: 404,
    text: 'This link is not valid. It may have expired or been replaced. Ask for a new one.',
  },
  invitation_used: { status: 410, text: 'This link was already used. Sign in instead.' },
  second_factor_required: {
    status: 403,
    text: 'This installation requires a second factor. Add a passkey or an authenticator app to your profile first.',
  },
  role_absent: {
    status: 403,
    text: 'Your role does not allow this. Ask an owner or admin of the account.',
  },
  membership_absent: {
    status: 403,
    text: 'You have no access to this account anymore. Choose another account, or ask its owner.',
  },
  owner_required: { status: 403, text: 'Only an owner can add, change, or remove an owner.' },
  last_owner: {
    status: 409,
    text: 'An account needs an owner. Make someone else an owner first.',
  },
  person_missing: { status: 404, text: 'Person not found' },
  passkey_missing: { status: 404, text: 'Passkey not found' },
  session_missing: { status: 404, text: 'Session not found' },
  write_unmarked: {
    status: 403,
    text: 'A request that changes something and is signed in by a cookie needs the header X-Longcode-Console: 1',
  },
  scope_absent: { status: 403, text: 'This access token lacks the scope for this request' },
  token_restricted: {
    status: 403,
    text: 'This access token is restricted to campaigns and cannot do this. Use a token for the whole account.',
  },
  account_suspended: { status: 403, text: 'This account is suspended. Contact the operator.' },
  forwarding_stopped: {
    status: 403,
    text: 'The operator stopped call forwarding for this number. Ask the operator to allow it again.',
  },
  token_missing: { status: 404, text: 'Token not found' },
  smpp_system_missing: { status: 404, text: 'SMPP system ID not found' },

  // Idempotency-Key
  idempotency_key_invalid: { status: 400, text: 'Idempotency-Key must be 1 to 255 characters' },
  idempotency_in_flight: {
    status: 409,
    text: 'A request with this Idempotency-Key is still in progress. Try again shortly.',
  },
  idempotency_other_request: {
    status: 422,
    text: 'This Idempotency-Key was used with a different request. Use a new key.',
  },

  // Records that do not exist, or belong to another account
  brand_missing: { status: 404, text: 'Brand not found' },
  campaign_missing: { status: 404, text: 'Campaign not found' },
  message_missing: { status: 404, text: 'Message not found' },
  number_missing: { status: 404, text: 'Number not found' },
  webhook_missing: { status: 404, text: 'Webhook not found' },
  carrier_link_missing: { status: 404, text: 'Carrier link not found' },
  delivery_missing: { status: 404, text: 'Delivery not found' },
  optout_missing: { status: 404, text: 'Opt-out not found' },
  conversation_missing: { status: 404, text: 'Conversation not found' },
  note_missing: { status: 404, text: 'Note not found' },
  contact_missing: { status: 404, text: 'Contact not found' },
  saved_reply_missing: { status: 404, text: 'Saved reply not found' },
  saved_replies_full: {
    status: 422,
    text: 'Your account already has 200 saved replies. Delete one first.',
  },
  export_missing: { status: 404, text: 'Export not found' },
  export_of_another: {
    status: 403,
    text: 'Someone else requested this export. Only they, or someone with the scope manage, can delete it.',
  },
  export_unfinished: {
    status: 409,
    text: 'The export is not finished, so it has no file. Its status shows the progress.',
  },
  export_running: {
    status: 409,
    text: 'Another export of your account is running. Wait until it is finished, or delete it.',
  },
  exports_full: {
    status: 422,
    text: 'Your account already has 10 exports. Delete one first.',
  },
  media_missing: { status: 404, text: 'Media not found' },
  media_unsendable: { status: 415, text: 'This file cannot be sent' },
  uploads_busy: {
    status: 429,
    text: 'Too many uploads are in progress. Wait for one to finish, then retry.',
    retryAfterS: 1,
  },
  uploads_full: {
    status: 429,
    text: 'Your account already stores 1,000 uploaded files or 500 MB. Reuse them, or wait until some expire.',
    retryAfterS: 3_600,
  },
  queue_full: {
    status: 429,
    text: 'Your account has as many messages that wait to be sent as its quota allows. Nothing was sent or charged. Retry when some were sent, cancel scheduled messages, or ask your operator for a higher limit.',
    retryAfterS: 10,
  },
  messages_full: {
    status: 422,
    text: 'Your account stores as many messages as its quota allows. Nothing was sent or charged. Ask your operator for a higher limit, or to delete old messages sooner.',
  },
  media_full: {
    status: 422,
    text: 'Your account stores as many bytes of media as its quota allows. Nothing was stored. Wait until uploads expire, or ask your operator for a higher limit.',
  },
  webhooks_full: {
    status: 422,
    text: 'Your account has as many webhooks as its quota allows. Delete one first, or ask your operator for a higher limit.',
  },
  account_missing: { status: 404, text: 'Account not found' },
  numbers_none: { status: 404, text: 'No numbers found' },

  // Money
  balance_insufficient: { status: 402, text: 'Insufficient account balance' },
  reference_used: {
    status: 409,
    text: 'This reference was already used, so the money has moved. To move money again, use a new reference.',
  },

  // Records in the wrong state for the request
  account_state: { status: 409, text: 'The account is not in a state that allows this' },
  brand_state: { status: 409, text: 'The brand is not in a state that allows this' },
  campaign_state: { status: 409, text: 'The campaign is not in a state that allows this' },
  campaign_numberless: {
    status: 409,
    text: 'The campaign has no phone number. Buy one before sending.',
  },
  message_state: { status: 409, text: 'Only a SCHEDULED message can be canceled' },
  number_owned: { status: 409, text: 'You already own this number' },
  number_taken: {
    status: 409,
    text: 'This number is no longer available. Search for another one.',
  },
  number_not_carried: {
    status: 409,
    text: 'No carrier link of this campaign hosts the number. Nothing was charged. Choose a number from a search with this campaign.',
  },
  number_not_for_sale: {
    status: 404,
    text: 'This number is not for sale. Search for another one.',
  },
  numbers_unreachable: {
    status: 503,
    text: 'The number provider is not responding. Nothing was bought or charged. Retry after the number of seconds in the Retry-After header.',
    retryAfterS: 10,
  },
  number_toll_free: { status: 400, text: 'Toll-free numbers cannot be bought through the API' },
  number_state: { status: 409, text: 'The number is not in a state that allows this' },
  numbers_unusable: {
    status: 400,
    text: 'Nothing was changed. See details for the problem in each row.',
  },
  delivery_state: { status: 409, text: 'The delivery is not in a state that allows this' },
  webhook_off: {
    status: 409,
    text: 'The webhook is disabled. Enable it with PATCH {"enabled": true}.',
  },
  webhooks_too_many: {
    status: 409,
    text: 'The campaign already has 100 webhooks. Delete one first.',
  },
  sender_foreign: {
    status: 400,
    text: "from must be one of the campaign's numbers, listed at /v1/campaign/{id}/numbers",
  },
  carrier_absent: {
    status: 503,
    text: 'No carrier link is set up on this service. Nothing was sent or charged.',
  },
  calls_absent: {
    status: 503,
    text: 'This process does not handle phone calls: it runs without the `voice` role (LONGCODE_ROLES).',
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
  /** Seconds until a retry can succeed; null if a retry would be refused too. */
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

/** An invalid field found after validation. `problem` follows the field's name, unless `text` is the full text. */
export function fieldRefusal(field: string, problem: string, text?: string): Refusal {
  return new Refusal('field_invalid', text ?? `${field} ${problem}`, [{ field, problem }])
}

const ECHO_LENGTH_MAX = 200

/** Part of the client's input, quoted in an error text: shortened to a readable length. */
export function echo(text: string, lengthMax = ECHO_LENGTH_MAX): string {
  if (text.length <= lengthMax) return text
  return `${text.slice(0, lengthMax).toWellFormed()}…`
}
