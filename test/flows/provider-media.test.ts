// MMS over a provider's HTTP API, with real pictures: what the provider is given to fetch, and what is fetched from it.

import assert from 'node:assert/strict'
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import { test } from 'node:test'
import { sql } from '../../src/kit/postgres/sql.js'
import { eventually } from '../harness.js'
import { fileOf, mediaServer, PNG } from '../media-server.js'
import { type ProviderKind, type Rented, rented } from '../providers/rented.js'
import { VZW } from '../sending.js'

const AUTHORIZED: Record<ProviderKind, string | undefined> = {
  telnyx: undefined,
  bandwidth: `Basic ${btoa('u:p')}`,
  twilio: `Basic ${btoa(`AC${'0123456789abcdef'.repeat(2)}:tok-123`)}`,
}

async function countFiles({ service: { world, accountId } }: Rented): Promise<number> {
  const rows = await world.db.query(sql`
    select hash from media_files where account_id = ${accountId}`)
  return rows.length
}

function answer(response: ServerResponse, content: Buffer, type = 'image/png'): void {
  response.writeHead(200, { 'content-type': type }).end(content)
}

/** To whoever shows this, and nobody else. */
function guarded(authorization: string | undefined, listener: RequestListener): RequestListener {
  return (request, response) => {
    if (request.headers.authorization === authorization) listener(request, response)
    else response.writeHead(401).end()
  }
}

async function received({ service }: Rented, text: string) {
  return eventually(async () => {
    const { body } = await service.get('/v1/message/search?direction=INBOUND')
    return body.messages.find((one: { body: string }) => one.body === text)
  }, 'the message')
}

async function fileAt({ service }: Rented, url: string) {
  assert.ok(url.startsWith('https://sms.ours.test/media/med_'), url)
  return eventually(async () => {
    const reply = await service.app.inject({ method: 'GET', url: new URL(url).pathname })
    return reply.statusCode === 200 && reply
  }, 'the file')
}

for (const kind of ['telnyx', 'bandwidth', 'twilio'] as const) {
  test(`${kind}: a picture that comes in is fetched with the link's key, and its address is ours`, async (t) => {
    const service = await rented(t, kind)
    const { fake, number } = service
    fake.files.set(
      '/media/1',
      guarded(AUTHORIZED[kind], (_, response) => answer(response, PNG, 'text/html')),
    )
    const mediaUrls = [`${fake.url}/media/1`]
    assert.ok(await fake.write({ from: VZW, to: number, text: 'Look', mediaUrls }))
    const message = await received(service, 'Look')
    assert.equal(message.type, 'MMS')
    const reply = await fileAt(service, message.mediaUrls[0])
    assert.deepEqual(reply.rawPayload, PNG)
    assert.equal(reply.headers['content-type'], 'image/png', 'by its octets, not by its header')
  })
}

test('a file elsewhere is fetched by a redirect that never sees the key, and kept once', async (t) => {
  const service = await rented(t, 'twilio')
  const { fake, number } = service
  const seen: IncomingMessage['headers'][] = []
  const elsewhere = await mediaServer(t, ({ headers }, response) => {
    seen.push(headers)
    answer(response, fileOf('image/gif', 500), 'image/gif')
  })
  const redirect: RequestListener = (_, response) =>
    response.writeHead(307, { location: `${elsewhere}/stored` }).end()
  fake.files.set('/media/2', guarded(AUTHORIZED.twilio, redirect))
  const mediaUrls = [`${fake.url}/media/2`, `${fake.url}/media/2`, `${elsewhere}/direct`]
  assert.ok(await fake.write({ from: VZW, to: number, text: 'Three', mediaUrls }))
  const message = await received(service, 'Three')
  assert.equal(new Set(message.mediaUrls).size, 3)
  for (const url of message.mediaUrls) {
    assert.deepEqual((await fileAt(service, url)).rawPayload, fileOf('image/gif', 500))
  }
  assert.equal(seen.length, 3)
  assert.ok(seen.every(({ authorization }) => authorization === undefined))
  assert.equal(await countFiles(service), 1, 'three times the same, kept once')
})

test('a file that cannot be had is asked for again for a day, and then the timeline says so', async (t) => {
  const service = await rented(t, 'bandwidth')
  const { fake, number, advance } = service
  let asked = 0
  let isBack = false
  const away: RequestListener = (_, response) => {
    asked += 1
    response.writeHead(404).end()
  }
  fake.files.set('/media/away', away)
  fake.files.set('/media/late', (request, response) =>
    isBack ? answer(response, PNG) : away(request, response),
  )
  const mediaUrls = [`${fake.url}/media/away`, `${fake.url}/media/late`]
  assert.ok(await fake.write({ from: VZW, to: number, text: 'Away', mediaUrls }))
  const message = await received(service, 'Away')
  await eventually(async () => asked >= 2, 'both were asked for')
  isBack = true
  const [missing, late] = message.mediaUrls
  await advance(10)
  assert.deepEqual((await fileAt(service, late)).rawPayload, PNG)
  const timeline = () => service.service.get(`/v1/message/${message.id}/timeline`)
  const entries = await eventually(async () => {
    await advance(9 * 3_600)
    const { body } = await timeline()
    return body.timeline.length > 1 && body.timeline
  }, 'the end of the attempts')
  assert.deepEqual(
    entries.map(({ kind, text }: { kind: string; text: string }) => [kind, text]).slice(1),
    [['media', 'A file is missing after 11 attempts. The media could not be fetched: status 404']],
  )
  const gone = await service.service.app.inject({ url: new URL(missing).pathname })
  assert.equal(gone.statusCode, 404)
})
