// What lies behind each refusal and what to do about it. docs/errors.md and the page /docs/errors are
// made from this and from the catalogue itself; a refusal that is not explained here does not compile.

import { MISSING_HELP } from './missing-help.js'
import type { RefusalCode } from './refusal.js'

export interface Explanation {
  /** Why the caller gets it: one or two sentences. */
  cause: string
  /** What to do about it. */
  remedy: string
}

const AGAIN =
  'Wait as many seconds as `Retry-After` says and try again, with the same `Idempotency-Key`.'

export const REFUSAL_HELP: Readonly<Record<RefusalCode, Explanation>> = {
  field_invalid: {
    cause: 'A field of the body, the query or the path is missing or has a value it cannot have.',
    remedy: 'Read `error` for the first one and `details` for all of them; mend them, call again.',
  },
  field_unknown: {
    cause:
      'The call asked to be read strictly (`Prefer: handling=strict`), and the body or the query names something that the call does not take.',
    remedy:
      'Use the name that `error` proposes, or leave the field out. Without the header the call is done, and `warnings` says the same.',
  },
  body_invalid: {
    cause: 'The body is JSON, but a list, a text or a number where an object is asked for.',
    remedy: 'Send an object: `{"field": "value"}`.',
  },
  json_broken: {
    cause: 'The body cannot be read as JSON.',
    remedy: 'Write the body with a JSON library, and send all of it.',
  },
  json_too_deep: {
    cause: 'Lists and objects stand inside each other more than 32 levels deep.',
    remedy: 'Send what the API reference shows: no call asks for more than a few levels.',
  },
  json_too_wide: {
    cause: 'An object of the body has more than 1,000 fields, or the body more than 70,000 values.',
    remedy: 'Send less at once: several smaller calls.',
  },
  body_not_utf8: {
    cause: 'The bytes of the body are not UTF-8, the one encoding of JSON on the wire.',
    remedy: 'Encode the body as UTF-8 before sending it.',
  },
  query_malformed: {
    cause: 'The query string holds a percent sign that does not begin an encoded character.',
    remedy: 'Encode names and values (encodeURIComponent, URLSearchParams or their like).',
  },
  host_invalid: {
    cause: 'The request has no Host header, or more than one.',
    remedy: 'Send one, as every HTTP library does; look at proxies between you and the service.',
  },
  request_malformed: {
    cause: 'What came over the connection could not be read as HTTP.',
    remedy: 'Use an HTTP library; look at the proxies between you and the service.',
  },
  request_late: {
    cause: 'The request did not arrive whole within 30 seconds.',
    remedy: 'Send it again; look at the network between you and the service.',
  },
  headers_too_large: {
    cause: 'The request line and the headers together are longer than 16 KiB.',
    remedy: 'Send less in the query string and in headers such as cookies.',
  },
  path_malformed: {
    cause: 'The path holds a percent sign that does not begin an encoded character.',
    remedy: 'Encode each part of the path (encodeURIComponent or its like) before joining them.',
  },
  body_too_large: {
    cause: 'The body is larger than the call takes.',
    remedy: 'Send less at once: several smaller calls, or media by their addresses.',
  },
  not_json: {
    cause: 'The body came with a Content-Type that is not JSON.',
    remedy: 'Send the header `Content-Type: application/json`.',
  },
  path_unknown: {
    cause: 'No call has this path.',
    remedy: 'Compare the path with the API reference at `/docs`; all calls begin with `/v1`.',
  },
  method_unknown: {
    cause: 'The path exists, but not with this method.',
    remedy: 'Use one of the methods that the `Allow` header of the answer names.',
  },
  streams_too_many: {
    cause: 'The account has as many live event streams open as it may have.',
    remedy: 'Close one before opening another; share one stream inside a program.',
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
    cause: 'The access token made more calls than its rate allows.',
    remedy: 'Wait the seconds that `Retry-After` says; watch `RateLimit-Remaining` to stay below.',
  },
  concurrency_limited: {
    cause:
      'The account has as many requests of this kind running as its share of the database allows, and this one waited in vain. Nothing was changed.',
    remedy: AGAIN,
  },
  forwardings_too_many: {
    cause: 'The account has set as many forwarding targets as the operator allows in an hour.',
    remedy:
      'Wait as many seconds as `Retry-After` says. `forwardNumber: null` and the target that is set already are always taken.',
  },
  server_failure: {
    cause: 'Something failed on our side. The operator finds it in the log by the request id.',
    remedy: 'Try again with the same `Idempotency-Key`; if it stays, tell the operator its id.',
  },
  database_unavailable: {
    cause: 'The database is away or silent: whether a write was carried out is not known.',
    remedy:
      'Wait as many seconds as `Retry-After` says and try again, a write with the same `Idempotency-Key`: what was carried out is not repeated.',
  },
  database_busy: {
    cause:
      'The database has no connection free, took too long, or another call of the account holds what this one needs. Nothing was changed.',
    remedy: AGAIN,
  },
  database_full: {
    cause: 'The disk or the memory of the database is full. Nothing was changed.',
    remedy: 'Try again later with the same `Idempotency-Key`: the operator has to make room.',
  },
  database_read_only: {
    cause: 'The database takes no writes: a standby is taking over, or the operator has set it so.',
    remedy: AGAIN,
  },
  sends_too_many: {
    cause: 'More sends have come than can be written, and as many wait as may. Nothing was sent.',
    remedy: AGAIN,
  },
  not_ready: {
    cause: 'The process is starting, stopping, or cannot reach a part that it needs.',
    remedy: 'Try again shortly; `details` and `/readyz` name the part.',
  },
  token_absent: {
    cause: 'The call has no `Authorization` header, or one that is not of the form `Bearer …`.',
    remedy: 'Send `Authorization: Bearer <ACCESS_TOKEN>` with every call.',
  },
  token_unknown: {
    cause: 'Nobody has this token: it was mistyped, expired, was revoked, or is of another kind.',
    remedy: 'Use a living token; `POST /v1/token/create` or the operator makes a new one.',
  },
  session_absent: {
    cause: 'The console was signed out, its week is over, or its token has ended.',
    remedy: 'Sign in again. Programs send an access token instead of a cookie.',
  },
  link_used: {
    cause: 'The link that `npm start` prints signs in once, within ten minutes.',
    remedy: 'Sign in with an access token, or start the service again for a new link.',
  },
  write_unmarked: {
    cause:
      'The call came with the cookie of the console and without the header that only the console sends. It protects those who are signed in from other sites.',
    remedy: 'Programs send an access token instead of a cookie.',
  },
  scope_absent: {
    cause: 'The token is good, but it was not made for this kind of call.',
    remedy: 'Use a token with the scope that the API reference names for the call.',
  },
  token_restricted: {
    cause:
      'The token was created with `campaigns`, or for SMPP with a campaign or a number. It sees only what belongs to these campaigns. Tokens, billing, brands, and new campaigns belong to the whole account.',
    remedy: 'Use a token that was created without `campaigns`.',
  },
  account_suspended: {
    cause: 'The operator has stopped the account.',
    remedy: 'Ask the operator.',
  },
  forwarding_stopped: {
    cause: 'The operator stopped call forwarding for this number.',
    remedy: 'Ask the operator to allow it again. `forwardNumber: null` is always accepted.',
  },
  token_missing: {
    cause: 'The account has no token with this id, or it was revoked before.',
    remedy: 'Take an id from `GET /v1/token/list`.',
  },
  smpp_system_missing: {
    cause: 'No SMPP system id has this name, or its token was revoked before.',
    remedy: 'Take a system id from `GET /operator/v1/account/{id}/smpp`.',
  },
  idempotency_key_invalid: {
    cause: 'The `Idempotency-Key` is empty or too long.',
    remedy: 'Send 1 to 255 characters; a random UUID will do.',
  },
  idempotency_in_flight: {
    cause: 'An earlier call with the same key has not been answered yet.',
    remedy: 'Wait a moment and call again with the same key: you get the answer of the first.',
  },
  idempotency_other_request: {
    cause: 'The key was used in the last 24 hours with another path or body.',
    remedy: 'Use a new key for each new request, and the same key only to repeat one.',
  },
  ...MISSING_HELP,
  media_unsendable: {
    cause:
      'By its content, the uploaded file is of a type that phones do not take (HEIC, for example), is damaged, or is not what its Content-Type says.',
    remedy: 'Send JPEG or PNG for pictures. The sentence says what the file is.',
  },
  uploads_busy: {
    cause: 'Two uploads of this account, or eight of all accounts, are arriving at this process.',
    remedy: 'Upload one file after another.',
  },
  uploads_full: {
    cause:
      'Uploads are kept for seven days, and an account can store 1,000 files and 500 MB at a time.',
    remedy: 'Use the address of a stored file again, or put your own address into `mediaUrls`.',
  },
  account_missing: {
    cause: 'There is no account with this id, or it was deleted.',
    remedy: 'Take an id from `GET /operator/v1/account/list`.',
  },
  numbers_none: {
    cause: 'No number that fits the search is for sale.',
    remedy: 'Search for another area code, or leave `nearby` on.',
  },
  balance_insufficient: {
    cause: 'The balance does not cover what the call costs. Nothing was taken.',
    remedy: 'Have the operator add money, then call again; `GET /v1/account` shows the balance.',
  },
  reference_used: {
    cause: 'Money has moved under this reference before.',
    remedy: 'Look for it in the ledger; give another reference if a second move is meant.',
  },
  account_state: {
    cause: 'The account is not in the state that this act needs.',
    remedy: 'Read `error` for the state it is in, and bring it into the one that it needs.',
  },
  brand_state: {
    cause: 'The brand is not in the state that the call needs.',
    remedy: 'Read `error` for the state it is in; `GET /v1/brand/{id}` shows the reviewer’s notes.',
  },
  campaign_state: {
    cause: 'The campaign is not in the state that the call needs: sending needs ACTIVE.',
    remedy: 'Wait for the review, or mend what its notes name; `GET /v1/campaign/{id}` shows both.',
  },
  campaign_numberless: {
    cause: 'The campaign is approved but has no phone number to send from.',
    remedy: 'Search with `GET /v1/number/search`, buy with `POST /v1/campaign/{id}/number/buy`.',
  },
  message_state: {
    cause: 'The message has left the state SCHEDULED: it is on its way, or done.',
    remedy: 'Cancel earlier; what has been handed on cannot be called back.',
  },
  number_owned: {
    cause: 'The number is one of your own already; nothing was charged a second time.',
    remedy: 'Use it: `GET /v1/number/{number}` shows its campaign. To move it, release it first.',
  },
  number_taken: {
    cause: 'Somebody bought the number after the search showed it.',
    remedy: 'Search again and take another.',
  },
  number_not_carried: {
    cause: 'No carrier link of the campaign that gets the number hosts it.',
    remedy: 'Buy a number from a search with `campaign`, or move numbers to another campaign.',
  },
  number_not_for_sale: {
    cause: 'The number is not among those that can be bought.',
    remedy: 'Take one that `GET /v1/number/search` shows.',
  },
  numbers_unreachable: {
    cause: 'Numbers come from a provider, which did not answer in time or did not take our key.',
    remedy: 'Try again; the operator sees the same in `longcode doctor`.',
  },
  number_toll_free: {
    cause: 'Toll-free numbers (800, 888, 877 …) are not sold through the API.',
    remedy: 'Search for a local number.',
  },
  number_state: {
    cause: 'The number is not in the state that the call needs: a campaign holds it, for instance.',
    remedy: 'Read `error` for the reason; release the number first where it is held.',
  },
  numbers_unusable: {
    cause: 'At least one row or number cannot be used, so none was changed.',
    remedy: 'Mend the rows that `details` names, and send the whole list again.',
  },
  delivery_state: {
    cause: 'The delivery is not in the state that the call needs.',
    remedy: 'Read `error` for the state it is in; one that is under way ends by itself.',
  },
  webhook_off: {
    cause: 'The webhook was disabled, by hand or because its endpoint failed for days.',
    remedy: 'Mend the endpoint, then `PATCH /v1/webhook/{id}` with `{"enabled": true}`.',
  },
  webhooks_too_many: {
    cause: 'A campaign can have 100 webhooks.',
    remedy: 'Delete those that are no longer used.',
  },
  sender_foreign: {
    cause: '`from` is not a number of the campaign that the message goes out under.',
    remedy: 'Use one of `GET /v1/campaign/{id}/numbers`, or leave `from` out.',
  },
  carrier_absent: {
    cause: 'The service is not connected to a carrier (`LONGCODE_CARRIERS`): nothing could go out.',
    remedy: 'Ask the operator: `longcode doctor` and docs/operations.md say what is missing.',
  },
  calls_absent: {
    cause: 'Processes with the role `voice` answer calls; the one that was asked has it not.',
    remedy: 'Ask a process that has it, or the operator: `LONGCODE_ROLES` says which have.',
  },
  recipient_opted_out: {
    cause: 'The recipient has told this campaign to stop. The law forbids writing to them.',
    remedy: 'Do not write to them; they opt in again by replying START. Nothing was charged.',
  },
}
