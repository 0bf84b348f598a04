// Where a call goes, over HTTP: for switches that ask instead of following a redirect. Nothing is stored or counted.

import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import {
  answerSwitch,
  type CallDeps,
  type SwitchFields,
  type SwitchQuery,
} from './answer-switch.js'
import { ROUTE_CALL } from './voice-operations.js'

const FORM_OCTETS_MAX = 256 * 1024
const XML = 'text/xml; charset=utf-8'

export const operatorVoiceRoutes: FastifyPluginAsyncTypebox<CallDeps> = async (app, deps) => {
  // By default, mod_xml_curl posts a form.
  app.addContentTypeParser(
    'application/x-www-form-urlencoded',
    { parseAs: 'string' },
    (_request, text, done) => done(null, Object.fromEntries(new URLSearchParams(String(text)))),
  )

  app.get('/voice/route', ROUTE_CALL, async ({ query }, reply) => {
    const answer = await answerSwitch(query, query, deps)
    return typeof answer === 'string' ? reply.type(XML).send(answer as never) : answer
  })

  const { config, schema } = ROUTE_CALL
  const posted = {
    config,
    bodyLimit: FORM_OCTETS_MAX,
    schema: { querystring: schema.querystring, hide: true } as object,
  }
  app.post('/voice/route', posted, async ({ query, body }, reply) => {
    const answer = await answerSwitch(query as SwitchQuery, body as SwitchFields, deps)
    return typeof answer === 'string' ? reply.type(XML).send(answer) : answer
  })
}
