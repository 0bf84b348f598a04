// What the routes of people share: who is signed in, and how a sign-in ends in cookies.

import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Actor } from '../../accounts/audit.js'
import { recordAct } from '../../accounts/audit-queries.js'
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

type SignInMethod = 'password' | 'code' | 'passkey' | 'company'

interface SignIn extends Pick<SessionStart, 'userId' | 'isStrong' | 'accountId'> {
  /** Null: a one-time link, which has its own entry in the audit log. */
  method: SignInMethod | null
}

/** Starts a session, records it, and sets its cookies. */
export async function signIn(
  { db, clock, cookies }: PeopleOptions,
  request: FastifyRequest,
  reply: FastifyReply,
  { method, ...start }: SignIn,
): Promise<void> {
  const session = {
    ...start,
    address: request.ip,
    userAgent: request.headers['user-agent'] ?? '',
    replaces: userSecretOf(cookies, request),
  }
  const user = await findUser(db, start.userId)
  if (!user) throw new Refusal('sign_in_expired')
  const secret = await db.transaction(async (tx) => {
    const started = await startUserSession(tx, session, clock.machineNow())
    if (method !== null) {
      const { accountId } = started
      const act = { act: 'user.sign_in', accountId, subject: user.id } as const
      const actor = personOf({ userId: user.id, name: user.name }, request)
      await recordAct(tx, actor, { ...act, before: null, after: { method } }, clock.now())
    }
    return started.secret
  })
  reply.header('set-cookie', cookies.textsOfUser(secret, user.installationRole !== null))
}

/** A person as the actor of an entry in the audit log. */
export function personOf(
  { userId: id, name }: Pick<SignedInUser, 'userId' | 'name'>,
  request: FastifyRequest,
): Actor {
  return { kind: 'customer', id, name, origin: request.ip, requestId: request.id }
}
