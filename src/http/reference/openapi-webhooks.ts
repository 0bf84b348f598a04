// The `webhooks` section of openapi.json: what Longcode sends to customers' endpoints.

import { EVENT_TYPES } from '../../events/event.js'
import { EVENT_EXAMPLES, EVENT_SHAPES } from '../../webhooks/event-wire.js'
import type { Components, Json } from './openapi-components.js'
import { withSpreadExample } from './openapi-examples.js'

const SENT_HEADERS = [
  header('x-webhook-signature', 'WebhookSignature', 'The `signature` of the webhook, unchanged'),
  header('webhook-id', 'WebhookId', 'The ID of the event (Standard Webhooks)'),
  header(
    'webhook-timestamp',
    'WebhookTimestamp',
    'When it was sent, in seconds since January 1, 1970',
  ),
  header(
    'webhook-signature',
    'WebhookHmac',
    '`v1,` and the base64 HMAC-SHA256 of `id.timestamp.body`. Two of them while a secret is rotated',
  ),
]

function header(name: string, component: string, description: string) {
  const schema = { type: 'string', 'x-parameter': component }
  return { name, in: 'header', required: true, description, schema }
}

export function webhooksSection(components: Components): Json {
  return Object.fromEntries(
    EVENT_TYPES.map((eventType) => {
      const { summary, shape } = EVENT_SHAPES[eventType]
      const body = withSpreadExample(shape as unknown as Json, EVENT_EXAMPLES[eventType])
      const post = {
        tags: ['Webhooks'],
        summary,
        security: [],
        parameters: SENT_HEADERS.map((one) => components.parameter(one)),
        requestBody: {
          required: true,
          content: { 'application/json': { schema: components.schema(body) } },
        },
        responses: {
          '2XX': { description: 'Received. After any other status, the event is sent again later' },
        },
      }
      return [eventType, { post }]
    }),
  )
}
