// What requests and replies carry in their headers, the same on every route, and what each status of a
// failure means in general.

import type { Json } from './openapi-components.js'

const KEY_LENGTH_MAX = 255

export const IDEMPOTENCY_KEY = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  description:
    'Makes the call safe to repeat: for 24 hours the same key and body are answered with the first answer, and nothing is done twice.',
  schema: {
    'x-parameter': 'IdempotencyKey',
    type: 'string',
    minLength: 1,
    maxLength: KEY_LENGTH_MAX,
    examples: ['order-1042'],
  },
}

export const PREFER = {
  name: 'Prefer',
  in: 'header',
  required: false,
  description:
    '`handling=strict` (RFC 7240): refuse what the call does not know, instead of answering with `warnings`.',
  schema: { 'x-parameter': 'Prefer', type: 'string', examples: ['handling=strict'] },
}

export const HEADERS: Json = {
  RequestId: {
    description: 'The id of the request: name it when you ask for help',
    schema: { type: 'string' },
  },
  RateLimitLimit: {
    description: 'How many calls a token may make at once',
    schema: { type: 'integer' },
  },
  RateLimitRemaining: {
    description: 'How many of them are left',
    schema: { type: 'integer' },
  },
  RateLimitReset: {
    description: 'Seconds until all of them are there again',
    schema: { type: 'integer' },
  },
  RetryAfter: { description: 'Seconds to wait before calling again', schema: { type: 'integer' } },
  IdempotentReplayed: {
    description: '`true` where the Idempotency-Key brought back the answer of an earlier call',
    schema: { type: 'string', const: 'true' },
  },
}

export const FAILURE_TEXTS: Readonly<Record<string, string>> = {
  400: 'Malformed, or a field is invalid',
  401: 'No valid access token',
  402: 'The balance is too small',
  403: 'The token lacks the scope',
  404: 'Not found',
  409: 'Not possible in this state',
  413: 'The body is too large',
  415: 'The body is not JSON',
  422: 'Not this key, or not this recipient',
  429: 'Too many requests',
  500: 'Internal server error',
  503: 'Not available now: try again',
}

const refer = (name: string) => ({ $ref: `#/components/headers/${name}` })

const RATE_LIMIT = {
  'RateLimit-Limit': refer('RateLimitLimit'),
  'RateLimit-Remaining': refer('RateLimitRemaining'),
  'RateLimit-Reset': refer('RateLimitReset'),
}

export function successHeaders(isWrite: boolean): Json {
  return {
    'x-request-id': refer('RequestId'),
    ...(isWrite && { 'Idempotent-Replayed': refer('IdempotentReplayed') }),
  }
}

/** A failure has the id of its request in its body, too: not said again two hundred times. */
export function failureHeaders(status: string): Json | null {
  if (status !== '429' && status !== '503') return null
  return {
    ...(status === '429' && RATE_LIMIT),
    'Retry-After': refer('RetryAfter'),
  }
}
