// The Twilio-compatible API, below /2010-04-01. A request is authenticated by HTTP Basic with the account's AccountSid
// and AuthToken, or with an access token as the password. The same functions do the work as for our own routes. See
// docs/twilio.md.

import type { FastifyInstance, FastifyPluginAsync, FastifyRequest } from 'fastify'
import { Refusal } from '../kit/contract/refusal.js'
import { addRoutes } from '../kit/routes/add-routes.js'
import { compatAccountRoutes } from './compat-account-routes.js'
import { compatChangeRoutes } from './compat-change-routes.js'
import { type CompatOptions, checkAccount, renameKey } from './compat-config.js'
import { compatMediaRoutes } from './compat-media-routes.js'
import { compatMessageRoutes } from './compat-message-routes.js'
import { compatNumberRoutes } from './compat-number-routes.js'
import { FORM_BYTES_MAX, readForm } from './form.js'

export const compatRoutes: FastifyPluginAsync<CompatOptions> = async (app, options) => {
  useForms(app)
  app.addHook('onRequest', function checkAccountSid(request, _reply, done) {
    try {
      checkAccount(request)
      renameKey(request.headers)
      done()
    } catch (error) {
      done(error as Refusal)
    }
  })
  await addRoutes(app, compatAccountRoutes, options)
  await addRoutes(app, compatMessageRoutes, options)
  await addRoutes(app, compatChangeRoutes, options)
  await addRoutes(app, compatMediaRoutes, options)
  await addRoutes(app, compatNumberRoutes, options)
}

// Every body is read as a form, as Twilio does, whatever its type is called.
function useForms(app: FastifyInstance): void {
  app.removeAllContentTypeParsers()
  const asBytes = { parseAs: 'buffer' as const, bodyLimit: FORM_BYTES_MAX }
  app.addContentTypeParser(
    '*',
    asBytes,
    (request: FastifyRequest, bytes: string | Buffer, done) => {
      const read = readForm(bytes as Buffer)
      if (read instanceof Refusal) return done(read)
      request.rawBody = read.text
      done(null, read.form)
    },
  )
}
