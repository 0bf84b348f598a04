// A person's own profile. Changes that would help a thief who found an open browser need the current password.

import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Actor, AuditAct } from '../../accounts/audit.js'
import { recordAct } from '../../accounts/audit-queries.js'
import { fieldRefusal, Refusal } from '../../kit/contract/refusal.js'
import { deletePasskey, listPasskeys } from '../../people/passkey-queries.js'
import { siteOf, startPasskey, storePasskey, verifyNewPasskey } from '../../people/passkeys.js'
import { checkNewPassword, hashPassword } from '../../people/password.js'
import { checkPassword } from '../../people/sign-in.js'
import { forgiveAttempt, limitAttempt } from '../../people/sign-in-limits.js'
import { findTotpStep, makeTotpSecret, totpUri } from '../../people/totp.js'
import { readName } from '../../people/user.js'
import {
  confirmTotp,
  findUnconfirmedTotp,
  getCredentials,
  storeTotpSecret,
  updateName,
  updatePassword,
} from '../../people/user-queries.js'
import {
  deleteOtherSessions,
  deleteSessionById,
  listSessions,
  type SignedInUser,
  strengthenSession,
} from '../../people/user-session-queries.js'
import {
  ADD_PASSKEY,
  CHANGE_NAME,
  CHANGE_PASSWORD,
  CONFIRM_TOTP,
  END_OTHER_SESSIONS,
  END_SESSION,
  GET_PROFILE,
  REMOVE_PASSKEY,
  REMOVE_TOTP,
  START_PASSKEY,
  START_TOTP,
} from './profile-operations.js'
import { getSignedIn, type PeopleOptions, personOf } from './user-session.js'

const DONE = { success: true as const }

export const profileRoutes: FastifyPluginAsyncTypebox<PeopleOptions> = async (app, options) => {
  const { db, clock, config, hints } = options
  const signedIn = (request: FastifyRequest, reply: FastifyReply) =>
    getSignedIn(options, request, reply)
  app.addHook('onRequest', async (_request, reply) => {
    reply.header('cache-control', 'no-store')
  })

  app.get('/console/profile', GET_PROFILE, async (request, reply) => {
    const user = await signedIn(request, reply)
    return { profile: await profileOf(options, user) }
  })

  app.patch('/console/profile', CHANGE_NAME, async (request, reply) => {
    const { userId } = await signedIn(request, reply)
    const name = readName(request.body.name)
    await db.transaction((tx) => updateName(tx, userId, name))
    return DONE
  })

  app.post('/console/profile/password', CHANGE_PASSWORD, async (request, reply) => {
    const user = await signedIn(request, reply)
    const { current, password } = request.body
    await confirmPerson(options, user, { current, address: request.ip })
    checkNewPassword(password, user)
    const hash = await hashPassword(password)
    await db.transaction(async (tx) => {
      await updatePassword(tx, user.userId, hash)
      await deleteOtherSessions(tx, user.userId, user.sessionId)
      const change = { act: 'user.password', before: null, after: null } as const
      await recordAct(tx, personOf(user, request), aboutSelf(user, change), clock.now())
    })
    hints.notify('tokens')
    return DONE
  })

  app.post('/console/profile/totp/start', START_TOTP, async (request, reply) => {
    const user = await signedIn(request, reply)
    const { current } = request.body
    await confirmPerson(options, user, { current, address: request.ip })
    if ((await getCredentials(db, user.userId)).totpSecret !== null) {
      throw fieldRefusal('', '', 'You already have an authenticator app. Remove it first.')
    }
    const secret = makeTotpSecret()
    await db.transaction((tx) => storeTotpSecret(tx, user.userId, secret))
    return { success: true as const, secret, uri: totpUri(secret, { ...user, issuer: 'Longcode' }) }
  })

  app.post('/console/profile/totp', CONFIRM_TOTP, async (request, reply) => {
    const user = await signedIn(request, reply)
    const attempt = { email: user.email, address: request.ip }
    await limitAttempt(options, 'code', attempt)
    const secret = await findUnconfirmedTotp(db, user.userId)
    const now = clock.machineNow()
    const step = secret && findTotpStep(secret, request.body.code.trim(), { now, after: 0 })
    if (!step) throw new Refusal('code_refused')
    await forgiveAttempt(db, 'code', attempt)
    await db.transaction(async (tx) => {
      await confirmTotp(tx, user.userId, { step, now })
      await strengthenSession(tx, user.sessionId)
      await recordFactor(tx, personOf(user, request), user, { added: 'authenticator app' })
    })
    return DONE
  })

  app.delete('/console/profile/totp', REMOVE_TOTP, async (request, reply) => {
    const user = await signedIn(request, reply)
    await confirmPerson(options, user, { current: request.body.current, address: request.ip })
    await db.transaction(async (tx) => {
      await storeTotpSecret(tx, user.userId, null)
      await recordFactor(tx, personOf(user, request), user, { removed: 'authenticator app' })
    })
    return DONE
  })

  app.post('/console/profile/passkey/start', START_PASSKEY, async (request, reply) => {
    const user = await signedIn(request, reply)
    await confirmPerson(options, user, { current: request.body.current, address: request.ip })
    const site = siteOf(config.publicUrl, request.headers.origin)
    return { success: true as const, ...(await startPasskey(options, site, user)) }
  })

  app.post('/console/profile/passkey', ADD_PASSKEY, async (request, reply) => {
    const user = await signedIn(request, reply)
    const { ticket, response, name } = request.body
    const site = siteOf(config.publicUrl, request.headers.origin)
    const created = await verifyNewPasskey(options, site, { ...user, ticket, response })
    const passkey = {
      ...created,
      name: readName(name),
      createdAt: clock.machineNow(),
      lastUsedAt: null,
    }
    await db.transaction(async (tx) => {
      await storePasskey(tx, passkey)
      await strengthenSession(tx, user.sessionId)
      const added = { added: 'passkey', name: passkey.name }
      await recordFactor(tx, personOf(user, request), user, added)
    })
    return DONE
  })

  app.delete('/console/profile/passkey/:id', REMOVE_PASSKEY, async (request, reply) => {
    const user = await signedIn(request, reply)
    await confirmPerson(options, user, { current: request.body.current, address: request.ip })
    await db.transaction(async (tx) => {
      const isGone = await deletePasskey(tx, user.userId, request.params.id)
      if (!isGone) throw new Refusal('passkey_missing')
      await recordFactor(tx, personOf(user, request), user, { removed: 'passkey' })
    })
    return DONE
  })

  app.delete('/console/profile/session/:id', END_SESSION, async (request, reply) => {
    const { userId } = await signedIn(request, reply)
    const isEnded = await deleteSessionById(db, userId, request.params.id)
    if (!isEnded) throw new Refusal('session_missing')
    hints.notify('tokens')
    return DONE
  })

  app.delete('/console/profile/session', END_OTHER_SESSIONS, async (request, reply) => {
    const { userId, sessionId } = await signedIn(request, reply)
    const ended = await deleteOtherSessions(db, userId, sessionId)
    hints.notify('tokens')
    return { success: true as const, ended }
  })

  async function recordFactor(
    tx: Parameters<typeof recordAct>[0],
    actor: Actor,
    user: SignedInUser,
    after: object,
  ): Promise<void> {
    const change = { act: 'user.second_factor', before: null, after } as const
    await recordAct(tx, actor, aboutSelf(user, change), clock.now())
  }
}

