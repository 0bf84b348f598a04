// People in tests: invites, joins, and signs in over HTTP, as the console does.

import assert from 'node:assert/strict'
import type { BrowserContext } from 'playwright-core'
import type { CallOptions, Reply, TestService } from './harness.js'

export const MARK = { 'x-longcode-console': '1' }
export const PASSWORD = 'stapled rain umbrella'
export const OPERATOR_TOKEN = 'lco_test-operator-of-people'

/** The cookies of a response as a browser would send them back. */
export function cookiesOf({ headers }: Reply): string {
  return [headers['set-cookie'] ?? []]
    .flat()
    .map((text) => String(text).split(';', 1)[0]!)
    .join('; ')
}

export type Request = (method: string, url: string, body?: unknown) => Promise<Reply>

/** Requests of a browser with these cookies. */
export function browser(service: TestService, cookie: string | null = null): Request {
  const headers = { ...MARK, ...(cookie !== null && { cookie }) }
  return (method, url, body) => service.call(method, url, body, { token: null, headers })
}

export function codeOf(url: string): string {
  return url.split('#k=')[1]!
}

export interface Joined {
  cookie: string
  request: Request
  userId: string
}

/** Accepts a link with a name and a password. */
export async function join(service: TestService, url: string, name = 'Ana Silva'): Promise<Joined> {
  const code = codeOf(url)
  const body = { code, name, password: PASSWORD }
  const reply = await browser(service)('POST', '/console/invitation/accept', body)
  assert.equal(reply.status, 200, JSON.stringify(reply.body))
  const cookie = cookiesOf(reply)
  const request = browser(service, cookie)
  const { user } = (await request('GET', '/console/session')).body
  return { cookie, request, userId: user.userId }
}

/** A person with this role in the service's account, or in that of the token. */
export async function personWith(
  service: TestService,
  role: string,
  email = `${role}@example.com`,
  options: CallOptions = {},
): Promise<Joined> {
  const reply = await service.post('/console/people/invitation', { email, role }, options)
  assert.equal(reply.status, 200, JSON.stringify(reply.body))
  return join(service, reply.body.url, `The ${role}`)
}

/** A person with this role for the installation. The service needs OPERATOR_TOKEN. */
export async function operatorWith(service: TestService, role: string): Promise<Joined> {
  const body = { email: `${role}@ops.example.com`, role }
  const options = { token: OPERATOR_TOKEN }
  const reply = await service.post('/operator/v1/user/invitation', body, options)
  assert.equal(reply.status, 200, JSON.stringify(reply.body))
  return join(service, reply.body.url, `The ${role}`)
}

/** Gives a browser the session of a person. */
export async function signInAs(
  context: Pick<BrowserContext, 'addCookies' | 'clearCookies'>,
  url: string,
  { cookie }: Joined,
): Promise<void> {
  await context.clearCookies()
  const cookies = cookie.split('; ').map((text) => text.split('=') as [string, string])
  const { hostname: domain } = new URL(url)
  await context.addCookies(cookies.map(([name, value]) => ({ name, value, domain, path: '/' })))
}
