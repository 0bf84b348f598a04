// Signs users in to the console and out of it. A token, or the code from a printed link, becomes a session in
// a cookie that scripts cannot read.

import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { getAccount, nameAccounts } from '../../accounts/account-queries.js'
import { ACCOUNT_ROLES } from '../../accounts/role.js'
import { endSession, redeemLink, startSession } from '../../accounts/session.js'
import { hashToken } from '../../accounts/token.js'
import { type Registering, requirementsOf } from '../../brands/registration.js'
import { operation, SCOPES } from '../../kit/contract/operation.js'
import { fieldRefusal, Refusal } from '../../kit/contract/refusal.js'
import { Noun, NullableString, Timestamp } from '../../kit/contract/schema.js'
import type { World } from '../../kit/world.js'
import type { CarrierIdentity } from '../../messages/carrier-port.js'
import { operationsOf } from '../../operator/operator-role.js'
import type { Operator } from '../../operator/operator-token.js'
import { listMemberships } from '../../people/membership-queries.js'
import { INSTALLATION_ROLES } from '../../people/user.js'
import { findSessionUser, isUserSecret } from '../../people/user-session.js'
import { deleteSessionByHash } from '../../people/user-session-queries.js'
import { checkMark, type SessionCookies, type SessionScope } from '../session-cookie.js'
import type { Authenticators, RequestGuard } from '../token-check.js'
import { userSecretOf } from './user-session.js'

const TEXT_MAX = 200
const AUDIENCES: readonly SessionScope[] = ['account', 'operator']

const SessionUser = Noun('SessionUser', {
  userId: Type.String(),
  name: Type.String(),
  email: Type.String(),
  accounts: Type.Array(
    Noun('SessionMembership', {
      accountId: Type.String(),
      name: Type.String(),
      role: Type.Enum([...ACCOUNT_ROLES]),
    }),
    { description: 'The accounts that the session can show' },
  ),
  needsSecondFactor: Type.Boolean({
    description: 'Whether everything but the profile is closed until the person adds one',
  }),
})

const SignedIn = {
  account: Type.Union([
    Noun('SessionAccount', {
      accountId: Type.String(),
      name: Type.String(),
      scopes: Type.Array(Type.Enum(SCOPES)),
    }),
    Type.Null(),
  ]),
  operator: Type.Union([
    Type.Object({
      name: Type.String(),
      role: Type.Enum([...INSTALLATION_ROLES]),
      operations: Type.Union([Type.Array(Type.String()), Type.Null()], {
        description: 'The IDs of the operations that the role may use; null: all',
      }),
    }),
    Type.Null(),
  ]),
  user: Type.Union([SessionUser, Type.Null()], {
    description: 'The person who signed in; null if a token did',
  }),
  company: {
    ...NullableString,
    description: 'The name of the identity provider by which people can sign in; null: none',
  },
  mode: Type.Enum(['sandbox', 'production']),
  carrier: Type.Enum(['simulated', 'real', 'none'], {
    title: 'SessionCarrier',
    description: 'Whether messages reach real phones, simulated phones, or are refused',
  }),
  /** Fields that a registering provider needs beyond the contract. */
  asks: Noun('SessionAsks', {
    brand: Type.Array(Type.String()),
    campaign: Type.Array(Type.String()),
  }),
  now: Timestamp,
}

const EXAMPLE = {
  account: {
    accountId: 'acc_01km3v9w8m0000pqv3t5x7z9bd',
    name: 'Sandbox',
    scopes: ['read', 'send', 'manage', 'billing'],
  },
  operator: null,
  user: null,
  company: null,
  mode: 'sandbox',
  carrier: 'simulated',
  asks: { brand: [], campaign: [] },
  now: '2026-11-15T14:02:31.000Z',
}

const HEADER = 'Requires the header `X-Longcode-Console: 1`, which other sites cannot send.'

const SIGN_IN = operation({
  id: 'signIn',
  tag: 'Console',
  summary: 'Sign in to the console',
  description: `Exchanges an account or operator token, or the code from the link that \`npm start\` prints (valid once, for ten minutes), for a seven-day session in an http-only, same-site cookie. Requests with this cookie and without \`Authorization\` act with that token. The session ends when the token does. ${HEADER}`,
  isExtension: true,
  scope: null,
  body: Type.Object({
    token: Type.Optional(Type.String({ minLength: 1, maxLength: TEXT_MAX })),
    code: Type.Optional(Type.String({ minLength: 1, maxLength: TEXT_MAX })),
  }),
  bodyExample: { token: '<ACCESS_TOKEN>' },
  reply: Type.Object({ success: Type.Literal(true), ...SignedIn }),
  example: { success: true, ...EXAMPLE },
  failure: { success: false },
  refuses: ['token_unknown', 'link_used', 'write_unmarked'],
})

const SHOW = operation({
  id: 'getSession',
  tag: 'Console',
  summary: 'Get the console session',
  description: 'If no one is signed in, `account` and `operator` are null.',
  isExtension: true,
  scope: null,
  reply: Type.Object(SignedIn),
  example: EXAMPLE,
  failure: { account: null },
})

const SIGN_OUT = operation({
  id: 'signOut',
  tag: 'Console',
  summary: 'Sign out of the console',
  description: `Ends the session in all tabs, including its streams. ${HEADER}`,
  isExtension: true,
  scope: null,
  query: Type.Object({
    audience: Type.Optional(
      Type.Enum(['account', 'operator'], {
        description: 'Sign out of this one only. Default: both',
      }),
    ),
  }),
  reply: Type.Object({ success: Type.Literal(true) }),
  example: { success: true },
  failure: { success: false },
  refuses: ['write_unmarked'],
})

