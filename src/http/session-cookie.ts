// The console's session cookie: one for accounts and one for operators, so a user can be signed in as both.
// Scripts cannot read it, and other sites cannot make browsers send it.

import type { IncomingHttpHeaders } from 'node:http'
import { SESSION_MS } from '../accounts/session.js'
import { Refusal } from '../kit/contract/refusal.js'

export type SessionScope = 'account' | 'operator'

const NAMES: Readonly<Record<SessionScope, string>> = {
  account: 'longcode_session',
  operator: 'longcode_operator',
}
const STEP = 'longcode_company'
/**
 * Browsers accept this name only from the host itself, over HTTPS. A sibling host or a subdomain cannot set
 * it.
 */
const HOST_PREFIX = '__Host-'
/** Of a session with a token, or of a person's. */
const SECRET = /^lc[su]_[\w-]{43}$/
/** No other site can make a browser send it: that would need CORS permission, which we never give. */
const MARK = 'x-longcode-console'

/**
 * Over HTTPS, the name has the prefix, and no other name is read. A sandbox on plain HTTP cannot use it: the
 * prefix requires the Secure attribute, which some browsers refuse on http://localhost.
 */
export class SessionCookies {
  readonly #isSecure: boolean

  constructor({ publicUrl }: { publicUrl: string }) {
    this.#isSecure = publicUrl.startsWith('https:')
  }

  /** The secret of the session, or null. An Authorization header takes precedence. */
  sessionOf(headers: IncomingHttpHeaders, audience: SessionScope): string | null {
    if (headers.authorization !== undefined || headers.cookie === undefined) return null
    const prefix = `${this.#nameOf(audience)}=`
    const pair = headers.cookie.split(/; */).find((one) => one.startsWith(prefix))
    const secret = pair?.slice(prefix.length)
    return secret !== undefined && SECRET.test(secret) ? secret : null
  }

  /** Sets the cookie; null removes it. */
  textOf(audience: SessionScope, secret: string | null): string {
    const seconds = secret === null ? 0 : SESSION_MS / 1000
    const flags = `Path=/; Max-Age=${seconds}; HttpOnly; SameSite=Strict${this.#isSecure ? '; Secure' : ''}`
    return `${this.#nameOf(audience)}=${secret ?? ''}; ${flags}`
  }

  /** The cookies of a person. The operator's pages get one only if the person has a role for them. */
  textsOfUser(secret: string, isOperator: boolean): string[] {
    const account = this.textOf('account', secret)
    return isOperator ? [account, this.textOf('operator', secret)] : [account]
  }

  /**
   * Binds a sign-in at an identity provider to this browser. Lax, because the provider's page sends the browser back.
   */
  textOfStep(ticket: string): string {
    const flags = `Path=/; Max-Age=600; HttpOnly; SameSite=Lax${this.#isSecure ? '; Secure' : ''}`
    return `${this.#prefixed(STEP)}=${ticket}; ${flags}`
  }

  stepOf({ cookie }: IncomingHttpHeaders): string | null {
    const prefix = `${this.#prefixed(STEP)}=`
    const pair = cookie?.split(/; */).find((one) => one.startsWith(prefix))
    const ticket = pair?.slice(prefix.length) ?? ''
    return /^lct_[\w-]{43}$/.test(ticket) ? ticket : null
  }

  #prefixed(name: string): string {
    return this.#isSecure ? HOST_PREFIX + name : name
  }

  #nameOf(audience: SessionScope): string {
    return this.#prefixed(NAMES[audience])
  }
}

/** Methods that a cookie alone cannot use, because they change something. */
export function checkMark({ method, headers }: { method: string; headers: IncomingHttpHeaders }) {
  if (method === 'GET' || method === 'HEAD' || headers[MARK] === '1') return
  throw new Refusal('write_unmarked')
}
