// The request and response headers that are the same on every route, and the general meaning of each
// failure status.

import { KEY_LENGTH_MAX } from '../../accounts/idempotency.js'
import type { Json } from './openapi-components.js'

export const IDEMPOTENCY_KEY = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  description:
    'Makes the request safe to retry. For 24 hours, the same key and body return the first response, and nothing is done twice.',
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
    '`handling=strict` (RFC 7240): refuse unknown names instead of listing them in `warnings`.',
  schema: { 'x-parameter': 'Prefer', type: 'string', examples: ['handling=strict'] },
}

export const HEADERS: Json = {
  RequestId: {
    description: 'The ID of the request. Include it when you ask for help.',
    schema: { type: 'string' },
  },
  RateLimitLimit: {
    description: 'The number of requests a token may make at once',
    schema: { type: 'integer' },
  },
  RateLimitRemaining: {
    description: 'The number of requests left',
    schema: { type: 'integer' },
  },
  RateLimitReset: {
    description: 'Seconds until the full number is available again',
    schema: { type: 'integer' },
  },
  RetryAfter: { description: 'Seconds to wait before you retry', schema: { type: 'integer' } },
  IdempotentReplayed: {
    description:
      '`true` if this is the stored response of an earlier request with the same Idempotency-Key',
    schema: { type: 'string', const: 'true' },
  },
}

export const FAILURE_TEXTS: Readonly<Record<string, string>> = {
  400: 'Malformed request or invalid field',
  401: 'No valid access token',
  402: 'Insufficient balance',
  403: 'Not allowed for this token',
  404: 'Not found',
  409: 'Not possible in the current state',
  413: 'The body is too large',
  415: 'The body is not JSON',
  422: 'Idempotency-Key reused, or the recipient opted out',
  429: 'Too many requests',
  500: 'Internal server error',
  503: 'Temporarily unavailable. Retry later.',
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

/** Failures have the request ID in the body too, so it is not repeated here. */
export function failureHeaders(status: string): Json | null {
  if (status !== '429' && status !== '503') return null
  return {
    ...(status === '429' && RATE_LIMIT),
    'Retry-After': refer('RetryAfter'),
  }
}
