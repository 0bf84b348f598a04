// MMS over a provider's HTTP API, with real pictures: what the provider fetches, and what is fetched from it.

import assert from 'node:assert/strict'
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import { test } from 'node:test'
import sharp from 'sharp'
import { sql } from '../../src/kit/postgres/sql.js'
import { eventually, readReply } from '../harness.js'
import { fileOf, mediaServer, PNG, pngOf } from '../media-server.js'
import {
  type ProviderKind,
  type ProviderService,
  providerService,
} from '../providers/provider-service.js'
import { TMO, told, VZW } from '../sending.js'

const AUTHORIZED: Record<ProviderKind, string | undefined> = {
  telnyx: undefined,
  bandwidth: `Basic ${btoa('u:p')}`,
  twilio: `Basic ${btoa(`AC${'0123456789abcdef'.repeat(2)}:tok-123`)}`,
}

async function countFiles({ service: { world, accountId } }: ProviderService): Promise<number> {
  const rows = await world.db.query(sql`
    select hash from media_files where account_id = ${accountId}`)
  return rows.length
}

function answer(response: ServerResponse, content: Buffer, type = 'image/png'): void {
  response.writeHead(200, { 'content-type': type }).end(content)
}

/** Only for requests that show this. */
function guarded(authorization: string | undefined, listener: RequestListener): RequestListener {
  return (request, response) => {
    if (request.headers.authorization === authorization) listener(request, response)
    else response.writeHead(401).end()
  }
}

async function received({ service }: ProviderService, text: string) {
  return eventually(async () => {
    const { body } = await service.get('/v1/message/search?direction=INBOUND')
    return body.messages.find((one: { body: string }) => one.body === text)
  }, 'the message')
}

async function fileAt({ service }: ProviderService, url: string) {
  assert.ok(url.startsWith('https://sms.ours.test/media/med_'), url)
  return eventually(async () => {
    const reply = await service.app.inject({ method: 'GET', url: new URL(url).pathname })
    return reply.statusCode === 200 && reply
  }, 'the file')
}

for (const kind of ['telnyx', 'bandwidth', 'twilio'] as const) {
  test(`${kind}: an inbound picture is fetched with the link's key, and its URL is ours`, async (t) => {
    const service = await providerService(t, kind)
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
    assert.equal(reply.headers['content-type'], 'image/png', 'from its content, not its header')
  })
}

test('a redirect to another host is followed without the key, and the file is stored once', async (t) => {
  const service = await providerService(t, 'twilio')
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
  assert.equal(await countFiles(service), 1, 'received three times, stored once')
})

test('an unavailable file is requested again for a day, and then the timeline reports it', async (t) => {
  const service = await providerService(t, 'bandwidth')
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
  await eventually(async () => asked >= 2, 'both were requested')
  isBack = true
  const [missing, late] = message.mediaUrls
  await advance(10)
  assert.deepEqual((await fileAt(service, late)).rawPayload, PNG)
  const { db, clock, metrics } = service.service.world
  const fetches = metrics.counter('longcode_media_fetches_total', '')
  await eventually(async () => fetches.cell('upstream', 'again').value === 3, 'the second attempt')
  const [waiting] = await db.query<{ dueAt: Date }>(sql`
    select due_at as "dueAt" from media_fetches`)
  assert.ok(waiting!.dueAt.getTime() <= clock.nowMs() + 30_000, 'half a minute after it')
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
  const counts = ['kept', 'again', 'given_up'].map((of) => fetches.cell('upstream', of).value)
  assert.deepEqual(counts, [1, 11, 1], 'ten attempts for one file, and one for the other')
})

/** Noise, which no format compresses: about as many bytes as pixels. */
function photo(side: number): Promise<Buffer> {
  const noise = { type: 'gaussian', mean: 128, sigma: 60 } as const
  const create = { width: side, height: side, channels: 3, background: '#888', noise } as const
  return sharp({ create }).jpeg({ quality: 90 }).toBuffer()
}

/** As a provider does, from outside and without a token. */
async function fetched({ service }: ProviderService, url: string) {
  assert.ok(url.startsWith('https://sms.ours.test/media/acc_'), url)
  return service.app.inject({ method: 'GET', url: new URL(url).pathname })
}

