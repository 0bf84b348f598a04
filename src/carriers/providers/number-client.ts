// Requests about numbers to a provider, apart from those about messages: few, patient, and each with an honest word on
// what became of it.

import { createHttpClient, HttpFailure } from '../../kit/http-client/http-client.js'
import { type NumberSource, SourceFault } from '../../numbers/number-source.js'
import type { ProviderAnswer, ProviderRequest } from './provider.js'
import { meaningOf, type ProviderName } from './provider-codes.js'

const ANSWER_OCTETS_MAX = 2 * 1024 * 1024
const CONNECTIONS_MAX = 8

/** What a provider says of a request that it does not grant. */
export interface Said {
  code: string | null
  text: string | null
}

export interface NumberClient {
  /** The answer where it is 2xx; null where it is 404. Throws a SourceFault. */
  ask: (request: ProviderRequest) => Promise<ProviderAnswer | null>
  close: () => Promise<void>
}

export function createNumberClient(
  provider: ProviderName,
  { timeoutMs }: { timeoutMs: number },
  read: (answer: ProviderAnswer) => Said,
): NumberClient {
  const http = createHttpClient({
    allowPrivate: true, // the host's own choice, not a customer's
    timeoutMs,
    maxResponseBytes: ANSWER_OCTETS_MAX,
    connectionsPerOrigin: CONNECTIONS_MAX,
  })
  return {
    ask: async (request) => {
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
function faultOf({ method }: ProviderRequest, error: unknown): SourceFault {
  const text = error instanceof Error ? error.message : String(error)
  const hasLeft = !(error instanceof HttpFailure) || error.hasLeft
  return new SourceFault(hasLeft && method !== 'GET' ? 'unknown' : 'later', text)
}

function refusalOf(
  provider: ProviderName,
  { method }: ProviderRequest,
  status: number,
  { code, text }: Said,
): SourceFault {
  const words = [`HTTP ${status}`, code, text].filter((word) => word !== null).join(' ')
  if (status >= 500) return new SourceFault(method === 'GET' ? 'later' : 'unknown', words)
  const meaning = code === null ? null : meaningOf(provider, code)
  const isOurs = status === 401 || status === 402 || status === 403 || status === 429
  if (isOurs || meaning === 'fault' || meaning === 'slow_down')
    return new SourceFault('later', words)
  return new SourceFault('refused', [text, code && `(${code})`].filter(Boolean).join(' ') || words)
}

/** Names of query parameters as they are written, such as `filter[limit]`. */
export function queryOf(fields: Readonly<Record<string, string | readonly string[]>>): string {
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(fields)) {
    for (const one of typeof value === 'string' ? [value] : value) query.append(name, one)
  }
  return query.toString()
}

/** What a profile or a service of a campaign is called there: it is found by this name. */
export function profileName(campaignId: string): string {
  return `longcode ${campaignId}`
}

export interface SourceSettings {
  /** The name of the link. */
  link: string
  monthlyPriceMicros: bigint
  settleMs: number
  /** By campaign of ours; others get one of their own at need. */
  profiles: ReadonlyMap<string, string>
  /** Where the provider calls for what phones write. */
  callbackUrl: string
}

/** A source with what it holds open. */
export interface OpenSource {
  client: NumberSource
  close: () => Promise<void>
}
