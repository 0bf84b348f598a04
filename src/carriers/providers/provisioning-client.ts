// Requests of the set-up to a provider: few, each with its deadline, and for whatever goes wrong one clear sentence.

import type { AllowList } from '../../kit/allow-list.js'
import { createHttpClient, HttpFailure } from '../../kit/http-client/http-client.js'
import type { Said } from './number-client.js'
import type { ProviderAnswer, ProviderRequest } from './provider.js'
import { meaningOf, type ProviderName, WORDS } from './provider-codes.js'
import { parseJson } from './read-answer.js'

const ANSWER_OCTETS_MAX = 2 * 1024 * 1024
const CONNECTIONS_MAX = 2
/** It means that the account there has no money. */
const NO_FUNDS: Record<ProviderName, readonly string[]> = {
  telnyx: ['20100'],
  bandwidth: [],
  twilio: [],
}

export class DeskFault extends Error {
  constructor(
    /** Unknown: it may have been done all the same. */
    readonly kind: 'key' | 'permission' | 'money' | 'refused' | 'absent' | 'unknown',
    message: string,
    readonly code: string | null = null,
  ) {
    super(message)
  }
}

export interface DeskReach {
  timeoutMs: number
  /** True for whoever sits at the machine; over HTTP only what the settings allow. */
  allowPrivate: boolean
  allow?: AllowList
}

export interface DeskClient {
  /** `what` names it for people. Null where it is not there (404). Throws a DeskFault. */
  ask: (what: string, request: ProviderRequest) => Promise<ProviderAnswer | null>
  /** The same, of an answer that must be JSON. */
  askJson: (what: string, request: ProviderRequest) => Promise<unknown>
  close: () => Promise<void>
}

export function createDeskClient(
  provider: ProviderName,
  reach: DeskReach,
  read: (answer: ProviderAnswer) => Said,
): DeskClient {
  const http = createHttpClient({
    ...reach,
    maxResponseBytes: ANSWER_OCTETS_MAX,
    connectionsPerOrigin: CONNECTIONS_MAX,
  })
  const ask: DeskClient['ask'] = async (what, request) => {
    const answer = await http.request(request).catch((error) => {
      throw silenceOf(provider, what, request, error)
    })
    if (answer.status >= 200 && answer.status < 300) return answer
    if (answer.status === 404) return null
    throw refusalOf(provider, what, request, answer.status, read(answer))
  }
  return {
    ask,
    askJson: async (what, request) => {
      const answer = await ask(what, request)
      if (answer === null) return null
      const parsed = parseJson(answer.body)
      if (typeof parsed === 'object' && parsed !== null) return parsed
      throw nonsense(provider, what, request)
    },
    close: () => http.close(),
  }
}

/** Of an answer that nobody can read. */
export function nonsense(
  provider: ProviderName,
  what: string,
  request: { url: string },
): DeskFault {
  const { title } = WORDS[provider]
  const { origin } = new URL(request.url)
  return new DeskFault(
    'refused',
    `${origin} answered ${what} with something that ${title} does not say: is that its address?`,
  )
}

function silenceOf(
  provider: ProviderName,
  what: string,
  { method, url }: ProviderRequest,
  error: unknown,
): DeskFault {
  const { title } = WORDS[provider]
  const text = error instanceof Error ? error.message : String(error)
  const hasLeft = !(error instanceof HttpFailure) || error.hasLeft
  const { origin } = new URL(url)
  if (!hasLeft || method === 'GET') {
    const sentence = `${title} could not be asked for ${what} at ${origin}: ${text} Check the network of this machine and run it again.`
    return new DeskFault('absent', sentence)
  }
  const sentence = `${title} did not say what became of ${what}: ${text} Run it again: what is there is found, and not made twice.`
  return new DeskFault('unknown', sentence)
}

function refusalOf(
  provider: ProviderName,
  what: string,
  { method }: ProviderRequest,
  status: number,
  { code, text }: Said,
): DeskFault {
  const { title } = WORDS[provider]
  const words = [code, text].filter((word) => word !== null).join(' ')
  const said = words === '' ? `HTTP ${status}` : `HTTP ${status}, ${words}`
  if (status === 401) {
    const sentence = `${title} does not know this key (${said}): copy it whole from its pages, or make a new one there.`
    return new DeskFault('key', sentence, code)
  }
  if (status === 402 || (code !== null && NO_FUNDS[provider].includes(code))) {
    const sentence = `The account at ${title} has no money (${said}): pay in there, and run it again.`
    return new DeskFault('money', sentence, code)
  }
  if (status === 403) {
    const sentence = `${title} knows the key and does not let it have ${what} (${said}): give it that permission there, or take another key.`
    return new DeskFault('permission', sentence, code)
  }
  if (status === 429 || (code !== null && meaningOf(provider, code) === 'slow_down')) {
    return new DeskFault(
      'absent',
      `${title} asks for fewer requests (${said}): wait a minute.`,
      code,
    )
  }
  if (status >= 500) {
    const kind = method === 'GET' ? 'absent' : 'unknown'
    const sentence = `${title} answered ${what} with ${said}: run it again later; what is there is found, and not made twice.`
    return new DeskFault(kind, sentence, code)
  }
  return new DeskFault('refused', `${title} refused ${what} (${said}).`, code)
}
