// A restaurant's bot, written for Twilio: sends a text, follows its status, and answers guests with TwiML.
// PUBLIC_URL=https://bot.example NUMBER=+1415… node examples/twilio-bot/before.mjs [RECIPIENT]

import { createServer } from 'node:http'
import twilio from 'twilio'

const account = { sid: process.env.TWILIO_ACCOUNT_SID, token: process.env.TWILIO_AUTH_TOKEN }
const client = twilio(account.sid, account.token)

const ANSWERS = { HOURS: 'We are open from 5 to 10 PM.', MENU: 'https://bluedoor.example/menu' }
const BODY_MAX = 100_000

const server = createServer(async (request, response) => {
  const form = await readForm(request)
  const signature = request.headers['x-twilio-signature'] ?? ''
  if (!twilio.validateRequest(account.token, signature, publicUrl() + request.url, form)) {
    response.writeHead(403).end()
    return
  }
  const answer = new twilio.twiml.MessagingResponse()
  if (request.url === '/status') console.log(`${form.MessageSid} is ${form.MessageStatus}`)
  else if (!form.OptOutType) {
    console.log(`${form.From}: ${form.Body}`)
    answer.message(ANSWERS[form.Body.trim().toUpperCase()] ?? 'Reply HOURS or MENU.')
  }
  response.setHeader('content-type', 'text/xml').end(answer.toString())
})

server.listen(Number(process.env.PORT ?? 3000), '127.0.0.1', async () => {
  console.log(`Listening at http://127.0.0.1:${server.address().port}`)
  const to = process.argv[2]
  if (to) await send(to, 'Your table is ready.')
})

/** As the sender of webhooks sees this server. */
function publicUrl() {
  return process.env.PUBLIC_URL ?? `http://127.0.0.1:${server.address().port}`
}

async function send(to, body) {
  const statusCallback = `${publicUrl()}/status`
  const { sid } = await client.messages.create({
    to,
    from: process.env.NUMBER,
    body,
    statusCallback,
  })
  console.log(`${sid} to ${to}`)
}

async function readForm(request) {
  let text = ''
  for await (const chunk of request) {
    text += chunk
    if (text.length > BODY_MAX) return {}
  }
  return Object.fromEntries(new URLSearchParams(text))
}
