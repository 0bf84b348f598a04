// MMS media: fetched before sending, stored when received. The servers are real.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { eventually, readReply } from '../harness.js'
import { byPath, fileOf, mediaServer, PNG } from '../media-server.js'
import {
  ATT,
  assertDollars,
  idOf,
  MMS_PRICE,
  type Sending,
  sendingService,
  told,
  VZW,
} from '../sending.js'

const MEGABYTE = fileOf('image/png', 1_000_000)

async function failure({ send, until }: Sending, mediaUrls: string[], to = VZW) {
  const { errorCode, errorMessage } = await until(await send({ mediaUrls, to }), 'FAILED')
  return [errorCode, errorMessage]
}

test('sendable media is sent, whatever the network', async (t) => {
  const { service, send, until } = await sendingService(t, { roles: ['dispatch'] })
  const origin = await mediaServer(t, byPath())
  const before = await service.balance()
  const mediaUrls = [
    `${origin}/image/png/2000000`,
    `${origin}/application/pdf/2000000`,
    `${origin}/text/csv;charset=utf-8/999990`,
    `${origin}/none/x/8`,
  ]
  for (const to of [VZW, ATT]) await until(await send({ to, mediaUrls }), 'DELIVERED')
  assertDollars(await service.balance(), before - 2 * MMS_PRICE)
})

test('unsendable media fails with its code and costs nothing', async (t) => {
  const sending = await sendingService(t, { roles: ['dispatch'] })
  const { service, kinds, send, until } = sending
  const origin = await mediaServer(t, byPath())
  const closed = await mediaServer(t, byPath())
  const before = await service.balance()
  const png = `${origin}/image/png/8`
  const tooBig = 'The media is too large (maximum 10 MB per file)'
  const lie = (type: string) => `The media is declared as ${type}, but its content is image/png`
  for (const [urls, code, text] of [
    [[png, `${origin}/status/404`], 1390, 'The media could not be fetched: status 404'],
    [[`${origin}/status/500`], 1390, 'The media could not be fetched: status 500'],
    [[`${origin}/status/304`], 1390, 'The media could not be fetched: status 304'],
    [[`${origin}/redirects/4`], 1390, 'The media could not be fetched: more than 3 redirects'],
    [[`${origin}/image/png/10000001`], 1391, tooBig],
    [[png, `${origin}/image/gif/10000001`], 1391, tooBig],
    [[`${origin}/image/heic/24`], 1392, 'HEIC pictures are not supported. Send JPEG or PNG'],
    [[`${origin}/text/html/8`], 1392, 'The media type text/html cannot be sent'],
    [[`${origin}/video/mp4/8`], 1392, lie('video/mp4')],
    [[`${origin}/application/pdf/9`, `${origin}/text/plain/8`], 1392, lie('text/plain')],
  ] as const) {
    assert.deepEqual(await failure(sending, [...urls]), [code, text])
  }
  assert.deepEqual(await failure(sending, [`${origin}/video/webm/8`], ATT), [
    1392,
    lie('video/webm'),
  ])
  for (const url of [`${closed}/hang-up`, 'http://127.0.0.1:1/a.png']) {
    const [code, text] = await failure(sending, [url])
    assert.equal(code, 1390)
    assert.match(text, /^The media could not be fetched: /)
  }
  assertDollars(await service.balance(), before)
  const id = await send({ mediaUrls: [`${origin}/status/404`] })
  await until(id, 'FAILED')
  assert.deepEqual(await kinds(id), ['created', 'failed'])
})

test('exactly 10 MB is not too large', async (t) => {
  const { send, until } = await sendingService(t, { roles: ['dispatch'] })
  const origin = await mediaServer(t, (_, response) => {
    response.writeHead(200, { 'content-type': 'image/png' })
    for (let i = 0; i < 10; i += 1) response.write(MEGABYTE)
    response.end()
  })
  await until(await send({ mediaUrls: [`${origin}/ten`] }), 'DELIVERED')
})

test('up to three redirects are followed to the picture', async (t) => {
  const { send, until } = await sendingService(t, { roles: ['dispatch'] })
  const requests: string[] = []
  const origin = await mediaServer(t, byPath(requests))
  await until(await send({ mediaUrls: [`${origin}/status/302`] }), 'DELIVERED')
  assert.deepEqual(requests, ['/status/302', '/image/png/8'])
  await until(await send({ mediaUrls: [`${origin}/redirects/3`] }), 'DELIVERED')
})

