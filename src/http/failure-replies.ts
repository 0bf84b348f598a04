// Builds every failure response: the route's failure fields, one sentence, a stable code, and the request ID.
// Faults of the program are logged with that ID and shown to the client without details.

import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { bytesText } from '../kit/contract/body-size.js'
import type { FailureFields } from '../kit/contract/operation.js'
import { echo, Refusal, type RefusalCode } from '../kit/contract/refusal.js'
import type { Log } from '../kit/log.js'
import { DatabaseFailure } from '../kit/postgres/db-failure.js'
import { API_PATH } from '../twilio/message-resource.js'
import { twilioErrorOf } from '../twilio/twilio-error.js'
import { helpAddress } from './error-catalogue.js'
import type { RouteMap } from './route-map.js'

declare module 'fastify' {
  interface FastifyInstance {
    /** The public address of the service, for the links in failures. */
    publicUrl: string
  }
}

// Fastify's own errors, and the refusals we return for them.
const FRAMEWORK: Record<string, RefusalCode> = {
  FST_ERR_CTP_INVALID_MEDIA_TYPE: 'not_json',
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: 'json_broken',
  FST_ERR_CTP_INVALID_JSON_BODY: 'json_broken',
  FST_ERR_CTP_EMPTY_JSON_BODY: 'body_invalid',
  FST_ERR_BAD_URL: 'path_malformed',
}

/** `unknownText` replaces the text for unknown paths. */
export function useFailureReplies(
  app: FastifyInstance,
  routes: RouteMap,
  log: Log,
  unknownText?: string,
): void {
  app.setErrorHandler<FastifyError>((error, request, reply) => {
    const refusal =
      error.code === 'FST_ERR_CTP_BODY_TOO_LARGE'
        ? tooLarge(request.routeOptions.bodyLimit)
        : asRefusal(error, request.id, log)
    return sendFailure(request, reply, refusal)
  })

  app.setNotFoundHandler((request, reply) => {
    const path = request.url.split('?', 1)[0]!
    const knownPath = routes.find(path)
    if (!knownPath) return sendFailure(request, reply, new Refusal('path_unknown', unknownText))
    reply.header('allow', knownPath.methods.join(', '))
    const text = `This path supports ${knownPath.methods.join(' or ')}, not ${request.method}`
    return sendFailure(request, reply, new Refusal('method_unknown', text), knownPath.failures[0])
  })
}

function tooLarge(limit: number): Refusal {
  return new Refusal('body_too_large', `The request body is larger than ${bytesText(limit)}`)
}

export function asRefusal(error: unknown, requestId: string, log: Log): Refusal {
  if (error instanceof Refusal) return error
  if (error instanceof DatabaseFailure) {
    log.warn({ err: error, requestId }, 'a request failed because of the database')
    return new Refusal(error.trouble)
  }
  const { code = '', statusCode = 500, message } = error as Partial<FastifyError>
  const refusalCode = FRAMEWORK[code]
  if (refusalCode) return new Refusal(refusalCode)
  if (statusCode >= 400 && statusCode < 500) {
    return new Refusal('body_invalid', `The request could not be read: ${echo(message ?? '')}`)
  }
  log.error({ err: error, requestId }, 'request failed')
  return new Refusal('server_failure')
}

export function sendFailure(
  request: FastifyRequest,
  reply: FastifyReply,
  refusal: Refusal,
  failure = request.routeOptions.config.failure ?? {},
): FastifyReply {
  const { url, id, server } = request
  const failed = failureAt(url, refusal, failure, id, server.publicUrl)
  return reply.headers(failed.headers).code(failed.status).send(failed.body)
}

interface FailedReply {
  status: number
  headers: Record<string, string>
  body: object
}

/** The whole reply, in Twilio's form below its path. */
export function failureAt(
  path: string,
  refusal: Refusal,
  failure: FailureFields,
  requestId: string,
  publicUrl: string,
): FailedReply {
  const headers = failureHeaders(refusal)
  if (!path.startsWith(API_PATH)) {
    const body = failureBody(refusal, failure, requestId, publicUrl)
    return { status: refusal.status, headers, body }
  }
  const { status, code, message } = twilioErrorOf(refusal)
  const body = { code, message, more_info: helpAddress(publicUrl, refusal.code), status }
  const isUnauthorized = 'www-authenticate' in headers
  return { status, headers: isUnauthorized ? BASIC : headers, body }
}

const BASIC = { 'www-authenticate': 'Basic realm="Longcode"' }

export function failureHeaders({ status, retryAfterS }: Refusal): Record<string, string> {
  if (retryAfterS !== null) return { 'retry-after': String(retryAfterS) }
  return status === 401 ? { 'www-authenticate': 'Bearer' } : {}
}

export function failureBody(
  refusal: Refusal,
  failure: FailureFields,
  requestId: string,
  publicUrl: string,
): object {
  return {
    ...failure,
    error: refusal.message,
    code: refusal.code,
    ...(refusal.details && { details: refusal.details }),
    requestId,
    help: helpAddress(publicUrl, refusal.code),
  }
}