type CarrierKind = Pick<CarrierIdentity, 'isAbsent' | 'isSimulated'>
type Options = World & {
  authenticators: Authenticators
  guard: RequestGuard
  cookies: SessionCookies
  carrier: CarrierKind
  registering: Registering
}

export const sessionRoutes: FastifyPluginAsyncTypebox<Options> = async (app, options) => {
  const { db, clock, cookies } = options
  const secretsOf = ({ headers }: FastifyRequest): Secrets => ({
    account: cookies.sessionOf(headers, 'account'),
    operator: cookies.sessionOf(headers, 'operator'),
  })
  app.addHook('onRequest', async (_request, reply) => {
    reply.header('cache-control', 'no-store')
  })

  app.post('/console/session', SIGN_IN, async (request, reply) => {
    checkMark(request)
    const tokenHash = await tokenHashOf(options, request, (headers) => reply.headers(headers))
    const { secret } = await startSession(db, clock, tokenHash)
    const caller = await whoIs(options, { account: secret, operator: secret })
    const audience = caller.operator ? 'operator' : 'account'
    if (!caller.account && !caller.operator) throw new Refusal('token_unknown')
    reply.header('set-cookie', cookies.textOf(audience, secret))
    const secrets = secretsOf(request)
    return { success: true as const, ...(await whoIs(options, { ...secrets, [audience]: secret })) }
  })

  app.get('/console/session', SHOW, async (request) => whoIs(options, secretsOf(request)))

  app.delete('/console/session', SIGN_OUT, async (request, reply) => {
    checkMark(request)
    const { audience } = request.query
    const ended = audience ? [audience] : AUDIENCES
    for (const one of ended) {
      const secret = secretsOf(request)[one]
      if (secret) await endSession(db, secret)
    }
    // A person has one session for both, and leaves both.
    const person = userSecretOf(cookies, request)
    if (person) await deleteSessionByHash(db, hashToken(person))
    reply.header(
      'set-cookie',
      (person ? AUDIENCES : ended).map((one) => cookies.textOf(one, null)),
    )
    return { success: true as const }
  })
}

type Secrets = Record<SessionScope, string | null>

/** The owner of the token in the body, which must be valid, or of the link. */
async function tokenHashOf(
  { db, clock, authenticators, guard }: Options,
  request: FastifyRequest<{ Body: { token?: string; code?: string } }>,
  setHeaders: (headers: Record<string, string>) => unknown,
): Promise<Buffer> {
  const { token, code } = request.body
  if ((token === undefined) === (code === undefined)) {
    throw fieldRefusal('token', 'or code is required, but not both')
  }
  const stranger = { authorization: `Bearer ${token ?? code}`, address: request.ip }
  const find = async (): Promise<Buffer> => {
    if (code !== undefined) return redeemLink(db, clock, code)
    const { authorization } = stranger
    const { customers, operators } = authenticators
    // An operator token from the environment can have any form.
    await customers.authenticate(authorization).catch((error) => {
      if (!(error instanceof Refusal) || error.status !== 401) throw error
      return operators.authenticate(authorization)
    })
    return hashToken(token!.trim())
  }
  return guard.lookUp(stranger, find, { headers: setHeaders })
}

async function whoIs(options: Options, secrets: Secrets) {
  const { db, clock, config, authenticators, carrier } = options
  const { customers, operators } = authenticators
  const caller = secrets.account && (await orNull(secrets.account, customers.authenticateSession))
  const operator =
    secrets.operator && (await orNull(secrets.operator, operators.authenticateSession))
  const account = caller ? await getAccount(db, caller.accountId) : null
  const userSecret = [secrets.account, secrets.operator].find((secret) => isUserSecret(secret))
  return {
    account:
      caller && account
        ? { accountId: caller.accountId, name: account.name, scopes: [...caller.scopes] }
        : null,
    operator: operator ? describeOperator(operator) : null,
    user: userSecret ? await describeUser(options, userSecret) : null,
    company: config.oidc?.name ?? null,
    mode: config.mode,
    carrier: carrierKind(carrier),
    asks: requirementsOf(options.registering.current()),
    now: clock.now().toISOString(),
  }
}

function describeOperator({ name, role }: Operator) {
  const operations = operationsOf(role)
  return { name, role, operations: operations && [...operations] }
}

function carrierKind({ isAbsent, isSimulated }: CarrierKind) {
  if (isAbsent) return 'none' as const
  return isSimulated ? ('simulated' as const) : ('real' as const)
}

/** The person and their accounts; null if the session has ended. */
async function describeUser(options: Options, secret: string) {
  const { db, config } = options
  const user = await findSessionUser(options, secret)
  if (!user) return null
  const { userId, name, email } = user
  const memberships = await listMemberships(db, [userId])
  const names = await nameAccounts(
    db,
    memberships.map(({ accountId }) => accountId),
  )
  const accounts = memberships.map(({ accountId, role }) => {
    return { accountId, name: names.get(accountId) ?? accountId, role }
  })
  const needsSecondFactor = config.requiresSecondFactor && !user.isStrong
  return { userId, name, email, accounts, needsSecondFactor }
}

/**
 * An ended session counts as signed out. So does a person without access to the account: they may have others. Other
 * problems are reported.
 */
async function orNull<T>(secret: string, find: (secret: string) => Promise<T>): Promise<T | null> {
  return find(secret).catch((error) => {
    const status = error instanceof Refusal ? error.status : null
    if (status === 401 || (status === 403 && isUserSecret(secret))) return null
    throw error
  })
}
