// The messages of the skeleton provider: JSON both ways, a key as bearer, and callbacks that show the same key.

import type {
  MessageApi,
  ProviderAnswer,
  ProviderCallback,
  SubmitResult,
} from '../../../src/carriers/providers/provider.js'
import { readRefusal } from '../../../src/carriers/providers/provider-codes.js'
import { parseJson, textAt } from '../../../src/carriers/providers/read-answer.js'
import type { CallbackRequest } from '../../../src/messages/carrier-http.js'
import { SKELETON_CODES } from './codes.js'

export function createSkeleton({ url, key }: { url: string; key: string }): MessageApi {
  const headers = { authorization: `Bearer ${key}` }
  return {
    probe: () => ({ method: 'GET', url: `${url}/messages?limit=1`, headers }),
    submit: ({ from, to, body: text }, statusUrl) => ({
      ...{ method: 'POST', url: `${url}/messages` },
      headers: { ...headers, 'content-type': 'application/json' },
      body: JSON.stringify({ from, to, text, statusUrl }),
    }),
    readSubmit,
    isGenuine: (request) => request.headers.authorization === headers.authorization,
    readCallbacks,
    storedReply: { status: 200 },
  }
}

function readSubmit({ status, headers, body }: ProviderAnswer, now: Date): SubmitResult {
  const parsed = parseJson(body)
  const carrierId = textAt(parsed, 'id')
  if (status === 202 && carrierId !== null) return { kind: 'accepted', carrierId, facts: {} }
  const code = textAt(parsed, 'code')
  const refused = { status, headers, now, code, text: null, isOwn: code !== null }
  return readRefusal(SKELETON_CODES, refused)
}

function readCallbacks({ body }: CallbackRequest): ProviderCallback[] | null {
  const parsed = parseJson(body)
  const text = (name: string) => textAt(parsed, name)
  const [carrierId, from, to] = [text('id'), text('from'), text('to')]
  if (carrierId === null || from === null || to === null) return null
  if (text('status') !== 'delivered') {
    const message = { carrierId, from, to, body: text('text') ?? '', mediaUrls: [], facts: {} }
    return [{ kind: 'inbound', ...message, handled: null }]
  }
  const receipt = { carrierId, from, to, errorCode: null, carrierCode: null, facts: {} }
  return [{ kind: 'receipt', ...receipt, status: 'DELIVERED', isUnmapped: false }]
}
