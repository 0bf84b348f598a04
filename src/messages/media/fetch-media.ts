// Fetches one file over the guarded client, with a cap on its size and its time. Redirects are followed only where that
// is asked for, and credentials never leave the host that they are for.

import { type HttpAnswer, type HttpClient, HttpFailure } from '../../kit/http-client/http-client.js'
import type { MediaAccess } from '../carrier-port.js'
import { type ErrorCode, MESSAGE_ERRORS } from '../message-errors.js'
import { declaredType } from './identify-type.js'

export interface MediaProblem {
  code: ErrorCode
  detail: string
}

export interface FetchedMedia {
  /** What the host says that it is. */
  declared: string
  content: Buffer
  durationMs: number
}

export interface FetchOptions {
  bytesMax: number
  signal?: AbortSignal
  redirectsMax?: number
  /** For the host of the address, where that is the carrier's own; over a client that may go there. */
  own?: { access: MediaAccess; http: HttpClient } | null
}

export const TOO_BIG: MediaProblem = { code: 1391, detail: MESSAGE_ERRORS[1391].text }

function unfetched(reason: string): MediaProblem {
  return { code: 1390, detail: `The media could not be fetched: ${reason}` }
}

/** Rejects only where the signal does, or the program is at fault. */
export async function fetchMedia(
  http: HttpClient,
  url: string,
  options: FetchOptions,
): Promise<FetchedMedia | MediaProblem> {
  try {
    const answer = await follow(http, url, options)
    if (answer.status < 200 || answer.status > 299) return unfetched(`status ${answer.status}`)
    if (answer.truncated) return TOO_BIG
    if (answer.body.length === 0) return unfetched('the file is empty')
    const declared = declaredType(answer.headers['content-type'])
    return { declared, content: answer.body, durationMs: answer.durationMs }
  } catch (error) {
    if (!(error instanceof HttpFailure)) throw error
    return unfetched(error.message)
  }
}

async function follow(
  http: HttpClient,
  first: string,
  { bytesMax, signal, redirectsMax = 0, own = null }: FetchOptions,
): Promise<HttpAnswer> {
  let url = first
  let access = own
  for (let redirects = 0; ; redirects += 1) {
    const answer = await (access?.http ?? http).request({
      method: 'GET',
      url,
      maxResponseBytes: bytesMax,
      ...(access && { headers: { ...access.access.headers } }),
      ...(signal && { signal }),
    })
    const next = redirects < redirectsMax ? targetOf(answer, url) : null
    if (next === null) return answer
    // Once somewhere else, a host is not trusted again, whatever it is called.
    if (new URL(next).origin !== new URL(url).origin) access = null
    url = next
  }
}

/** Where it leads on; null where it does not, or where it would leave what is encrypted. */
function targetOf({ status, headers }: HttpAnswer, from: string): string | null {
  const { location } = headers
  if (status < 300 || status > 399 || !location || !URL.canParse(location, from)) return null
  const target = new URL(location, from)
  return from.startsWith('https:') && target.protocol !== 'https:' ? null : target.href
}
