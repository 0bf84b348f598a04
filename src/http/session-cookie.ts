// The cookie that the console is signed in by: one for an account, one for an operator, so that both can
// be held at once. Scripts cannot read it, other sites cannot have it sent.

import type { IncomingHttpHeaders } from 'node:http'
import { SESSION_MS } from '../accounts/session.js'
import { Refusal } from '../kit/contract/refusal.js'

export type Audience = 'account' | 'operator'

const NAMES: Readonly<Record<Audience, string>> = {
  account: 'longcode_session',
  operator: 'longcode_operator',
}
/** Browsers accept such a name only from this host itself, over https. A sibling host or a subdomain cannot set it. */
const HOST_PREFIX = '__Host-'
const SECRET = /^lcs_[\w-]{43}$/
/** No other site can make a browser send it: that would need our leave, which we never give. */
const MARK = 'x-longcode-console'

/**
 * Over https the name has the prefix, and no other name is read. A sandbox on plain http cannot use it: the prefix requires
 * the Secure attribute, which some browsers refuse on http://localhost.
 */
export class SessionCookies {
  readonly #isSecure: boolean

  constructor({ publicUrl }: { publicUrl: string }) {
    this.#isSecure = publicUrl.startsWith('https:')
  }

  /** The secret of the session, or null. An Authorization header comes first: whoever sends one means it. */
  sessionOf(headers: IncomingHttpHeaders, audience: Audience): string | null {
    if (headers.authorization !== undefined || headers.cookie === undefined) return null
    const prefix = `${this.#nameOf(audience)}=`
    const pair = headers.cookie.split(/; */).find((one) => one.startsWith(prefix))
    const secret = pair?.slice(prefix.length)
    return secret !== undefined && SECRET.test(secret) ? secret : null
  }

  /** Sets the cookie; with null, takes it back. */
  textOf(audience: Audience, secret: string | null): string {
    const seconds = secret === null ? 0 : SESSION_MS / 1000
    const flags = `Path=/; Max-Age=${seconds}; HttpOnly; SameSite=Strict${this.#isSecure ? '; Secure' : ''}`
    return `${this.#nameOf(audience)}=${secret ?? ''}; ${flags}`
  }

  #nameOf(audience: Audience): string {
    return this.#isSecure ? HOST_PREFIX + NAMES[audience] : NAMES[audience]
  }
}

/** What a cookie alone must not do: change something. */
export function checkMark({ method, headers }: { method: string; headers: IncomingHttpHeaders }) {
  if (method === 'GET' || method === 'HEAD' || headers[MARK] === '1') return
  throw new Refusal('write_unmarked')
}
