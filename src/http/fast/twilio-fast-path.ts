// A faster path for POST …/Messages.json of the Twilio-compatible API (exchange.ts), so that moving from Twilio
// costs no more than our own API. A trailing slash bypasses it: twilio-fast-path.test.ts uses that to check that both
// paths give the same responses.

import { Refusal } from '../../kit/contract/refusal.js'
import type { World } from '../../kit/world.js'
import { checkAccount, keyOfForm, renameKey } from '../../twilio/compat-config.js'
import { MESSAGES_ROUTE } from '../../twilio/compat-message-routes.js'
import { type CreateMessage, createMessageCreator } from '../../twilio/create-message.js'
import { FORM_BYTES_MAX, readForm } from '../../twilio/form.js'
import { API_PATH } from '../../twilio/message-resource.js'
import { idempotencyKey } from '../idempotency.js'
import { bearerOf } from '../token-check.js'
import type { FastPath } from './arrival.js'
import { answerBody, FastExchange, type FastPathDeps, plainLength } from './exchange.js'

const ROUTE = { url: API_PATH + MESSAGES_ROUTE, failure: {} }
const PATH = new RegExp(`^${API_PATH}/Accounts/(AC[0-9a-f]{32})/Messages\\.json$`)
const FORM_TYPE = /^application\/x-www-form-urlencoded(?:; ?charset=utf-8)?$/i

export function createTwilioFastPath(world: World, deps: FastPathDeps): FastPath {
  const create = createMessageCreator(
    { config: world.config, db: world.db.pool('read') },
    deps.sendService,
  )
  return (arrival) => {
    if (arrival.method !== 'POST' || !arrival.url.startsWith(API_PATH)) return false
    const account = PATH.exec(arrival.url)?.[1]
    if (account === undefined || deps.isStopping()) return false
    const { headers } = arrival
    if (!FORM_TYPE.test(headers['content-type'] ?? '')) return false
    const length = plainLength(arrival, FORM_BYTES_MAX)
    if (length === null) return false
    const authorization = bearerOf(headers.authorization)
    const caller = deps.customers.peek(authorization)
    const exchange = new FastExchange(world, deps, ROUTE, arrival)
    const accept = (bytes: Buffer) => acceptForm(exchange, account, create, bytes)
    answerBody(exchange, caller, authorization, length, accept)
    return true
  }
}

async function acceptForm(
  exchange: FastExchange,
  account: string,
  create: CreateMessage,
  bytes: Buffer,
): Promise<void> {
  const { arrival, trace } = exchange
  const { headers, url } = arrival
  const caller = exchange.caller!
  checkAccount({ caller, params: { account }, headers })
  renameKey(headers)
  const read = readForm(bytes)
  if (read instanceof Refusal) return exchange.refuse(read)
  const key = idempotencyKey(headers)
  if (key instanceof Refusal) return exchange.refuse(key)
  const { text: rawBody, form } = read
  const once = key && keyOfForm({ headers, method: 'POST', url, rawBody, caller })
  const { resource, isReplay } = await create(caller, form, once || null, trace)
  if (isReplay) exchange.headers({ 'idempotent-replayed': 'true' })
  exchange.send(201, JSON.stringify(resource))
}
