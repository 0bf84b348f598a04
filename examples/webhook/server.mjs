// Receives webhooks with plain Node: verifies the signature, drops duplicates, and answers before it works.
// WEBHOOK_SECRET=whsec_… PORT=3000 node examples/webhook/server.mjs

import { createHmac, timingSafeEqual } from 'node:crypto'
import { createServer } from 'node:http'

const BODY_MAX = 1_000_000
const TOLERANCE_S = 300
const SEEN_MAX = 10_000
const seen = new Set()

const server = createServer(async (request, response) => {
  const body = await readBody(request).catch(() => null)
  if (body === null || !isGenuine(request.headers, body, process.env.WEBHOOK_SECRET)) {
    response.writeHead(400).end()
    return
  }
  response.writeHead(204).end()
  const id = request.headers['webhook-id']
  if (seen.has(id)) return // an attempt that we answered too late
  seen.add(id)
  if (seen.size > SEEN_MAX) seen.delete(seen.values().next().value)
  handle(JSON.parse(body.toString('utf8')))
})
server.listen(Number(process.env.PORT ?? 3000), '127.0.0.1', () =>
  console.log(`Listening at http://127.0.0.1:${server.address().port}`),
)

function handle({ eventType, data }) {
  if (data.test) console.log('Test event')
  else if (eventType === 'recipient.optout') console.log(`${data.recipient} opted out`)
  else if (eventType === 'message.incoming')
    console.log(`${data.message.from}: ${data.message.body}`)
  else if (eventType === 'message.status')
    console.log(`${data.message.id} is ${data.message.status}`)
}

async function readBody(request) {
  const chunks = []
  let size = 0
  for await (const chunk of request) {
    size += chunk.length
    if (size > BODY_MAX) return null
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

function isGenuine(headers, body, secret) {
  const id = headers['webhook-id'] ?? ''
  const time = headers['webhook-timestamp'] ?? ''
  if (!(Math.abs(Date.now() / 1000 - Number(time)) <= TOLERANCE_S)) return false
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64')
  const hash = createHmac('sha256', key).update(`${id}.${time}.`).update(body).digest('base64')
  const expected = Buffer.from(`v1,${hash}`)
  return (headers['webhook-signature'] ?? '').split(' ').some((entry) => {
    const given = Buffer.from(entry)
    return given.length === expected.length && timingSafeEqual(given, expected)
  })
}
