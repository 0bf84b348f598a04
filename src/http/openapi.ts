// The API describes itself: openapi.json is made from the routes' own schemas, and /docs shows it.

import { readFileSync } from 'node:fs'
import path from 'node:path'
import fastifySwagger from '@fastify/swagger'
import scalar from '@scalar/fastify-api-reference'
import type { FastifyInstance } from 'fastify'
import { ERRORS_PATH } from './error-catalogue.js'
import { errorsPage } from './error-page.js'
import { apiDocument } from './openapi-document.js'

const PACKAGE = JSON.parse(
  readFileSync(path.resolve(import.meta.dirname, '../../package.json'), 'utf8'),
) as { version: string }

const DESCRIPTION = `Sends and receives SMS and MMS for businesses. Start with a brand, create a campaign
for it, buy a number, send.

Every call needs the header \`Authorization: Bearer <ACCESS_TOKEN>\`. A failed call answers with an
HTTP error status and \`error\`, one plain sentence; \`code\` is a stable word for programs. Every POST
accepts an \`Idempotency-Key\`. \`null\` for an optional field means "not given". Fields and parameters that a
call does not know are answered with \`warnings\`, and refused where the header \`Prefer: handling=strict\`
asks for that. What is marked *ours beyond the contract* may grow; nothing under
/v1 is taken away or changes its meaning.`

const TAGS = [
  { name: 'Brands', description: 'Legal entities on whose behalf messages are sent' },
  { name: 'Campaigns', description: 'Messaging use cases, reviewed before they may send' },
  { name: 'Numbers', description: 'Search, buy, forward' },
  { name: 'Messages', description: 'SMS and MMS, both directions' },
  { name: 'Opt-outs', description: 'Who must not be written to' },
  { name: 'Webhooks', description: 'Events, delivered to you' },
  { name: 'Account', description: 'Balance and access tokens' },
  { name: 'Sandbox', description: 'The simulated world: only where LONGCODE_MODE is sandbox' },
  { name: 'Operator', description: 'For whoever hosts the service' },
  { name: 'Health', description: 'For machines that watch the service' },
]

const ICON = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32">
<rect width="32" height="32" rx="8" fill="#2347d9"/>
<path d="M8 9h16v11H15l-5 4v-4H8z" fill="#fff"/></svg>`

/** Must be registered before the routes that it describes. */
export async function useOpenApi(app: FastifyInstance): Promise<void> {
  await app.register(fastifySwagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Longcode',
        version: PACKAGE.version,
        description: DESCRIPTION,
        license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
      },
      servers: [{ url: '/' }],
      tags: TAGS,
      components: {
        securitySchemes: {
          accessToken: { type: 'http', scheme: 'bearer' },
          operatorToken: { type: 'http', scheme: 'bearer' },
        },
      },
      security: [{ accessToken: [] }],
    },
    transform: ({ schema, url, route }) => ({
      // Routes without an operation (pages, files) are not part of the API.
      schema: route.schema?.operationId ? (schema as object) : { hide: true },
      url,
    }),
    convertConstToEnum: false,
  })
}

export async function useReference(app: FastifyInstance): Promise<void> {
  const hidden = { schema: { hide: true } as object }
  app.get('/openapi.json', hidden, () => apiDocument(app))
  app.get('/', hidden, (_request, reply) => reply.redirect('/docs'))
  app.get('/favicon.svg', hidden, (_request, reply) => reply.type('image/svg+xml').send(ICON))
  app.get('/favicon.ico', hidden, (_request, reply) => reply.redirect('/favicon.svg'))
  app.get(ERRORS_PATH, hidden, (_request, reply) => reply.type('text/html').send(errorsPage()))
  await app.register(scalar, {
    routePrefix: '/docs',
    configuration: {
      url: '/openapi.json',
      withDefaultFonts: false, // nothing is fetched from elsewhere
      hideClientButton: true,
      showDeveloperTools: 'never',
      defaultHttpClient: { targetKey: 'shell', clientKey: 'curl' },
      metaData: { title: 'Longcode API' },
      favicon: '/favicon.svg',
    } as object,
  })
}
