// The API describes itself: @fastify/swagger lists the routes with their schemas, and
// openapi-document.ts turns them into openapi.json.

import fastifySwagger from '@fastify/swagger'
import type { FastifyInstance } from 'fastify'
import { VERSION } from '../../kit/settings/installation.js'

const DESCRIPTION = `Send and receive SMS and MMS for businesses. Create a brand, create a campaign
for it, buy a number, and send.

Every request needs the header \`Authorization: Bearer <ACCESS_TOKEN>\`. A failed request returns an
HTTP error status, one plain sentence in \`error\`, and a stable identifier for programs in \`code\`. Every code
is explained at [/docs/errors](/docs/errors).

Every request except GET accepts an \`Idempotency-Key\`. \`null\` for an optional field means "not given".
Unknown fields and parameters are ignored and listed in \`warnings\`. With the header
\`Prefer: handling=strict\`, they are refused.

Endpoints marked *Extension (not in the contract)* may grow. Nothing under /v1 is removed or changes its meaning.`

const TAGS = [
  { name: 'Brands', description: 'Legal entities on whose behalf messages are sent' },
  { name: 'Campaigns', description: 'Messaging use cases, reviewed before they can send' },
  { name: 'Numbers', description: 'Search, buy, forward' },
  { name: 'Messages', description: 'SMS and MMS, inbound and outbound' },
  { name: 'Opt-outs', description: 'Recipients who must not get messages' },
  { name: 'Webhooks', description: 'Events delivered to your endpoints' },
  { name: 'Account', description: 'Balance and access tokens' },
  {
    name: 'Sandbox',
    description: 'Simulated phones, clock, and callers (only with LONGCODE_MODE=sandbox)',
  },
  { name: 'Operator', description: 'For the people who run the service' },
  { name: 'Health', description: 'For monitoring systems' },
  { name: 'Console', description: 'Sessions of the console pages' },
]

/** Register it before the routes that it describes. */
export async function useOpenApi(app: FastifyInstance): Promise<void> {
  await app.register(fastifySwagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Longcode',
        version: VERSION,
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
