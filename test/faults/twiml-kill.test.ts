// kill -9 of the process that acts on an app's TwiML: after the first reply was stored, and at random moments around
// the second. Another process delivers the inbound message again, and each reply is sent exactly once.

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { numberSid } from '../../src/twilio/sids.js'
import { eventually, thorough } from '../harness.js'
import { VZW } from '../sending.js'
import { twilioStage } from '../twilio/stage.js'
import { startNode } from './node-process.js'

const KILLS = thorough(6, 30)
/** Longer than the lease of a delivery, so the next process finds what the killed one had. */
const LATER_SECONDS = 60
const KILL_MS_MAX = 25

/** Answers every message with a reply and a redirect, and that with a second one. */
async function replyingApp(t: TestContext, onRequest: (url: string) => Promise<void>) {
  const server = createServer(async (request, response) => {
    let text = ''
    for await (const chunk of request) text += chunk
    const body = new URLSearchParams(text).get('Body')
    const isSecond = request.url === '/next'
    if (isSecond) await onRequest('/next')
    const verbs = isSecond
      ? `<Message>${body}, second</Message>`
      : `<Message>${body}, first</Message><Redirect>/next</Redirect>`
    response.setHeader('content-type', 'text/xml').end(`<Response>${verbs}</Response>`)
    if (isSecond) void onRequest('answered') // it only kills a process
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => server.close())
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

test('repeated kill -9 around TwiML sends every reply exactly once', async (t) => {
  const { client, number, inbound, advance, service } = await twilioStage(t, { roles: [] })
  let kill: ((when: string) => Promise<void>) | null = null
  const smsUrl = await replyingApp(t, async (when) => kill?.(when))
  await client().incomingPhoneNumbers(numberSid(number)).update({ smsUrl })
  const settings = { LONGCODE_ROLES: 'deliver' }
  for (let round = 0; round < KILLS; round += 1) {
    await inbound(VZW, `round ${round}`)
    const { child } = await startNode(t, service.databaseUrl, settings)
    const ended = once(child, 'exit')
    kill = async (when) => {
      if (when !== (round % 2 === 0 ? '/next' : 'answered')) return
      if (when === 'answered') await sleep(Math.random() * KILL_MS_MAX)
      child.kill('SIGKILL')
      await ended
    }
    await ended
    kill = null
    await advance(LATER_SECONDS)
  }
  await startNode(t, service.databaseUrl, settings)
  const listReplies = async () => {
    const sent = await client().messages.list({ to: VZW })
    return sent.map(({ body }) => body).sort()
  }
  const { webhooks } = (await service.get('/v1/webhook/list')).body
  await eventually(async () => {
    const { body } = await service.get(`/v1/webhook/${webhooks[0].id}/deliveries`)
    const done = body.deliveries.filter(({ state }: { state: string }) => state === 'delivered')
    return done.length === KILLS
  }, 'every inbound message delivered')
  const expected = Array.from({ length: KILLS }, (_, round) =>
    ['first', 'second'].map((which) => `round ${round}, ${which}`),
  )
  assert.deepEqual(await listReplies(), expected.flat().sort())
})
