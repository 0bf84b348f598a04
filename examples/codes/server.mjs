// One-time codes with a form: sends a code that is valid for ten minutes, and checks it. Codes are stored as hashes, can be
// tried five times, and a phone gets at most one code a minute.
// CAMPAIGN=cmp_… PORT=3001 node examples/codes/server.mjs

import { createHash, randomInt, timingSafeEqual } from 'node:crypto'
import { createServer } from 'node:http'
import { longcode } from '../longcode.mjs'

const VALID_MS = 10 * 60 * 1000
const PAUSE_MS = 60 * 1000
const TRIES_MAX = 5
const BODY_MAX = 1_000
const codes = new Map()

const server = createServer(async (request, response) => {
  const [status, text, phone = ''] = await answer(request).catch((error) => [502, error.message])
  const headers = { 'content-type': 'text/html; charset=utf-8' }
  response.writeHead(status, headers).end(page(text, phone))
})
server.listen(Number(process.env.PORT ?? 3001), '127.0.0.1', () =>
  console.log(`Open http://127.0.0.1:${server.address().port}`),
)

async function answer(request) {
  if (request.method !== 'POST') return [200, '']
  const form = new URLSearchParams(await readBody(request))
  const phone = form.get('phone') ?? ''
  if (request.url === '/send') return [...(await sendCode(phone)), phone]
  return [...checkCode(phone, form.get('code') ?? ''), phone]
}

async function sendCode(phone) {
  if (!/^\+1\d{10}$/.test(phone)) return [400, 'Enter a US number, for example +14155550123.']
  const now = Date.now()
  if (now - (codes.get(phone)?.sentAt ?? 0) < PAUSE_MS) return [429, 'Wait a minute.']
  const code = String(randomInt(1_000_000)).padStart(6, '0')
  codes.set(phone, { hash: hashOf(code), sentAt: now, tries: 0 })
  await longcode('POST', '/v1/message/send', {
    campaign: process.env.CAMPAIGN,
    to: phone,
    body: `Blue Door: your code is ${code}. It is valid for 10 minutes.`,
    validitySeconds: VALID_MS / 1000,
  })
  return [200, 'Code sent.']
}

function checkCode(phone, code) {
  const sent = codes.get(phone)
  if (!sent || Date.now() - sent.sentAt > VALID_MS) return [400, 'Request a new code.']
  sent.tries += 1
  if (sent.tries > TRIES_MAX) return [429, 'Too many tries. Request a new code.']
  if (!timingSafeEqual(hashOf(code), sent.hash)) return [400, 'Wrong code.']
  codes.delete(phone)
  return [200, 'Your phone number is confirmed.']
}

function hashOf(code) {
  return createHash('sha256').update(code).digest()
}

async function readBody(request) {
  let body = ''
  for await (const chunk of request) {
    body += chunk
    if (body.length > BODY_MAX) throw new Error('The form is too long.')
  }
  return body
}

function page(text, phone) {
  const shown = phone.replaceAll(/[^+\d]/g, '')
  return `<!doctype html><title>Confirm your phone</title><p>${escapeHtml(text)}</p>
<form method="post" action="/send"><input name="phone" value="${shown}" placeholder="+14155550123"><button>Send code</button></form>
<form method="post" action="/check"><input name="phone" type="hidden" value="${shown}"><input name="code" placeholder="123456"><button>Check</button></form>`
}

function escapeHtml(text) {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')
}
