// One request to Longcode, with retries. Every write has an Idempotency-Key, so a retry never sends twice.

import { randomUUID } from 'node:crypto'

const ATTEMPTS = 5
const BASE = process.env.LONGCODE_URL ?? 'http://127.0.0.1:8080'

/** Sends a request and returns the response's JSON. Throws the service's sentence if it is refused. */
export async function longcode(method, path, body, key = randomUUID()) {
  for (let attempt = 1; ; attempt += 1) {
    const response = await fetch(BASE + path, {
      method,
      headers: {
        authorization: `Bearer ${process.env.LONGCODE_TOKEN}`,
        'content-type': 'application/json',
        ...(method !== 'GET' && { 'idempotency-key': key }),
      },
      ...(body && { body: JSON.stringify(body) }),
    }).catch((error) => ({ ok: false, status: 503, headers: new Headers(), error }))
    if (response.ok) return response.json()
    const mayRetry = response.status === 429 || response.status >= 500
    if (mayRetry && attempt < ATTEMPTS) {
      await pause(response.headers.get('retry-after'), attempt)
      continue
    }
    if (response.error) throw response.error
    const { error, code, help } = await response.json()
    throw Object.assign(new Error(error), { code, help })
  }
}

function pause(retryAfter, attempt) {
  const seconds = Number(retryAfter) || 2 ** (attempt - 1)
  return new Promise((resolve) => setTimeout(resolve, seconds * 1000 * (1 + Math.random() / 4)))
}
