// The API describes itself: @fastify/swagger lists the routes with their own schemas, from which
// openapi-document.ts makes openapi.json.

import { readFileSync } from 'node:fs'
import path from 'node:path'
import fastifySwagger from '@fastify/swagger'
import type { FastifyInstance } from 'fastify'

const PACKAGE = JSON.parse(
  readFileSync(path.resolve(import.meta.dirname, '../../../package.json'), 'utf8'),
) as { version: string }

const DESCRIPTION = `Sends and receives SMS and MMS for businesses. Start with a brand, create a campaign
for it, buy a number, send.

Every call needs the header \`Authorization: Bearer <ACCESS_TOKEN>\`. A failed call answers with an
HTTP error status and \`error\`, one plain sentence; \`code\` is a stable word for programs. Every POST
accepts an \`Idempotency-Key\`. \`null\` for an optional field means "not given". Fields and parameters that a
call does not know are answered with \`warnings\`, and refused where the header \`Prefer: handling=strict\`
asks for that. Every code
is explained at [/docs/errors](/docs/errors). What is marked *Extension (not in the contract)* may grow; nothing under
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
