// The one error that the client throws: for a refused request, for a request without an answer, and for a webhook that
// is not genuine. `code` tells them apart.

import type { FieldProblem, RefusalCode } from './types.js'

/** Failures that no response of the service reports. */
export type ClientCode =
  | 'aborted'
  | 'connection_failed'
  | 'response_unreadable'
  | 'timed_out'
  | 'webhook_body_unreadable'
  | 'webhook_headers_missing'
  | 'webhook_replayed'
  | 'webhook_signature_wrong'
  | 'webhook_too_new'
  | 'webhook_too_old'

/** A newer service may return codes that this version does not know. */
export type ErrorCode = RefusalCode | ClientCode | (string & {})

export interface ErrorFields {
  code: ErrorCode
  status?: number
  details?: readonly FieldProblem[]
  requestId?: string | null
  help?: string | null
  retryAfterSeconds?: number | null
  idempotencyKey?: string | null
  cause?: unknown
}

export class LongcodeError extends Error {
  override readonly name = 'LongcodeError'
  readonly code: ErrorCode
  /** The HTTP status. null if there was no response. */
  readonly status: number | null
  /** The fields that are wrong, and why. */
  readonly details: readonly FieldProblem[]
  /** Include it when you ask for help. */
  readonly requestId: string | null
  /** A link to an explanation of this failure. */
  readonly help: string | null
  /** How long the service asks you to wait. */
  readonly retryAfterSeconds: number | null
  /**
   * The key of a request that changes something. If you cannot tell whether the request was carried out (no response,
   * or a 5xx), send it again with this key: nothing is done twice.
   */
  readonly idempotencyKey: string | null

  constructor(message: string, fields: ErrorFields) {
    super(message, fields.cause === undefined ? undefined : { cause: fields.cause })
    this.code = fields.code
    this.status = fields.status ?? null
    this.details = fields.details ?? []
    this.requestId = fields.requestId ?? null
    this.help = fields.help ?? null
    this.retryAfterSeconds = fields.retryAfterSeconds ?? null
    this.idempotencyKey = fields.idempotencyKey ?? null
  }
}
