// Sign-in by a company's identity provider. Both routes are pages that a browser visits: they answer with redirects, and a
// problem is a sentence on the sign-in page. The cookie binds the provider's response to the browser that asked.

import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { Refusal } from '../../kit/contract/refusal.js'
import type { OidcConfig } from '../../kit/settings/oidc-config.js'
import { createOidcClient, type OidcStep } from '../../people/oidc.js'
import { admitOidcPerson, checkGroupRoles } from '../../people/oidc-users.js'
import { forgiveAddress, limitAddress } from '../../people/sign-in-limits.js'
import { finishStep, startStep } from '../../people/sign-in-step.js'
import { type PeopleOptions, signIn } from './user-session.js'

const START = '/console/session/company'
const CALLBACK = '/console/session/company/callback'
const HIDDEN = { schema: { hide: true } as object, config: { scope: null } }

export const oidcRoutes: FastifyPluginAsyncTypebox<PeopleOptions & { oidc: OidcConfig }> = async (
  app,
  options,
) => {
  const { db, clock, config, cookies, log, oidc } = options
  checkGroupRoles(oidc)
  const client = createOidcClient(oidc, config.publicUrl + CALLBACK)
  app.addHook('onRequest', async (_request, reply) => {
    reply.header('cache-control', 'no-store').header('referrer-policy', 'no-referrer')
  })

  app.get(START, HIDDEN, (request, reply) =>
    orSignInPage(request, reply, async () => {
      await limitAddress(options, request.ip)
      const { url, step } = await client.start()
      const ticket = await startStep(options, { kind: 'oidc', userId: null, data: { ...step } })
      reply.header('set-cookie', cookies.textOfStep(ticket))
      return url.href
    }),
  )

  app.get(CALLBACK, HIDDEN, (request, reply) =>
    orSignInPage(request, reply, async () => {
      const ticket = cookies.stepOf(request.headers)
      if (ticket === null) throw new Refusal('sign_in_expired')
      const { data } = await finishStep(options, 'oidc', ticket)
      const url = new URL(config.publicUrl + CALLBACK)
      url.search = new URL(request.url, config.publicUrl).search
      const person = await client.finish(url, data as unknown as OidcStep)
      const source = { origin: request.ip, requestId: request.id }
      const user = await db.transaction((tx) =>
        admitOidcPerson(tx, oidc, person, { ...source, now: clock.now() }),
      )
      await forgiveAddress(db, request.ip)
      await signIn(options, request, reply, { userId: user.id, isStrong: true, method: 'company' })
      return '/console/'
    }),
  )

  async function orSignInPage(
    request: FastifyRequest,
    reply: FastifyReply,
    work: () => Promise<string>,
  ): Promise<FastifyReply> {
    try {
      return reply.redirect(await work(), 303)
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      log.warn({ requestId: request.id, code: error.code }, 'a company sign-in was refused')
      return reply.redirect(`/console/sign-in?problem=${error.code}`, 303)
    }
  }
}
