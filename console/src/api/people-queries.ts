// Queries and sign-in of people. A passkey goes through the browser's WebAuthn functions, with a library for their bytes.

import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
import { request } from './request'

const PAGE = 100

export const peopleQuery = infiniteQueryOptions({
  queryKey: ['people', 'list'],
  queryFn: ({ pageParam: after, signal }) =>
    request('GET /console/people', { query: { limit: PAGE, after }, signal }),
  initialPageParam: null as string | null,
  getNextPageParam: ({ people, hasMore }) => (hasMore ? (people.at(-1)?.id ?? null) : null),
})

export const invitationsQuery = queryOptions({
  queryKey: ['people', 'invitations'],
  queryFn: ({ signal }) =>
    request('GET /console/people/invitation', { query: { limit: PAGE }, signal }),
})

export const profileQuery = queryOptions({
  queryKey: ['profile'],
  queryFn: ({ signal }) => request('GET /console/profile', { signal }),
})

export async function signInWithPasskey(): Promise<void> {
  const { startAuthentication } = await import('@simplewebauthn/browser')
  const { ticket, options } = await request('POST /console/session/passkey/start', {})
  const made = await startAuthentication({ optionsJSON: options as never }).catch(refuse)
  const { id, rawId, type, response } = made
  const { clientDataJSON, authenticatorData, signature, userHandle } = response
  const proof = { clientDataJSON, authenticatorData, signature, ...(userHandle && { userHandle }) }
  await request('POST /console/session/passkey', {
    body: { ticket, response: { id, rawId, type, response: proof } },
  })
}

export async function addPasskey(name: string, current: string): Promise<void> {
  const { startRegistration } = await import('@simplewebauthn/browser')
  const body = current === '' ? {} : { current }
  const { ticket, options } = await request('POST /console/profile/passkey/start', { body })
  const made = await startRegistration({ optionsJSON: options as never }).catch(refuse)
  const { id, rawId, type, response } = made
  const { clientDataJSON, attestationObject, transports } = response
  const proof = { clientDataJSON, attestationObject, ...(transports && { transports }) }
  await request('POST /console/profile/passkey', {
    body: { ticket, name, response: { id, rawId, type, response: proof } },
  })
}

/** The browser's own sentences are about its functions, not about the person. */
function refuse(): never {
  throw new Error('No passkey was used. Try again, or use another way')
}

/** Browsers offer passkeys on HTTPS and on localhost. */
export function hasPasskeys(): boolean {
  return (
    window.isSecureContext && 'PublicKeyCredential' in window && !/^[\d.]+$/.test(location.hostname)
  )
}
