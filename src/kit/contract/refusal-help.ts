// The cause of each refusal and what to do about it. docs/errors.md and the page /docs/errors are built
// from this and from the catalog. A refusal without an explanation here does not compile.

import { EXPORT_HELP } from './export-help.js'
import { MISSING_HELP } from './missing-help.js'
import { PEOPLE_HELP } from './people-help.js'
import { QUOTA_HELP } from './quota-help.js'
import type { RefusalCode } from './refusal.js'

export interface Explanation {
  /** Why the client gets it: one or two sentences. */
  cause: string
  /** What to do about it. */
  remedy: string
}

const RETRY =
  'Retry after the number of seconds in the `Retry-After` header, with the same `Idempotency-Key`.'

/** A batch is accepted in parts, and an earlier part may have committed. */
const EXCEPT_BATCHES =
  'Nothing was changed or charged, except that part of a batch may have been accepted.'

export const REFUSAL_HELP: Readonly<Record<RefusalCode, Explanation>> = {
  field_invalid: {
    cause: 'A field in the body, query, or path is missing or invalid.',
    remedy:
      '`error` describes the first problem and `details` lists all of them. Correct them and try again.',
  },
  field_unknown: {
    cause:
      'The request has `Prefer: handling=strict`, and its body or query has a name that the endpoint does not know.',
    remedy:
      'Use the name that `error` suggests, or remove the field. Without the header, unknown names are ignored and listed in `warnings`.',
  },
  body_invalid: {
    cause: 'The body is valid JSON, but not an object.',
    remedy: 'Send an object: `{"field": "value"}`.',
  },
  json_broken: {
    cause: 'The body cannot be read as JSON.',
    remedy: 'Generate the body with a JSON library, and send all of it.',
  },
  json_too_deep: {
    cause: 'Lists and objects are nested more than 32 levels deep.',
    remedy: 'Follow the API reference. No endpoint needs more than a few levels.',
  },
  json_too_wide: {
    cause:
      'An object in the body has more than 1,000 fields, or the whole body has more than 70,000 values.',
    remedy: 'Split it into several smaller requests.',
  },
  body_not_utf8: {
    cause: 'The body is not valid UTF-8, which JSON requires.',
    remedy: 'Encode the body as UTF-8 before sending it.',
  },
  query_malformed: {
    cause: 'The query string has a percent sign that does not start an encoded character.',
    remedy: 'Encode names and values, for example with encodeURIComponent or URLSearchParams.',
  },
  host_invalid: {
    cause: 'The request has no Host header, or more than one.',
    remedy:
      'Send exactly one. HTTP libraries do so, so check the proxies between you and the service.',
  },
  request_malformed: {
    cause: 'The service could not parse the request as HTTP.',
    remedy: 'Use an HTTP library, and check the proxies between you and the service.',
  },
  request_late: {
    cause: 'The full request did not arrive within 30 seconds.',
    remedy: 'Send it again, and check the network between you and the service.',
  },
  headers_too_large: {
    cause: 'The request line and headers together are larger than 16 KiB.',
    remedy: 'Shorten the query string or headers such as cookies.',
  },
  path_malformed: {
    cause: 'The path has a percent sign that does not start an encoded character.',
    remedy:
      'Encode each part of the path, for example with encodeURIComponent, before joining them.',
  },
  body_too_large: {
    cause: 'The body is larger than the endpoint accepts.',
    remedy: 'Split it into several smaller requests. Send media by URL.',
  },
  not_json: {
    cause: 'The Content-Type of the body is not JSON.',
    remedy: 'Send the header `Content-Type: application/json`.',
  },
  path_unknown: {
    cause: 'No endpoint has this path.',
    remedy:
      'Compare the path with the API reference at `/docs/api`. All API paths start with `/v1`.',
  },
  method_unknown: {
    cause: 'The path exists, but not with this method.',
    remedy: 'Use one of the methods in the `Allow` header of the response.',
  },
  streams_too_many: {
    cause: 'The account already has the maximum number of live event streams open.',
    remedy: 'Close one before you open another. Share one stream within a program.',
  },
  connections_per_address: {
    cause: 'Your address has as many open connections as the operator allows for one address.',
    remedy:
      'Reuse connections, and close those you do not need. Operators: list your load balancers in `LONGCODE_TRUST_PROXY`, or raise `LONGCODE_CONNECTIONS_PER_ADDRESS`.',
  },
  connections_exhausted: {
    cause: 'This process has as many open connections as its operator allows.',
    remedy:
      'Retry after the number of seconds in the `Retry-After` header. Operators: raise `LONGCODE_CONNECTIONS`, or add a process.',
  },
  rate_limited: {
    cause: 'The access token made more requests than its rate limit allows.',
    remedy:
      'Retry after the number of seconds in the `Retry-After` header. Watch `RateLimit-Remaining` to stay below the limit.',
  },
  concurrency_limited: {
    cause: `The account already runs as many requests of this kind as its share of the database allows, and this one waited too long. ${EXCEPT_BATCHES}`,
    remedy: RETRY,
  },
  forwardings_too_many: {
    cause: 'The account has set as many forwarding targets as the operator allows per hour.',
    remedy:
      'Retry after the number of seconds in the `Retry-After` header. `forwardNumber: null` and the current target are always accepted.',
  },
  server_failure: {
    cause:
      'Something failed inside the service. The request may have been carried out and charged. The operator can find it in the log by `requestId`.',
    remedy:
      'Retry with the same `Idempotency-Key`. A request that was carried out is not repeated. If it keeps failing, give the operator the `requestId`.',
  },
  database_unavailable: {
    cause:
      'The database is down or does not respond. The request may have been carried out and charged.',
    remedy:
      'Retry after the number of seconds in the `Retry-After` header, with the same `Idempotency-Key`. A request that was carried out is not repeated.',
  },
  database_busy: {
    cause: `The database had no free connection, took too long, or another request of the account locked the same record. ${EXCEPT_BATCHES}`,
    remedy: RETRY,
  },
  database_full: {
    cause: `The database is out of disk space or memory. ${EXCEPT_BATCHES}`,
    remedy: 'Retry later with the same `Idempotency-Key`. The operator must free some space.',
  },
  database_read_only: {
    cause: `The database does not accept writes: a standby is taking over, or the operator made it read-only. ${EXCEPT_BATCHES}`,
    remedy: RETRY,
  },
  sends_too_many: {
    cause:
      'Messages arrive faster than the service can store them, and the queue is full. Nothing was sent.',
    remedy: RETRY,
  },
  not_ready: {
    cause: 'The process is starting, stopping, or cannot reach something it needs.',
    remedy: 'Try again shortly. `details` and `/readyz` show what is missing.',
  },
  token_absent: {
    cause: 'The request has no `Authorization` header, or its value does not start with `Bearer`.',
    remedy: 'Send `Authorization: Bearer <ACCESS_TOKEN>` with every request.',
  },
  token_unknown: {
    cause: 'No such token exists. It may be mistyped, expired, revoked, or of another kind.',
    remedy: 'Use a valid token. `POST /v1/token/create` or the operator can create a new one.',
  },
  session_absent: {
    cause: 'You signed out, your session is older than a week, or its token is no longer valid.',
    remedy: 'Sign in again. Programs send an access token instead of a cookie.',
  },
  link_used: {
    cause: 'The link that `npm start` prints works once, within ten minutes.',
    remedy: 'Sign in with an access token, or restart the service to get a new link.',
  },
  write_unmarked: {
    cause:
      'The request has the console’s cookie but lacks the header that only the console sends. The header protects signed-in users from requests made by other sites.',
    remedy: 'Programs send an access token instead of a cookie.',
  },
  scope_absent: {
    cause: 'The token is valid but lacks the scope for this endpoint.',
    remedy: 'Use a token with the scope that the API reference lists for the endpoint.',
  },
  token_restricted: {
    cause:
      'The token was created with `campaigns`, or for SMPP with a campaign or a number. It sees only what belongs to these campaigns. Tokens, billing, brands, and new campaigns belong to the whole account.',
    remedy: 'Use a token that was created without `campaigns`.',
  },
  account_suspended: {
    cause: 'The operator suspended the account.',
    remedy: 'Contact the operator.',
  },
  forwarding_stopped: {
    cause: 'The operator stopped call forwarding for this number.',
    remedy: 'Ask the operator to allow it again. `forwardNumber: null` is always accepted.',
  },
  token_missing: {
    cause: 'The account has no token with this ID, or it was revoked.',
    remedy: 'Use an ID from `GET /v1/token/list`.',
  },
  smpp_system_missing: {
    cause: 'No such SMPP system ID exists, or its token was revoked.',
    remedy: 'Use a system ID from `GET /operator/v1/account/{id}/smpp`.',
  },
  idempotency_key_invalid: {
    cause: 'The `Idempotency-Key` is empty or too long.',
    remedy: 'Send 1 to 255 characters, for example a random UUID.',
  },
  idempotency_in_flight: {
    cause:
      'An earlier request with the same key is still in progress. Its result is not known yet.',
    remedy: 'Retry after a second with the same key. You get the response to the first request.',
  },
  idempotency_other_request: {
    cause: 'The key was used in the last 24 hours with another method, path, or body.',
    remedy: 'Use a new key for each new request. Reuse a key only to retry the same request.',
  },
  ...MISSING_HELP,
  ...PEOPLE_HELP,
  ...EXPORT_HELP,
  ...QUOTA_HELP,
  media_unsendable: {
    cause:
      'The uploaded file is damaged, does not match its Content-Type, or has a type that phones do not support (HEIC, for example).',
    remedy: 'Use JPEG or PNG for pictures. `error` shows what the file contains.',
  },
  uploads_busy: {
    cause:
      'This process is already receiving two uploads from the account, or eight from all accounts.',
    remedy: 'Upload one file at a time.',
  },
  uploads_full: {
    cause:
      'Uploads are stored for seven days, and an account can store 1,000 files and 500 MB at a time.',
    remedy: 'Reuse the URL of a stored file, or use your own URL in `mediaUrls`.',
  },
  saved_replies_full: {
    cause: 'An account can have 200 saved replies.',
    remedy: 'Delete one with `DELETE /v1/saved-reply/{id}`, or change one.',
  },
  account_missing: {
    cause: 'No account has this ID, or it was deleted.',
    remedy: 'Use an ID from `GET /operator/v1/account/list`.',
  },
  numbers_none: {
    cause: 'No number that matches the search is for sale.',
    remedy: 'Search for another area code, or leave `nearby` on.',
  },
  balance_insufficient: {
    cause: 'The balance is lower than the price of the request. Nothing was charged.',
    remedy: 'Ask the operator to add money, then try again. `GET /v1/account` shows the balance.',
  },
  reference_used: {
    cause: 'Money was already moved with this reference.',
    remedy: 'Check the ledger. If you want to move money again, use a new reference.',
  },
  account_state: {
    cause: 'The account is not in the state that this action needs.',
    remedy: '`error` shows its current state. Change that first.',
  },
  brand_state: {
    cause: 'The brand is not in the state that the request needs.',
    remedy: '`error` shows its current state. `GET /v1/brand/{id}` shows the reviewer’s notes.',
  },
  campaign_state: {
    cause: 'The campaign is not in the state that the request needs. Sending needs ACTIVE.',
    remedy:
      'Wait for the review, or fix what the reviewer’s notes ask for. `GET /v1/campaign/{id}` shows both.',
  },
  campaign_numberless: {
    cause: 'The campaign is approved but has no phone number to send from.',
    remedy: 'Search with `GET /v1/number/search` and buy with `POST /v1/campaign/{id}/number/buy`.',
  },
  message_state: {
    cause: 'The message is no longer SCHEDULED: it is being sent, or it is finished.',
    remedy: 'Cancel earlier. A message that was handed to the carrier cannot be recalled.',
  },
  number_owned: {
    cause: 'The number already belongs to your account. Nothing was charged again.',
    remedy: 'Use it. `GET /v1/number/{number}` shows its campaign. To move it, release it first.',
  },
  number_taken: {
    cause: 'Someone else bought the number after your search.',
    remedy: 'Search again and choose another number.',
  },
  number_not_carried: {
    cause: 'No carrier link of the campaign that gets the number hosts it.',
    remedy: 'Buy a number from a search with `campaign`, or move numbers to another campaign.',
  },
  number_not_for_sale: {
    cause: 'The number is not available for purchase.',
    remedy: 'Choose a number from `GET /v1/number/search`.',
  },
  numbers_unreachable: {
    cause:
      'Numbers come from a provider, which did not respond in time or rejected the service’s key.',
    remedy: 'Try again. The operator can check with `longcode doctor`.',
  },
  number_toll_free: {
    cause: 'Toll-free numbers (800, 888, 877 …) are not sold through the API.',
    remedy: 'Search for a local number.',
  },
  number_state: {
    cause:
      'The number is not in the state that the request needs. For example, a campaign is using it.',
    remedy: '`error` shows the reason. If a campaign uses the number, release it first.',
  },
  numbers_unusable: {
    cause: 'At least one row or number cannot be used, so nothing was changed.',
    remedy: 'Correct the rows in `details` and send the whole list again.',
  },
  delivery_state: {
    cause: 'The delivery is not in the state that the request needs.',
    remedy: '`error` shows its current state. A delivery in progress finishes automatically.',
  },
  webhook_off: {
    cause: 'The webhook was disabled manually, or because its endpoint failed for days.',
    remedy: 'Fix the endpoint, then `PATCH /v1/webhook/{id}` with `{"enabled": true}`.',
  },
  webhooks_too_many: {
    cause: 'A campaign can have 100 webhooks.',
    remedy: 'Delete the ones you no longer use.',
  },
  sender_foreign: {
    cause: '`from` is not one of the campaign’s numbers.',
    remedy: 'Use a number from `GET /v1/campaign/{id}/numbers`, or omit `from`.',
  },
  carrier_absent: {
    cause: 'The service is not connected to a carrier (`LONGCODE_CARRIERS`), so it cannot send.',
    remedy:
      'Contact the operator. `longcode doctor` and docs/operations.md explain what is missing.',
  },
  calls_absent: {
    cause:
      'Processes with the `voice` role answer phone calls. This process does not have that role.',
    remedy:
      'Use a process that has the role, or ask the operator. `LONGCODE_ROLES` sets the roles of a process.',
  },
  recipient_opted_out: {
    cause: 'The recipient opted out of this campaign. The law forbids sending them messages.',
    remedy: 'Do not message them. They can opt in again by texting START. Nothing was charged.',
  },
}
