// The effect of photos on text messages: the latency of durable sends while 7 MB photos are resized for a provider,
// relative to that without photos. One process with all roles. The two alternate, and the median ratio counts.

import { once } from 'node:events'
import { rmSync, writeFileSync } from 'node:fs'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import os from 'node:os'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import sharp from 'sharp'
import { sql } from '../src/kit/postgres/sql.js'
import { median, sendLoad } from './accept.js'
import { type LoadResult, measureLoad } from './load.js'
import { memoryMb, openStage, type Running, type Stage, startServer } from './stage.js'

const ROUNDS = 5
const SECONDS = 3
const CONNECTIONS = 1
/** More than are resized in a round. */
const PHOTOS = 6
const PUBLIC_KEY = Buffer.alloc(32, 9).toString('base64')

export async function run() {
  const stage = await openStage()
  const photo = await noisyPhoto()
  const [photos, provider] = [await listen(servePhotos(photo)), await listen(takeAll())]
  const file = path.join(os.tmpdir(), `longcode-bench-${process.pid}.yaml`)
  const link = `name: upstream\n    kind: telnyx\n    url: ${provider.url}\n    apiKey: KEY`
  writeFileSync(file, `links:\n  - ${link}\n    publicKey: ${PUBLIC_KEY}\n`)
  const server = await startServer(stage, { LONGCODE_CARRIERS: file })
  const load = { ...sendLoad(stage), port: server.port, connections: CONNECTIONS }
  const measure = () => measureLoad({ ...load, seconds: SECONDS })
  await measure() // warm-up
  const [quiet, busy]: LoadResult[][] = [[], []]
  let [shrunk, memory] = [0, 0]
  for (let round = 0; round < ROUNDS; round += 1) {
    quiet!.push(await measure())
    await sendPhotos(stage, server, photos.url, round)
    busy!.push(await measure())
    memory = Math.max(memory, memoryMb(server.pid))
    shrunk += await untilSent(stage)
  }
  await server.stop()
  for (const { close } of [photos, provider]) close()
  rmSync(file)
  await stage.close()
  const ratios = busy!.map((one, i) => one.p50Ms / quiet![i]!.p50Ms)
  const latency = (of: LoadResult[]) =>
    `p50 ${of.map((one) => one.p50Ms.toFixed(1)).join(' ')} ms, p99 ${of.map((one) => one.p99Ms.toFixed(1)).join(' ')} ms`
  return {
    lines: [
      `without photos ${latency(quiet!)}`,
      `with photos    ${latency(busy!)}`,
      `photos         ${shrunk} of ${(photo.length / 1e6).toFixed(1)} MB each; service at most ${memory} MB`,
      `ratios of p50  ${ratios.map((ratio) => ratio.toFixed(2)).join(' ')}`,
    ],
    ratio: median(ratios),
  }
}

/** Twelve megapixels of noise, the worst case for compression. */
function noisyPhoto(): Promise<Buffer> {
  const noise = { type: 'gaussian', mean: 128, sigma: 22 } as const
  const create = { width: 4_032, height: 3_024, channels: 3, background: '#888', noise } as const
  return sharp({ create }).jpeg({ quality: 93 }).toBuffer()
}

/** Each URL has its own file: the bytes after the image are not part of it. */
function servePhotos(photo: Buffer): RequestListener {
  return (request, response) => {
    response.writeHead(200, { 'content-type': 'image/jpeg' })
    response.end(Buffer.concat([photo, Buffer.from(request.url!)]))
  }
}

function takeAll(): RequestListener {
  let count = 0
  return (request, response) => {
    request.resume().on('end', () => {
      count += 1
      response.writeHead(200, { 'content-type': 'application/json' })
      response.end(JSON.stringify({ data: { id: `id-${count}`, to: [] } }))
    })
  }
}

async function listen(listener: RequestListener) {
  const server = createServer(listener).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return { url, close: () => server.close() }
}

async function sendPhotos(stage: Stage, { port }: Running, origin: string, round: number) {
  const messages = Array.from({ length: PHOTOS }, (_, i) => ({
    campaign: stage.campaignId,
    to: '+14155550107',
    body: 'Look',
    mediaUrls: [`${origin}/${round}-${i}`],
  }))
  const reply = await fetch(`http://127.0.0.1:${port}/v1/message/batch`, {
    method: 'POST',
    headers: { authorization: `Bearer ${stage.token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ messages }),
  })
  if (!reply.ok) throw new Error(`photos were refused: ${await reply.text()}`)
}

/** The number of photos sent. The others wait for the next round. */
async function untilSent({ db }: Stage): Promise<number> {
  for (;;) {
    const [row] = await db.query<{ open: number }>(sql`
      select count(*)::int as open from messages where type = 'MMS' and status = 'QUEUED'`)
    if (row!.open === 0) return PHOTOS
    await sleep(500)
  }
}
