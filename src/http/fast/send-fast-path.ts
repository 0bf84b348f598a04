// A faster path for POST /v1/message/send, the one request that arrives thousands of times a second
// (exchange.ts). A trailing slash bypasses it: send-fast-path.test.ts uses that to check that both paths give the
// same responses. The same test fails if a hook is added only to the route.

import { hashRequest, keyedText } from '../../accounts/idempotency.js'
import { readKnownFields, unknownText } from '../../kit/contract/known-fields.js'
import { Refusal } from '../../kit/contract/refusal.js'
import type { Check } from '../../kit/contract/validation.js'
import type { World } from '../../kit/world.js'
import { SEND } from '../../messages/message-operations.js'
import { createSendCheck } from '../../messages/send/check-send.js'
import type { SendInput } from '../../messages/send/compose-message.js'
import { idOrRefusal } from '../../messages/send/send-message.js'
import { idempotencyKey } from '../idempotency.js'
import { readJson, readText } from '../parse-json.js'
import { prefersStrict } from '../prefer.js'
import { STRICT_HEADERS, unknownRefusal } from '../unknown-fields.js'
import type { FastPath } from './arrival.js'
import { answerBody, FastExchange, type FastPathDeps, plainLength } from './exchange.js'

const PATH = '/v1/message/send'
const ROUTE = { url: PATH, failure: SEND.config.failure }
const SEND_FIELDS = SEND.config.known.body!
const PLAIN_TYPE = /^application\/json(?:; ?charset=utf-8)?$/i

export function createSendFastPath(world: World, deps: FastPathDeps): FastPath {
  const check = createSendCheck(world.config)
  return (arrival) => {
    if (arrival.url !== PATH || arrival.method !== 'POST' || deps.isStopping()) return false
    const { authorization, 'content-type': type = '' } = arrival.headers
    // Without a token, a person may be signed in, whom the route knows by a cookie.
    if (authorization === undefined || !PLAIN_TYPE.test(type)) return false
    const length = plainLength(arrival, SEND.bodyLimit)
    if (length === null) return false
    const caller = deps.customers.peek(authorization)
    const exchange = new FastExchange(world, deps, ROUTE, arrival)
    const accept = (bytes: Buffer) => acceptBytes(exchange, check, bytes)
    answerBody(exchange, caller, authorization, length, accept)
    return true
  }
}

async function acceptBytes(exchange: FastExchange, check: Check, bytes: Buffer): Promise<void> {
  const { headers } = exchange.arrival
  const { sendService } = exchange.deps
  const text = readText(bytes)
  if (text instanceof Refusal) return exchange.refuse(text)
  const input = text.trim() === '' ? {} : readJson(text)
  if (input instanceof Refusal) return exchange.refuse(input)
  const unknown = readKnownFields(SEND_FIELDS, input)
  if (headers.prefer !== undefined && prefersStrict(headers.prefer)) {
    exchange.headers(STRICT_HEADERS)
    if (unknown) return exchange.refuse(unknownRefusal(unknown))
  }
  exchange.unknownFields = unknown
  const refusal = check(input)
  if (refusal) return exchange.refuse(refusal)
  const key = idempotencyKey(headers)
  if (key instanceof Refusal) return exchange.refuse(key)
  const { accountId, campaigns } = exchange.caller!
  const requestHash = key && hashRequest('POST', PATH, keyedText(text, campaigns))
  const once = requestHash ? { key, requestHash } : null
  const { id, isReplay } = idOrRefusal(
    await sendService.send(accountId, input as SendInput, once, campaigns, exchange.trace),
  )
  if (isReplay) exchange.headers({ 'idempotent-replayed': 'true' })
  const warnings = unknown ? `,"warnings":${JSON.stringify(unknown.map(unknownText))}` : ''
  exchange.send(200, `{"success":true,"id":"${id}"${warnings}}`)
}
