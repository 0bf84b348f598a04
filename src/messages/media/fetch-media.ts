// Fetches one file through the guarded client, with limits on size and time. Follows up to three redirects. Every
// hop goes through the guarded client again, none leaves https, and credentials never reach another host.

import { type HttpAnswer, type HttpClient, HttpFailure } from '../../kit/http-client/http-client.js'
import type { MediaAccess } from '../carrier-http.js'
import { type ErrorCode, MESSAGE_ERRORS } from '../message-errors.js'
import { declaredType } from './identify-type.js'

export interface MediaProblem {
  code: ErrorCode
  detail: string
}

export interface FetchedMedia {
  /** The type that the host declares. */
  declared: string
  content: Buffer
  durationMs: number
}

export interface FetchOptions {
  bytesMax: number
  signal?: AbortSignal
  /** For the URL's host, if it is the carrier's own, through a client that may go there. */
  own?: { access: MediaAccess; http: HttpClient } | null
}

const REDIRECTS_MAX = 3
/** Others, such as 300 and 304, do not give the location of the file. */
const REDIRECTS = new Set([301, 302, 303, 307, 308])

const TOO_BIG: MediaProblem = { code: 1391, detail: MESSAGE_ERRORS[1391].text }

function unfetched(reason: string): MediaProblem {
  return { code: 1390, detail: `The media could not be fetched: ${reason}` }
}

/** Rejects only if the signal does or on a programming error. */
export async function fetchMedia(
  http: HttpClient,
  url: string,
  options: FetchOptions,
): Promise<FetchedMedia | MediaProblem> {
  try {
    const answer = await follow(http, url, options)
    if ('code' in answer) return answer
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
  { bytesMax, signal, own = null }: FetchOptions,
): Promise<HttpAnswer | MediaProblem> {
  let url = first
  let access = own
  let durationMs = 0
  for (let redirects = 0; ; redirects += 1) {
    const answer = await (access?.http ?? http).request({
      method: 'GET',
      url,
      maxResponseBytes: bytesMax,
      ...(access && { headers: { ...access.access.headers } }),
      ...(signal && { signal }),
    })
    durationMs += answer.durationMs
    const next = targetOf(answer, url)
    if (next === null) return { ...answer, durationMs }
    if (redirects === REDIRECTS_MAX) return unfetched(`more than ${REDIRECTS_MAX} redirects`)
    const [from, to] = [new URL(url), new URL(next)]
    if (from.protocol === 'https:' && to.protocol !== 'https:')
      return unfetched('a redirect leads from https to a URL that is not https')
    // After a redirect to another origin, credentials are not sent again, even if a later hop leads back.
    if (from.origin !== to.origin) access = null
    url = next
  }
}

/** The target of a redirect. Null for any other response. */
function targetOf({ status, headers }: HttpAnswer, from: string): string | null {
  const { location } = headers
  if (!REDIRECTS.has(status) || !location || !URL.canParse(location, from)) return null
  return new URL(location, from).href
}
