// Requests about registrations to a provider: few, patient, and each with an honest word on what became of it.

import type { ReviewNote } from '../../brands/brand.js'
import type { Vertical } from '../../brands/verticals.js'
import { type Registrar, RegistrarFault } from '../../campaigns/registration/registrar.js'
import { createHttpClient, HttpFailure } from '../../kit/http-client/http-client.js'
import type { ProviderAnswer, ProviderRequest } from './provider.js'
import { meaningOf, type ProviderName } from './provider-codes.js'

const ANSWER_OCTETS_MAX = 4 * 1024 * 1024
const CONNECTIONS_MAX = 4

/** What a provider says of a request that it does not grant. */
export interface Refused {
  code: string | null
  text: string | null
  /** By field of ours, where it names any. */
  notes: ReviewNote[]
}

export interface RegistrationClient {
  /** The answer where it is 2xx; null where it is 404. Throws a RegistrarFault. */
  ask: (
    request: ProviderRequest,
    read: (answer: ProviderAnswer) => Refused,
  ) => Promise<ProviderAnswer | null>
  close: () => Promise<void>
}

export function createRegistrationClient(
  provider: ProviderName,
  { timeoutMs }: { timeoutMs: number },
): RegistrationClient {
  const http = createHttpClient({
    allowPrivate: true, // the host's own choice, not a customer's
    timeoutMs,
    maxResponseBytes: ANSWER_OCTETS_MAX,
    connectionsPerOrigin: CONNECTIONS_MAX,
  })
  return {
    ask: async (request, read) => {
      const answer = await http.request(request).catch((error) => {
        throw faultOf(request, error)
      })
      if (answer.status >= 200 && answer.status < 300) return answer
      if (answer.status === 404) return null
      throw refusalOf(provider, request, answer.status, read(answer))
    },
    close: () => http.close(),
  }
}

/** A question that got no answer is asked again; what may have done something is not. */
function faultOf({ method }: ProviderRequest, error: unknown): RegistrarFault {
  const text = error instanceof Error ? error.message : String(error)
  const hasLeft = !(error instanceof HttpFailure) || error.hasLeft
  return new RegistrarFault(hasLeft && method === 'POST' ? 'unknown' : 'later', text)
}

/** Only what was understood and found wanting is the customer's to mend. */
const CUSTOMERS = new Set([400, 409, 422])

function refusalOf(
  provider: ProviderName,
  { method }: ProviderRequest,
  status: number,
  { code, text, notes }: Refused,
): RegistrarFault {
  const words = [`HTTP ${status}`, code, text].filter((word) => word !== null).join(' ')
  if (status >= 500) return new RegistrarFault(method === 'POST' ? 'unknown' : 'later', words)
  const meaning = code === null ? null : meaningOf(provider, code)
  const isOurs = !CUSTOMERS.has(status) || meaning === 'fault' || meaning === 'slow_down'
  return isOurs || method === 'GET'
    ? new RegistrarFault('later', words)
    : new RegistrarFault('refused', words, notes)
}

export interface RegistrationSettings {
  /** The name of the link. */
  link: string
  settleMs: number
  timeoutMs: number
  /** Where the provider calls when there is news. */
  callbackUrl: string
  vertical: Vertical | null
  /** On trial: brands that cost nothing, and reach no network. */
  isMock: boolean
}

/** A registrar with what it holds open. */
export interface OpenRegistrar {
  client: Registrar
  close: () => Promise<void>
}
