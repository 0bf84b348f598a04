// What the routes of the Twilio-compatible API share: their settings, and how they read a request.

import type { Caller } from '../accounts/account.js'
import { hashRequest, keyedText } from '../accounts/idempotency.js'
import type { CampaignAccess, DatabaseClass, Scope } from '../kit/contract/operation.js'
import { Refusal } from '../kit/contract/refusal.js'
import type { World } from '../kit/world.js'
import type { MessageRoom } from '../messages/message-room.js'
import type { IdempotencyKey } from '../messages/send/accept-queries.js'
import type { NumberSources } from '../numbers/number-source.js'
import { EMPTY_FORM, FORM_BYTES_MAX, FormBody } from './form.js'
import { accountSid } from './sids.js'

/** What the routes use. */
export interface CompatOptions extends World {
  room: MessageRoom
  sources: NumberSources
}

interface RouteRules {
  /** Without it, tokens restricted to campaigns are refused. */
  campaignAccess?: CampaignAccess
  databaseClass?: DatabaseClass
}

export function compat(scope: Scope, rules: RouteRules = {}) {
  const config = { scope, takesBasic: true, failure: {}, ...rules }
  return { bodyLimit: FORM_BYTES_MAX, config }
}

export function formOf({ body }: { body: unknown }): FormBody {
  return body instanceof FormBody ? body : EMPTY_FORM
}

/** A SID in the path, without its extension. */
export function sidIn(params: unknown, name: string): string {
  return String((params as Record<string, unknown>)[name]).replace(/\.json$/, '')
}

interface KeyedForm {
  headers: Record<string, string | string[] | undefined>
  method: string
  url: string
  rawBody: string
  caller: Caller
}

/** The same names work for every write. Twilio's own name is known from its webhooks. */
const KEY = 'idempotency-key'
const TWILIO_KEY = 'i-twilio-idempotency-token'

export function renameKey(headers: Record<string, string | string[] | undefined>): void {
  if (headers[TWILIO_KEY] !== undefined) headers[KEY] ??= headers[TWILIO_KEY]
}

export function keyOfForm({
  headers,
  method,
  url,
  rawBody,
  caller,
}: KeyedForm): IdempotencyKey | null {
  const key = headers[KEY]
  if (typeof key !== 'string') return null
  return { key, requestHash: hashRequest(method, url, keyedText(rawBody ?? '', caller.campaigns)) }
}

const AUTHENTICATE =
  'Authentication error: the AccountSid and the AuthToken do not belong together.'

interface AuthenticatedRequest {
  caller: Caller
  params: unknown
  headers: { authorization?: string | undefined }
}

/** The account in the path and the user name must be the one that the password belongs to. */
export function checkAccount({ caller, params, headers }: AuthenticatedRequest): void {
  const own = accountSid(caller.accountId)
  const { account = own } = params as { account?: string }
  if (account.replace(/\.json$/, '') !== own) throw new Refusal('token_unknown', AUTHENTICATE)
  const [, basic = ''] = /^Basic +(\S+)/i.exec(headers.authorization ?? '') ?? []
  const [user = ''] = Buffer.from(basic, 'base64').toString('latin1').split(':', 1)
  if (user.startsWith('AC') && user !== own) throw new Refusal('token_unknown', AUTHENTICATE)
}
