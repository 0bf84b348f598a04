// Signs people in by a company's identity provider: authorization code with PKCE. The library checks issuer, audience,
// nonce, state, expiry, and the signature of the ID token. We decide what the claims mean.

import type { Configuration } from 'openid-client'
import { Refusal } from '../kit/contract/refusal.js'
import type { OidcConfig } from '../kit/settings/oidc-config.js'
import { createOidcFetch } from './oidc-fetch.js'
import { readEmail } from './user.js'

const TIMEOUT_S = 10
const GROUPS_MAX = 1_000

/** What the browser must bring back, or what proves that it did. Stored on the server. */
export interface OidcStep {
  state: string
  nonce: string
  verifier: string
}

export interface OidcPerson {
  issuer: string
  subject: string
  email: string
  /** Whether the provider checked the address. Only then it identifies an existing user. */
  isEmailVerified: boolean
  name: string
  groups: string[]
}

export interface OidcClient {
  start: () => Promise<{ url: URL; step: OidcStep }>
  /** `url` is the address that the provider sent the browser to. */
  finish: (url: URL, step: OidcStep) => Promise<OidcPerson>
}

export function createOidcClient(config: OidcConfig, redirectUri: string): OidcClient {
  let found: Promise<Configuration> | null = null
  // Kept once it worked. After a failure, the next sign-in tries again.
  const discover = (): Promise<Configuration> => {
    found ??= discoverProvider(config).catch((error: unknown) => {
      found = null
      throw unavailable(error)
    })
    return found
  }
  return {
    start: async () => {
      const client = await import('openid-client')
      const provider = await discover()
      const step = {
        state: client.randomState(),
        nonce: client.randomNonce(),
        verifier: client.randomPKCECodeVerifier(),
      }
      const url = client.buildAuthorizationUrl(provider, {
        redirect_uri: redirectUri,
        scope: config.scope,
        code_challenge: await client.calculatePKCECodeChallenge(step.verifier),
        code_challenge_method: 'S256',
        state: step.state,
        nonce: step.nonce,
      })
      return { url, step }
    },
    finish: async (url, step) => {
      const provider = await discover()
      return readPerson(config, provider, url, step).catch((error: unknown) => {
        throw asRefusal(error)
      })
    },
  }
}

async function discoverProvider({ issuer, clientId, clientSecret }: OidcConfig) {
  const client = await import('openid-client')
  const { allowInsecureRequests, enableNonRepudiationChecks } = client
  // The second one verifies the signature of every ID token, even one that came directly from the provider.
  const isPlain = issuer.startsWith('http:')
  const execute = [...(isPlain ? [allowInsecureRequests] : []), enableNonRepudiationChecks]
  const options = { execute, timeout: TIMEOUT_S, [client.customFetch]: createOidcFetch() }
  return client.discovery(new URL(issuer), clientId, clientSecret, undefined, options)
}

async function readPerson(
  config: OidcConfig,
  provider: Configuration,
  url: URL,
  { state, nonce, verifier }: OidcStep,
): Promise<OidcPerson> {
  const client = await import('openid-client')
  const tokens = await client.authorizationCodeGrant(provider, url, {
    pkceCodeVerifier: verifier,
    expectedState: state,
    expectedNonce: nonce,
    idTokenExpected: true,
  })
  const own = tokens.claims()!
  const isComplete = own.email !== undefined && own[config.groupsClaim] !== undefined
  const hasMore = !isComplete && provider.serverMetadata().userinfo_endpoint !== undefined
  const more = hasMore ? await client.fetchUserInfo(provider, tokens.access_token, own.sub) : {}
  const claims: Record<string, unknown> = { ...more, ...own }
  const email = readEmail(textOf(claims.email))
  return {
    issuer: own.iss,
    subject: own.sub,
    email,
    isEmailVerified: claims.email_verified === true,
    name: textOf(claims.name).trim().slice(0, 100) || email,
    groups: groupsOf(claims[config.groupsClaim]),
  }
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')

function groupsOf(value: unknown): string[] {
  const items = Array.isArray(value) ? value : [value]
  return items.filter((item) => typeof item === 'string').slice(0, GROUPS_MAX)
}

/** A provider that does not respond is not a forged response. Details help an attacker, so nobody gets them. */
function asRefusal(error: unknown): Refusal {
  const { name, code } = error as { name?: string; code?: string }
  const isDown = name === 'TimeoutError' || name === 'TypeError' || code === 'OAUTH_TIMEOUT'
  return isDown ? unavailable(error) : new Refusal('oidc_refused')
}

function unavailable(_error: unknown): Refusal {
  return new Refusal('oidc_unavailable')
}
