// Callbacks from carriers: `/carrier/{link}/…`, passed to the link unchanged, with any method and body. No
// access token is required: the link authenticates its carrier by a signature or a secret. Nothing in them is
// logged.

import type { FastifyPluginAsync, FastifyRequest } from 'fastify'
import { Refusal } from '../kit/contract/refusal.js'
import type { CallbackReply, CallbackRequest } from '../messages/carrier-http.js'
import type { InboundPort } from '../messages/carrier-port.js'
import type { RequestGuard } from './token-check.js'

// Many times what providers send. Strangers can send this much too, because a callback is authenticated only
// after it was read.
const BODY_BYTES_MAX = 256 * 1024
const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']
const PLAIN = 'text/plain; charset=utf-8'

interface Options {
  carrier: InboundPort
  guard: RequestGuard
}

export const carrierCallbacks: FastifyPluginAsync<Options> = async (app, { carrier, guard }) => {
  app.removeAllContentTypeParsers()
  const asItCame = { parseAs: 'buffer' as const, bodyLimit: BODY_BYTES_MAX }
  app.addContentTypeParser('*', asItCame, (_request, body, done) => done(null, body))

  const answer = async (request: FastifyRequest): Promise<CallbackReply> => {
    const { link } = request.params as { link: string }
    const reply = await carrier.callback?.(link, callbackOf(request))
    if (!reply) throw new Refusal('path_unknown')
    return reply
  }
  for (const url of ['/carrier/:link', '/carrier/:link/*']) {
    app.route({
      method: METHODS,
      url,
      bodyLimit: BODY_BYTES_MAX,
      config: { scope: null, failure: {} },
      handler: async (request, reply) => {
        const { link } = request.params as { link: string }
        const from = { key: `carrier ${link} ${request.ip}`, address: request.ip }
        const answered = await guard.callIn(from, () => answer(request), reply)
        return reply
          .code(answered.status)
          .type(answered.contentType ?? PLAIN)
          .header('x-content-type-options', 'nosniff')
          .send(answered.body ?? '')
      },
    })
  }
}

function callbackOf(request: FastifyRequest): CallbackRequest {
  const { '*': rest = '' } = request.params as { '*'?: string }
  return {
    method: request.method,
    path: `/${rest}`,
    query: request.query as CallbackRequest['query'],
    headers: request.headers,
    body: Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0),
  }
}