function givenUrls(fields: Record<string, unknown>): string[] {
  const { media_urls, media, MediaUrl } = fields
  return [media_urls, media, MediaUrl].flat().filter((url) => typeof url === 'string')
}

for (const kind of ['telnyx', 'bandwidth', 'twilio'] as const) {
  test(`${kind}: a photo is resized once and sent as an expiring URL of this service`, async (t) => {
    const stage = await providerService(t, kind)
    const { send, until, fake, service, advance } = stage
    const original = await photo(1_300)
    assert.ok(original.length > 1_000_000, String(original.length))
    const requests: string[] = []
    const origin = await mediaServer(t, (request, response) => {
      requests.push(request.url!)
      answer(response, original, 'image/jpeg')
    })
    const ids = [
      await send({ to: VZW, mediaUrls: [`${origin}/photo`] }),
      await send({ to: TMO, mediaUrls: [`${origin}/photo`] }),
    ]
    for (const id of ids) await until(id, 'DELIVERED')
    const urls = fake.taken.map(({ fields }) => givenUrls(fields))
    assert.deepEqual(urls[0], urls[1], 'one picture has one URL')
    const [url] = urls[0]!
    assert.deepEqual(fake.faults, [])
    const reply = await fetched(stage, url!)
    assert.equal(reply.statusCode, 200)
    assert.equal(reply.headers['content-type'], 'image/jpeg')
    assert.ok(reply.rawPayload.length <= 600_000, `${reply.rawPayload.length} bytes`)
    const { width, format } = await sharp(reply.rawPayload).metadata()
    assert.ok(width >= 640 && format === 'jpeg', `${width} ${format}`)
    assert.equal(requests.length, 1)
    assert.equal(await countFiles(stage), 2, 'the original and a smaller copy')
    const { body } = await service.get(`/v1/message/${ids[0]}/timeline`)
    assert.match(JSON.stringify(body), /Media resized from \d+ kB to \d+ kB/)

    const forged = await fetched(
      stage,
      url!.replace(/\/\d+\//, (until) => `/9${until.slice(1)}`),
    )
    assert.deepEqual(told(readReply(forged)), [404, 'Media not found'])
    await advance(26 * 3_600)
    assert.deepEqual(told(readReply(await fetched(stage, url!))), [404, 'Media not found'])
    await advance(48 * 3_600)
    await eventually(async () => (await countFiles(stage)) === 0, 'unused files are deleted')
  })
}

test('unsendable media fails before it reaches the provider, with its reason, and costs nothing', async (t) => {
  const stage = await providerService(t, 'telnyx')
  const { send, until, fake, service } = stage
  const files: Record<string, [type: string, content: Buffer]> = {
    '/bomb': ['image/png', pngOf(60_000, 60_000)],
    '/lie': ['image/jpeg', Buffer.from('MZ\x90\0\x03\0\0\0', 'latin1')],
    '/damaged': ['image/jpeg', (await photo(200)).subarray(0, 100)],
    '/film': [
      'video/mp4',
      Buffer.concat([Buffer.from('\0\0\0\x18ftypisom'), Buffer.alloc(700_000)]),
    ],
  }
  const origin = await mediaServer(t, ({ url }, response) => {
    const [type, content] = files[url!]!
    answer(response, content, type)
  })
  const before = await service.balance()
  const failures = []
  for (const path of Object.keys(files)) {
    const { errorCode, errorMessage } = await until(
      await send({ mediaUrls: [origin + path] }),
      'FAILED',
    )
    failures.push([path, errorCode, errorMessage])
  }
  assert.deepEqual(failures, [
    ['/bomb', 1391, 'The picture is too large (maximum 50 megapixels)'],
    [
      '/lie',
      1392,
      'The media is declared as image/jpeg, but its content is application/x-executable',
    ],
    ['/damaged', 1392, 'The media cannot be sent: the picture is damaged'],
    [
      '/film',
      1391,
      'The media is too large for the carrier: 701 kB (maximum 600 kB). It cannot be made smaller',
    ],
  ])
  assert.deepEqual(fake.taken, [])
  assert.equal(await service.balance(), before)
})
