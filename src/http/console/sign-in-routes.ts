// Signs people in: by password and code, by passkey, and by a one-time link. Every route needs the console's header, so no
// other site can make a browser use it, and every sign-in starts a session with a new secret.

import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { nameAccounts } from '../../accounts/account-queries.js'
import { fieldRefusal, Refusal } from '../../kit/contract/refusal.js'
import type { Invitation } from '../../people/invitation-queries.js'
import { acceptInvitation, acceptRecovery, getInvitation } from '../../people/invite.js'
import { findRole } from '../../people/membership-queries.js'
import { signInByPasskey, siteOf, startPasskeySignIn } from '../../people/passkeys.js'
import { checkNewPassword, hashPassword } from '../../people/password.js'
import { signInByCode, signInByPassword } from '../../people/sign-in.js'
import { forgiveAddress, limitAddress } from '../../people/sign-in-limits.js'
import { readEmail, readName } from '../../people/user.js'
import { findUserByEmail } from '../../people/user-queries.js'
import { findSessionUser } from '../../people/user-session.js'
import { switchSessionAccount } from '../../people/user-session-queries.js'
import { checkMark } from '../session-cookie.js'
import {
  ACCEPT_INVITATION,
  SHOW_INVITATION,
  SIGN_IN_CODE,
  SIGN_IN_PASSKEY,
  SIGN_IN_PASSWORD,
  START_PASSKEY_SIGN_IN,
  SWITCH_ACCOUNT,
} from './sign-in-operations.js'
import { getSignedIn, type PeopleOptions, signIn, userSecretOf } from './user-session.js'

const DONE = { success: true as const }

export const signInRoutes: FastifyPluginAsyncTypebox<PeopleOptions> = async (app, options) => {
  const { db, clock, config, hints } = options
  app.addHook('onRequest', async (request, reply) => {
    reply.header('cache-control', 'no-store')
    checkMark(request)
  })

  app.post('/console/session/password', SIGN_IN_PASSWORD, async (request, reply) => {
    const { password } = request.body
    const attempt = { email: readEmail(request.body.email), address: request.ip, password }
    const result = await signInByPassword(options, attempt)
    if (result.ticket !== null) {
      return { success: true as const, ticket: result.ticket, factors: result.factors }
    }
    await signIn(options, request, reply, {
      userId: result.userId,
      isStrong: false,
      method: 'password',
    })
    return { success: true as const, ticket: null, factors: [] }
  })

  app.post('/console/session/code', SIGN_IN_CODE, async (request, reply) => {
    const userId = await signInByCode(options, { ...request.body, address: request.ip })
    await signIn(options, request, reply, { userId, isStrong: true, method: 'code' })
    return DONE
  })

  app.post('/console/session/passkey/start', START_PASSKEY_SIGN_IN, async (request) => {
    await limitAddress(options, request.ip)
    const site = siteOf(config.publicUrl, request.headers.origin)
    return { success: true as const, ...(await startPasskeySignIn(options, site)) }
  })

  app.post('/console/session/passkey', SIGN_IN_PASSKEY, async (request, reply) => {
    const site = siteOf(config.publicUrl, request.headers.origin)
    const userId = await signInByPasskey(options, site, request.body)
    await forgiveAddress(db, request.ip)
    await signIn(options, request, reply, { userId, isStrong: true, method: 'passkey' })
    return DONE
  })

  app.post('/console/session/account', SWITCH_ACCOUNT, async (request, reply) => {
    const user = await getSignedIn(options, request, reply)
    const { accountId } = request.body
    if (!(await findRole(db, user.userId, accountId))) throw new Refusal('membership_absent')
    await switchSessionAccount(db, user.sessionId, accountId)
    hints.notify('tokens')
    return DONE
  })

  app.post('/console/invitation/show', SHOW_INVITATION, async ({ body }) => {
    const invitation = await getInvitation(db, body.code, clock.machineNow())
    const { kind, email, accountId, role, invitedBy } = invitation
    const names = accountId === null ? null : await nameAccounts(db, [accountId])
    const hasUser = (await findUserByEmail(db, email)) !== null
    const accountName = (accountId && names?.get(accountId)) ?? null
    return { success: true as const, kind, email, accountName, role, invitedBy, hasUser }
  })

  app.post('/console/invitation/accept', ACCEPT_INVITATION, async (request, reply) => {
    const { code, name, password } = request.body
    const invitation = await getInvitation(db, code, clock.machineNow())
    const secret = userSecretOf(options.cookies, request)
    const signedIn = secret === null ? null : await findSessionUser(options, secret)
    const isKnown =
      invitation.kind === 'invitation' && (await findUserByEmail(db, invitation.email)) !== null
    if (isKnown && signedIn?.email !== invitation.email) throw new Refusal('sign_in_first')
    const acceptance = {
      signedInAs: signedIn?.userId ?? null,
      origin: request.ip,
      requestId: request.id,
      ...(isKnown
        ? { name: null, passwordHash: null }
        : await newCredentials(invitation, { name, password })),
    }
    const times = { now: clock.now(), machineNow: clock.machineNow() }
    const userId = await db.transaction((tx) =>
      invitation.kind === 'recovery'
        ? acceptRecovery(tx, invitation, acceptance, times)
        : acceptInvitation(tx, invitation, acceptance, times),
    )
    const isStrong = isKnown && signedIn?.isStrong === true
    const { accountId } = invitation
    await signIn(options, request, reply, { userId, isStrong, accountId, method: null })
    hints.notify('tokens')
    return DONE
  })
}

/** Hashed before the transaction, which must not wait for it. */
async function newCredentials(
  { kind, email }: Invitation,
  { name, password }: { name?: string | undefined; password?: string | undefined },
): Promise<{ name: string; passwordHash: string }> {
  if (kind === 'invitation' && name === undefined) throw fieldRefusal('name', 'is required')
  if (password === undefined) throw fieldRefusal('password', 'is required')
  checkNewPassword(password, { email })
  return {
    name: name === undefined ? '' : readName(name),
    passwordHash: await hashPassword(password),
  }
}
