// What the routes of people share: who is signed in, and how a sign-in ends in cookies.

import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Actor } from '../../accounts/audit.js'
import { Refusal } from '../../kit/contract/refusal.js'
import type { World } from '../../kit/world.js'
import { findUser } from '../../people/user-queries.js'
import type { SessionStart } from '../../people/user-session.js'
import { findSessionUser, isUserSecret, startUserSession } from '../../people/user-session.js'
import type { SignedInUser } from '../../people/user-session-queries.js'
import { checkMark, type SessionCookies } from '../session-cookie.js'
import type { RequestGuard } from '../token-check.js'

export type PeopleOptions = World & { guard: RequestGuard; cookies: SessionCookies }

/** The secret of the person's session. Both cookies have the same one. */
export function userSecretOf(cookies: SessionCookies, { headers }: FastifyRequest): string | null {
  const secrets = [cookies.sessionOf(headers, 'account'), cookies.sessionOf(headers, 'operator')]
  return secrets.find((secret) => isUserSecret(secret)) ?? null
}

/** Refuses if nobody is signed in, or only a token is. */
export async function getSignedIn(
  options: PeopleOptions,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<SignedInUser> {
  checkMark(request)
  const secret = userSecretOf(options.cookies, request)
  if (secret === null) throw new Refusal('session_absent')
  const find = async (): Promise<SignedInUser> => {
    const user = await findSessionUser(options, secret)
    if (!user) throw new Refusal('session_absent')
    return user
  }
  return options.guard.lookUp({ authorization: secret, address: request.ip }, find, reply)
}

/** Starts a session and sets its cookies. Returns the secret. */
export async function signIn(
  { db, clock, cookies }: PeopleOptions,
  request: FastifyRequest,
  reply: FastifyReply,
  start: Pick<SessionStart, 'userId' | 'isStrong' | 'accountId'>,
): Promise<string> {
  const session = {
    ...start,
    address: request.ip,
    userAgent: request.headers['user-agent'] ?? '',
    replaces: userSecretOf(cookies, request),
  }
  const user = await findUser(db, start.userId)
  if (!user) throw new Refusal('sign_in_expired')
  const secret = await db.transaction((tx) => startUserSession(tx, session, clock.machineNow()))
  reply.header('set-cookie', cookies.textsOfUser(secret, user.installationRole !== null))
  return secret
}

/** The person who is signed in, for the audit log. */
export function personOf(user: SignedInUser, request: FastifyRequest): Actor {
  const { userId: id, name } = user
  return { kind: 'customer', id, name, origin: request.ip, requestId: request.id }
}
