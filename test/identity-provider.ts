// Identity providers for tests: a real one (oidc-provider), and one that lies in the way a test chooses.

import { createSign, generateKeyPairSync, type KeyObject } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { TestContext } from 'node:test'
import Provider from 'oidc-provider'

const CLIENT_ID = 'longcode'
const CLIENT_SECRET = 'a-secret-of-the-client-for-tests'
const DAY_S = 86_400

/** Settings of the service for a provider at this address. */
export function oidcEnv(issuer: string, roles: string): Record<string, string> {
  return {
    LONGCODE_OIDC_ISSUER: issuer,
    LONGCODE_OIDC_CLIENT_ID: CLIENT_ID,
    LONGCODE_OIDC_CLIENT_SECRET: CLIENT_SECRET,
    LONGCODE_OIDC_NAME: 'Acme',
    LONGCODE_OIDC_ROLES: roles,
    LONGCODE_OIDC_SCOPE: 'openid email profile groups',
  }
}

/** A real provider with its own sign-in page, where the login is the email address. */
export async function startProvider(
  t: TestContext,
  { redirectUri, groups }: { redirectUri: string; groups: readonly string[] },
): Promise<string> {
  const server = createServer()
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const issuer = addressOf(server)
  const provider = new Provider(issuer, {
    clients: [
      {
        client_id: CLIENT_ID,
        client_secret: CLIENT_SECRET,
        redirect_uris: [redirectUri],
        response_types: ['code'],
        grant_types: ['authorization_code'],
      },
    ],
    claims: {
      openid: ['sub'],
      email: ['email', 'email_verified'],
      profile: ['name'],
      groups: ['groups'],
    },
    cookies: { keys: ['a key for cookies of tests'] },
    ttl: { Session: DAY_S, Grant: DAY_S, Interaction: DAY_S, AccessToken: DAY_S, IdToken: DAY_S },
    findAccount: (_ctx: unknown, id: string) => ({
      accountId: id,
      claims: () => ({ sub: id, email: id, email_verified: true, name: 'Cora Diaz', groups }),
    }),
  })
  server.on('request', provider.callback())
  t.after(() => server.close())
  return issuer
}

export interface Lie {
  issuer?: string
  audience?: string
  nonce?: string
  expiresInS?: number
  /** Signed with a key that the provider does not list. */
  isForeignKey?: boolean
  email?: string
  isEmailVerified?: boolean
}

export interface LyingProvider {
  issuer: string
  /** What the next ID token says. The nonce must be that of the request, unless the lie is about it. */
  say: (nonce: string, lie?: Lie) => void
  stop: () => void
}

let keys: { own: RsaKey; foreign: RsaKey } | null = null // made once per process: an RSA key takes a second

/** Everything is correct, except for the lie. */
export async function startLyingProvider(t: TestContext): Promise<LyingProvider> {
  keys ??= { own: rsaKey(), foreign: rsaKey() }
  const { own, foreign } = keys
  let idToken = ''
  const server = createServer((request, response) => {
    const answers: Record<string, object> = {
      '/.well-known/openid-configuration': metadataOf(addressOf(server)),
      '/jwks': { keys: [{ ...own.publicKey.export({ format: 'jwk' }), kid: 'k1', alg: 'RS256' }] },
      '/token': { access_token: 'at', token_type: 'bearer', id_token: idToken },
    }
    const answer = answers[request.url!.split('?', 1)[0]!]
    response.writeHead(answer ? 200 : 404, { 'content-type': 'application/json' })
    response.end(JSON.stringify(answer ?? {}))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => server.close())
  const issuer = addressOf(server)
  return {
    issuer,
    stop: () => {
      server.close()
      server.closeAllConnections()
    },
    say: (nonce, lie = {}) => {
      const now = Math.floor(Date.now() / 1000)
      const claims = {
        iss: lie.issuer ?? issuer,
        sub: 'u-1',
        aud: lie.audience ?? CLIENT_ID,
        nonce: lie.nonce ?? nonce,
        iat: now - 600,
        exp: now + (lie.expiresInS ?? 600),
        email: lie.email ?? 'cora@acme.example',
        email_verified: lie.isEmailVerified ?? true,
        name: 'Cora Diaz',
        groups: ['staff'],
      }
      idToken = signJwt(claims, lie.isForeignKey ? foreign.privateKey : own.privateKey)
    },
  }
}

function metadataOf(issuer: string): object {
  return {
    issuer,
    authorization_endpoint: `${issuer}/authorize`,
    token_endpoint: `${issuer}/token`,
    jwks_uri: `${issuer}/jwks`,
    response_types_supported: ['code'],
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: ['RS256'],
    code_challenge_methods_supported: ['S256'],
  }
}

type RsaKey = ReturnType<typeof rsaKey>

function rsaKey() {
  return generateKeyPairSync('rsa', { modulusLength: 2048 })
}

function signJwt(claims: object, key: KeyObject): string {
  const encode = (part: object) => Buffer.from(JSON.stringify(part)).toString('base64url')
  const text = `${encode({ alg: 'RS256', kid: 'k1', typ: 'JWT' })}.${encode(claims)}`
  return `${text}.${createSign('RSA-SHA256').update(text).sign(key).toString('base64url')}`
}

function addressOf(server: Server): string {
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}
