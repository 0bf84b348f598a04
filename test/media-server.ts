// A real HTTP server with media for tests. The path selects what it serves.

import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { TestContext } from 'node:test'
import { crc32, deflateSync } from 'node:zlib'

export const PNG = Buffer.from('89504e470d0a1a0a', 'hex')

/** The first bytes of files of these types. */
const BEGINNINGS: Readonly<Record<string, string>> = {
  'image/jpeg': '\xff\xd8\xff\xe0',
  'image/gif': 'GIF89a',
  'application/pdf': '%PDF-1.7',
  'image/heic': '\0\0\0\x18ftypheic\0\0\0\0',
  'text/csv': 'a,b\n',
  'text/html': '<html>\n',
}

/** A file of that type by its first bytes. Others are PNG. */
export function fileOf(type: string, bytes: number): Buffer {
  const beginning = BEGINNINGS[type]
  return Buffer.alloc(bytes, beginning === undefined ? PNG : Buffer.from(beginning, 'latin1'))
}

export async function mediaServer(t: TestContext, listener: RequestListener): Promise<string> {
  const server = createServer(listener).listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  t.after(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

/**
 * Serves by path: /image/png/8 is a PNG of eight bytes, /status/404 returns 404, /redirects/3 redirects three times,
 * and /none/x/8 has no content type.
 */
export function byPath(requests: string[] = []): RequestListener {
  return (request, response) => {
    requests.push(request.url!)
    const [, kind, second = '', third] = request.url!.split('/')
    if (kind === 'status') {
      response.writeHead(Number(second), { location: '/image/png/8' }).end()
      return
    }
    if (kind === 'redirects') {
      const left = Number(second) - 1
      const location = left > 0 ? `/redirects/${left}` : '/image/png/8'
      response.writeHead(302, { location }).end()
      return
    }
    if (kind === 'hang-up') {
      request.socket.destroy()
      return
    }
    const type = `${kind}/${second.split(';')[0]}`
    const header = kind === 'none' ? {} : { 'content-type': `${kind}/${second}` }
    response.writeHead(200, header).end(fileOf(type, Number(third ?? 8)))
  }
}

/** A PNG with a header for its size and almost no data. */
export function pngOf(width: number, height: number): Buffer {
  const chunk = (name: string, data: Buffer) => {
    const body = Buffer.concat([Buffer.from(name), data])
    const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)]
    length.writeUInt32BE(data.length)
    sum.writeUInt32BE(crc32(body))
    return Buffer.concat([length, body, sum])
  }
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  header.set([8, 2, 0, 0, 0], 8)
  const signature = Buffer.from('89504e470d0a1a0a', 'hex')
  const pixels = deflateSync(Buffer.alloc(64))
  return Buffer.concat([
    signature,
    chunk('IHDR', header),
    chunk('IDAT', pixels),
    chunk('IEND', Buffer.alloc(0)),
  ])
}
