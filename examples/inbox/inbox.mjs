// A support inbox in the terminal: lists conversations, shows one, and replies.
// CAMPAIGN=cmp_… node examples/inbox/inbox.mjs [NUMBER [REPLY]]

import { longcode } from '../longcode.mjs'

const campaign = process.env.CAMPAIGN
const [number, reply] = process.argv.slice(2)

if (!number) await list()
else if (!reply) await show()
else {
  await longcode('POST', '/v1/message/send', { campaign, to: number, body: reply })
  await show()
}

async function list() {
  const query = new URLSearchParams({ campaign })
  const { conversations } = await longcode('GET', `/v1/conversation/list?${query}`)
  for (const { recipient, lastMessage, optout } of conversations) {
    console.log(`${recipient}${optout ? ' (opted out)' : ''}: ${lastMessage.body}`)
  }
}

async function show() {
  const query = new URLSearchParams({ campaign, number, limit: '20' })
  const { messages } = await longcode('GET', `/v1/message/list?${query}`)
  for (const { direction, body } of messages.reverse()) {
    console.log(`${direction === 'INBOUND' ? number : 'You'}: ${body}`)
  }
}
