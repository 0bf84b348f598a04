// Checks a send before anything is looked up, in the documented order: body, to, from, media, and the rest. The
// schema cannot express that a text is blank or an address private.

import type { Config } from '../../kit/config.js'
import { fieldRefusal, type Refusal } from '../../kit/contract/refusal.js'
import { type Check, compileBodyCheck } from '../../kit/contract/validation.js'
import { checkTargetUrl } from '../../kit/http-client/public-address.js'
import { isBlank } from '../../text/folding.js'
import { BODY_LENGTH_MAX } from '../../text/segments.js'
import { SendBody } from '../message-operations.js'
import { PreviewBody } from '../preview-operations.js'

const BEFORE_MEDIA = /^(body|to|from|mediaUrls)\b/

type CheckConfig = Pick<Config, 'mode' | 'publicUrl'>

/** Checks the body of a send. Entries of a batch are checked the same way. */
export function createSendCheck(config: CheckConfig): Check {
  return inOrder(compileBodyCheck(SendBody), config)
}

export function createPreviewCheck(config: CheckConfig): Check {
  return inOrder(compileBodyCheck(PreviewBody), config)
}

function inOrder(checkSchema: Check, { mode, publicUrl }: CheckConfig): Check {
  const allowPrivate = mode === 'sandbox'
  // Uploads are read from the database, so their URL may be private.
  const uploads = `${publicUrl}/media/acc_`
  return (input) => {
    const { body, mediaUrls } = (input ?? {}) as { body?: unknown; mediaUrls?: unknown }
    const bodyProblem = typeof body === 'string' ? findBodyProblem(body) : null
    if (bodyProblem) return bodyProblem
    const refusal = checkSchema(input)
    if (mediaUrls === undefined || BEFORE_MEDIA.test(refusal?.details?.[0]?.field ?? '')) {
      return refusal
    }
    return findMediaProblem(mediaUrls as readonly string[], { allowPrivate, uploads }) ?? refusal
  }
}

function findBodyProblem(body: string): Refusal | null {
  if (isBlank(body)) return fieldRefusal('body', 'is required', 'Message body required')
  // Code points, as people count. There are never more of them than units, so most texts need no counting.
  if (body.length > BODY_LENGTH_MAX && [...body].length > BODY_LENGTH_MAX) {
    return fieldRefusal('body', `must be at most ${BODY_LENGTH_MAX} characters`)
  }
  return null
}

export function findMediaProblem(
  urls: readonly string[],
  { allowPrivate, uploads }: { allowPrivate: boolean; uploads?: string },
): Refusal | null {
  for (const [i, url] of urls.entries()) {
    if (uploads && url.startsWith(uploads)) continue
    const check = checkTargetUrl(url, { allowPrivate })
    if (!check.ok) return fieldRefusal(`mediaUrls[${i}]`, check.problem)
  }
  return null
}
