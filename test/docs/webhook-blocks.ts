// The blocks of docs/webhooks.md that are not commands for the service, by their first line.

/** Run by webhook-code.test.ts. */
export const RUN_BLOCKS = [
  "import { createServer } from 'node:http'",
  "import { createHmac, timingSafeEqual } from 'node:crypto'",
  'import base64, hashlib, hmac, time',
  '# With SECRET of the webhook, and ID, TIMESTAMP, and BODY of the request:',
  'package main',
  '{',
]

/** Not run, because it never ends. Other tests read the stream. */
export const READ_BLOCKS = [
  'curl -N $BASE/v1/events/stream -H "Authorization: Bearer $TOKEN"',
  'id: evt_01km3v9w8m0000pqv3t5x7z9bd',
]
