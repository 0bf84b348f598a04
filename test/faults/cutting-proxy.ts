// A proxy between an HTTP client and a server that cuts the connection at a chosen point of a POST: within the request
// or within its response.

import net, { type AddressInfo } from 'node:net'
import type { TestContext } from 'node:test'

export interface Cut {
  /** Where the cut happens. */
  within: 'request' | 'response'
  /** The share that still gets through, from 0 to 1. */
  share: number
}

export interface CuttingProxy {
  url: string
  /** One entry per POST to come. Null passes the request unchanged. */
  plan: (Cut | null)[]
  /** The number of requests cut so far. */
  cuts: number
}

export async function startCuttingProxy(t: TestContext, target: string): Promise<CuttingProxy> {
  const { port, hostname } = new URL(target)
  const sockets = new Set<net.Socket>()
  const server = net.createServer((client) => {
    const upstream = net.connect(Number(port), hostname)
    for (const socket of [client, upstream]) {
      sockets.add(socket)
      socket.on('error', () => {})
      socket.on('close', () => {
        sockets.delete(socket)
        client.destroy()
        upstream.destroy()
      })
    }
    carry(client, upstream, proxy)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.after(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  const address = server.address() as AddressInfo
  const proxy: CuttingProxy = { url: `http://127.0.0.1:${address.port}`, plan: [], cuts: 0 }
  return proxy
}

/** Handles one request at a time, since our clients do not pipeline. */
function carry(client: net.Socket, upstream: net.Socket, proxy: CuttingProxy): void {
  let gathered = Buffer.alloc(0)
  let cut: Cut | null = null
  const hangUp = () => {
    proxy.cuts += 1
    upstream.end()
    client.destroy()
  }
  client.on('data', (chunk: Buffer) => {
    gathered = Buffer.concat([gathered, chunk])
    const length = lengthOf(gathered)
    if (length === null || gathered.length < length) return
    const request = gathered
    gathered = Buffer.alloc(0)
    cut = request.subarray(0, 4).toString() === 'POST' ? (proxy.plan.shift() ?? null) : null
    if (cut?.within !== 'request') return void upstream.write(request)
    upstream.write(request.subarray(0, Math.floor(request.length * cut.share)))
    hangUp()
  })
  upstream.on('data', (chunk: Buffer) => {
    if (cut === null) return void client.write(chunk)
    client.write(chunk.subarray(0, Math.floor(chunk.length * cut.share)), hangUp)
    cut = { within: 'response', share: 0 } // drops the rest
  })
}

/** The length of the whole request, once its headers have arrived. */
function lengthOf(bytes: Buffer): number | null {
  const end = bytes.indexOf('\r\n\r\n')
  if (end === -1) return null
  const [, length = '0'] = /content-length: *(\d+)/i.exec(bytes.toString('latin1', 0, end)) ?? []
  return end + 4 + Number(length)
}
