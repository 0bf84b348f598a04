// Media of an outgoing MMS: each address is fetched once before the message goes to the carrier, so
// that what cannot be sent fails here with a clear code and costs nothing.

import { type HttpClient, HttpFailure } from '../kit/http-client.js'
import type { QueuedMessage } from './lane-queries.js'
import type { ErrorCode } from './message-errors.js'

export const MEDIA_BYTES_MAX = 5_000_000
export const MEDIA_COUNT_MAX = 10

/** What carriers take. Some of them take fewer. */
const TYPES = new Set([
  'image/jpeg',
  'image/gif',
  'image/png',
  'image/bmp',
  'image/tiff',
  'image/webp',
  'video/mp4',
  'video/3gpp',
  'video/quicktime',
  'video/h264',
  'audio/mpeg',
  'audio/mp4',
  'audio/amr',
  'audio/ogg',
  'audio/wav',
  'audio/3gpp',
  'text/plain',
  'text/vcard',
  'text/x-vcard',
  'text/calendar',
  'text/csv',
  'text/rtf',
  'application/rtf',
  'application/pdf',
])

export interface MediaProblem {
  code: ErrorCode
  detail: string
}

export type CheckMedia = (message: QueuedMessage) => Promise<MediaProblem | null>

export interface MediaFile {
  contentType: string
  content: Buffer
}

export function createMediaCheck(http: HttpClient): CheckMedia {
  return async (message) => {
    let left = MEDIA_BYTES_MAX
    for (const url of message.mediaUrls) {
      const file = await fetchMedia(http, url, left)
      if ('code' in file) return file
      left -= file.content.length
    }
    return null
  }
}

export async function fetchMedia(
  http: HttpClient,
  url: string,
  bytesMax: number,
): Promise<MediaFile | MediaProblem> {
  try {
    const answer = await http.request({ method: 'GET', url, maxResponseBytes: bytesMax })
    if (answer.status < 200 || answer.status > 299) {
      return { code: 1390, detail: `The media could not be fetched: status ${answer.status}` }
    }
    if (answer.truncated) {
      return { code: 1391, detail: 'The media is too big: at most 5 MB in all' }
    }
    const contentType = (answer.headers['content-type'] ?? '')
      .split(';', 1)[0]!
      .trim()
      .toLowerCase()
    if (!TYPES.has(contentType)) {
      return { code: 1392, detail: `The media type ${contentType || 'unknown'} cannot be sent` }
    }
    return { contentType, content: answer.body }
  } catch (error) {
    if (!(error instanceof HttpFailure)) throw error
    return { code: 1390, detail: `The media could not be fetched: ${error.message}` }
  }
}