test('one picture for many recipients is fetched once', async (t) => {
  const { service, campaignId, until } = await sendingService(t, { roles: ['dispatch'] })
  const requests: string[] = []
  const origin = await mediaServer(t, byPath(requests))
  const mediaUrls = [`${origin}/image/png/8`]
  const messages = Array.from({ length: 40 }, (_, i) => ({
    campaign: campaignId,
    to: i % 2 === 0 ? VZW : ATT,
    body: 'Look',
    mediaUrls,
  }))
  const { body } = await service.post('/v1/message/batch', { messages })
  for (const result of body.results) await until(result.id, 'DELIVERED')
  assert.deepEqual(requests, ['/image/png/8'])
})

test('a media host that does not respond delays nobody else', async (t) => {
  const { service, campaignId, send, until, message } = await sendingService(t, {
    roles: ['dispatch'],
  })
  const silent = await mediaServer(t, () => {})
  const messages = Array.from({ length: 120 }, (_, i) => ({
    campaign: campaignId,
    to: VZW,
    body: 'Look',
    mediaUrls: [`${silent}/${i}`],
  }))
  const { body } = await service.post('/v1/message/batch', { messages })
  const origin = await mediaServer(t, byPath())
  await until(await send(), 'DELIVERED')
  await until(await send({ to: ATT, mediaUrls: [`${origin}/image/png`] }), 'DELIVERED')
  assert.equal((await message(body.results[0].id)).status, 'QUEUED')
})

test('inbound media is stored and served by a URL that cannot be guessed', async (t) => {
  const { service, inbound, message } = await sendingService(t, { roles: ['dispatch'] })
  const origin = await mediaServer(t, byPath())
  const given = [`${origin}/image/png/8`, `${origin}/status/302`, `${origin}/text/html/8`]
  const kept = await message(idOf(await inbound(VZW, 'Look', { mediaUrls: given })))
  assert.equal(kept.type, 'MMS')
  assert.equal(kept.numSegments, 1)
  assert.equal(kept.price, 0)
  const paths = kept.mediaUrls.map((url: string) => {
    assert.ok(url.startsWith(`${service.world.config.publicUrl}/media/med_`), url)
    return new URL(url).pathname
  })
  const fetched = (url: string) =>
    eventually(async () => {
      const reply = await service.app.inject({ method: 'GET', url })
      return reply.statusCode === 200 && reply
    }, 'the file')
  const [path, redirected, page] = paths
  const reply = await fetched(path)
  assert.deepEqual(reply.rawPayload, PNG)
  assert.equal(reply.headers['content-type'], 'image/png')
  assert.equal(reply.headers['x-content-type-options'], 'nosniff')
  assert.match(String(reply.headers['content-security-policy']), /sandbox/)
  assert.equal(reply.headers['content-disposition'], 'inline')
  assert.deepEqual((await fetched(redirected)).rawPayload, PNG)
  const head = await service.app.inject({ method: 'HEAD', url: path })
  assert.equal(head.statusCode, 200)
  assert.equal(head.rawPayload.length, 0)
  assert.equal(head.headers['content-length'], String(PNG.length))
  assert.equal(head.headers['content-type'], 'image/png')
  const { headers } = await fetched(page)
  assert.deepEqual(
    [headers['content-type'], headers['content-disposition']],
    ['text/html', 'attachment'],
  )

  const other = path.endsWith('A') ? 'B' : 'A'
  for (const wrong of [`${path.slice(0, -1)}${other}`, '/media/x', '/media/%00', `${path}x`]) {
    const missing = readReply(await service.app.inject({ method: 'GET', url: wrong }))
    assert.deepEqual(told(missing), [404, 'Media not found'], wrong)
  }
})

test('twenty requests wait for a file that the carrier still has, and others are told to retry', async (t) => {
  const { service, inbound, message } = await sendingService(t, { roles: ['dispatch'] })
  let respond = () => {}
  const origin = await mediaServer(t, (_, response) => {
    respond = () => response.writeHead(200, { 'content-type': 'image/png' }).end(PNG)
  })
  const id = idOf(await inbound(VZW, 'Look', { mediaUrls: [`${origin}/late`] }))
  const { pathname: url } = new URL((await message(id)).mediaUrls[0])
  const request = () => service.app.inject({ method: 'GET', url })
  const waiting = Array.from({ length: 20 }, request)
  // Each waits for five seconds, so none of them ends before a second has passed.
  const early = await Promise.race([...waiting, sleep(1_000)])
  assert.equal(early?.statusCode, undefined)
  const refused = await request()
  assert.deepEqual([refused.statusCode, refused.headers['retry-after']], [503, '2'])
  respond()
  for (const reply of await Promise.all(waiting)) {
    if (reply.statusCode === 200) assert.deepEqual(reply.rawPayload, PNG)
    else assert.equal(reply.statusCode, 503, 'on a slow machine')
  }
})
