// Gives every writing request its `once`: the work runs in a transaction, and at most once per
// Idempotency-Key.

import type { IncomingHttpHeaders } from 'node:http'
import type { FastifyInstance } from 'fastify'
import { hashRequest, KEY_LENGTH_MAX, keyedText, runOnce } from '../accounts/idempotency.js'
import { Refusal } from '../kit/contract/refusal.js'
import type { World } from '../kit/world.js'
import { textProblem } from './parse-json.js'

export function useIdempotency(app: FastifyInstance, { db, clock }: World): void {
  app.addHook('preHandler', function provideOnce(request, reply, done) {
    const owner = request.caller?.accountId ?? request.operator?.tokenId
    if (request.method === 'GET' || owner === undefined) return done()
    const key = idempotencyKey(request.headers)
    if (key instanceof Refusal) return done(key)
    request.once = async (work, keep) => {
      const share = db.pool(request.operator ? 'report' : 'read').shareOf(owner)
      if (key === null) return share.transaction(work)
      const text = keyedText(request.rawBody ?? '', request.caller?.campaigns)
      const once = {
        accountId: owner, // an operator's keys are kept under their token
        key,
        requestHash: hashRequest(request.method, request.url, text),
        now: clock.now(),
      }
      const { answer, isReplay } = await runOnce(share, once, work, keep)
      if (isReplay) reply.header('idempotent-replayed', 'true')
      return answer
    }
    done()
  })
}

export function idempotencyKey(headers: IncomingHttpHeaders): string | null | Refusal {
  const header = headers['idempotency-key']
  if (header === undefined) return null
  if (typeof header !== 'string' || header.length < 1 || header.length > KEY_LENGTH_MAX) {
    return new Refusal('idempotency_key_invalid')
  }
  return textProblem(header, 'Idempotency-Key') ?? header
}
