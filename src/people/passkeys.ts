// Passkeys (WebAuthn). Each proves possession of a device and, by its PIN or fingerprint, the person: it signs in without a
// password, and counts as two factors. The library checks signatures, origin, and challenge.

import type { AuthenticationResponseJSON, RegistrationResponseJSON } from '@simplewebauthn/server'
import type { Clock } from '../kit/clock.js'
import { Refusal } from '../kit/contract/refusal.js'
import type { Queryable, Store } from '../kit/postgres/db.js'
import {
  findPasskey,
  insertPasskey,
  listPasskeys,
  type Passkey,
  recordPasskeyUse,
} from './passkey-queries.js'
import { finishStep, startStep } from './sign-in-step.js'
import type { UserId } from './user.js'

const SERVICE = 'Longcode'
const PASSKEYS_MAX = 20

interface PasskeyWorld {
  db: Queryable
  clock: Clock
}

/** The site that passkeys belong to. */
export interface Site {
  id: string
  origin: string
}

/**
 * Browsers accept names only, not IP addresses. A sandbox at a loopback address is reachable as localhost, on the port
 * that the browser used.
 */
export function siteOf(publicUrl: string, origin: string | undefined): Site {
  const { hostname, origin: own } = new URL(publicUrl)
  if (!/^(?:127\.\d+\.\d+\.\d+|\[::1\]|localhost)$/.test(hostname))
    return { id: hostname, origin: own }
  const isLocal = origin !== undefined && /^https?:\/\/localhost(?::\d+)?$/.test(origin)
  return { id: 'localhost', origin: isLocal ? origin : own }
}

export async function startPasskey(
  world: PasskeyWorld,
  site: Site,
  user: { userId: UserId; email: string; name: string },
): Promise<{ ticket: string; options: object }> {
  const { generateRegistrationOptions } = await import('@simplewebauthn/server')
  const existing = await listPasskeys(world.db, user.userId)
  if (existing.length >= PASSKEYS_MAX) {
    throw new Refusal('field_invalid', `You have ${PASSKEYS_MAX} passkeys. Remove one first.`)
  }
  const options = await generateRegistrationOptions({
    rpName: SERVICE,
    rpID: site.id,
    userID: new TextEncoder().encode(user.userId),
    userName: user.email,
    userDisplayName: user.name,
    excludeCredentials: existing.map(({ credentialId: id }) => ({ id })),
    authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
  })
  const data = { challenge: options.challenge }
  const ticket = await startStep(world, { kind: 'new_passkey', userId: user.userId, data })
  return { ticket, options }
}

export async function verifyNewPasskey(
  world: PasskeyWorld,
  site: Site,
  { userId, ticket, response }: { userId: UserId; ticket: string; response: object },
): Promise<Omit<Passkey, 'name' | 'createdAt' | 'lastUsedAt'>> {
  const step = await finishStep(world, 'new_passkey', ticket)
  if (step.userId !== userId) throw new Refusal('sign_in_expired')
  const { verifyRegistrationResponse } = await import('@simplewebauthn/server')
  const result = await verifyRegistrationResponse({
    response: { ...response, clientExtensionResults: {} } as RegistrationResponseJSON,
    expectedChallenge: step.data.challenge!,
    expectedOrigin: site.origin,
    expectedRPID: site.id,
  }).catch(refusePasskey)
  if (!result.verified) return refusePasskey()
  const { id, publicKey, counter, transports = [] } = result.registrationInfo.credential
  return { userId, credentialId: id, publicKey: Buffer.from(publicKey), counter, transports }
}

export async function storePasskey(
  tx: Parameters<typeof insertPasskey>[0],
  passkey: Passkey,
): Promise<void> {
  if (!(await insertPasskey(tx, passkey))) refusePasskey()
}

/** Names nobody: the device offers the passkeys that it has for this site. */
export async function startPasskeySignIn(
  world: PasskeyWorld,
  site: Site,
): Promise<{ ticket: string; options: object }> {
  const { generateAuthenticationOptions } = await import('@simplewebauthn/server')
  const options = await generateAuthenticationOptions({
    rpID: site.id,
    userVerification: 'required',
  })
  const data = { challenge: options.challenge }
  const ticket = await startStep(world, { kind: 'passkey', userId: null, data })
  return { ticket, options }
}

export async function signInByPasskey(
  world: { db: Store; clock: Clock },
  site: Site,
  { ticket, response }: { ticket: string; response: { id: string } },
): Promise<UserId> {
  const step = await finishStep(world, 'passkey', ticket)
  const passkey = await findPasskey(world.db, response.id)
  if (!passkey) return refusePasskey()
  const { verifyAuthenticationResponse } = await import('@simplewebauthn/server')
  const { credentialId: id, publicKey, counter } = passkey
  const result = await verifyAuthenticationResponse({
    response: { ...response, clientExtensionResults: {} } as AuthenticationResponseJSON,
    expectedChallenge: step.data.challenge!,
    expectedOrigin: site.origin,
    expectedRPID: site.id,
    credential: { id, publicKey: new Uint8Array(publicKey), counter },
    requireUserVerification: true,
  }).catch(refusePasskey)
  if (!result.verified) refusePasskey()
  const use = { counter: result.authenticationInfo.newCounter, now: world.clock.machineNow() }
  const isUsed = await world.db.transaction((tx) => recordPasskeyUse(tx, id, use))
  if (!isUsed) refusePasskey()
  return passkey.userId
}

/** The library throws at the first mismatch. Which one it was helps only an attacker. */
function refusePasskey(): never {
  throw new Refusal('passkey_refused')
}