function aboutSelf(
  { userId }: SignedInUser,
  change: Pick<AuditAct, 'act' | 'before' | 'after'>,
): AuditAct {
  return { ...change, accountId: null, subject: userId }
}

/** A person who signs in by an identity provider has no password to ask for. */
async function confirmPerson(
  options: PeopleOptions,
  { userId, email }: SignedInUser,
  { current, address }: { current: string | undefined; address: string },
): Promise<void> {
  const { passwordHash } = await getCredentials(options.db, userId)
  if (passwordHash === null) return
  if (current === undefined) throw fieldRefusal('current', 'is required')
  await checkPassword(options, { email, address, password: current })
}

async function profileOf({ db, clock }: PeopleOptions, user: SignedInUser) {
  const { userId, name, email, sessionId } = user
  const { passwordHash, totpSecret } = await getCredentials(db, userId)
  const passkeys = await listPasskeys(db, userId)
  const sessions = await listSessions(db, userId, clock.machineNow())
  return {
    userId,
    name,
    email,
    hasPassword: passwordHash !== null,
    hasTotp: totpSecret !== null,
    passkeys: passkeys.map((passkey) => ({
      id: passkey.credentialId,
      name: passkey.name,
      createdAt: passkey.createdAt.toISOString(),
      lastUsedAt: passkey.lastUsedAt?.toISOString() ?? null,
    })),
    sessions: sessions.map((session) => ({
      id: session.id,
      isCurrent: session.id === sessionId,
      address: session.address,
      userAgent: session.userAgent,
      createdAt: session.createdAt.toISOString(),
      lastUsedAt: session.lastUsedAt.toISOString(),
      expiresAt: session.expiresAt.toISOString(),
    })),
  }
}
