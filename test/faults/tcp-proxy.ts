// A network between two programs, which a test may cut: silently, so that one side does not know of it, as when
// a firewall forgets a connection.

import net, { type AddressInfo } from 'node:net'
import type { TestContext } from 'node:test'

export interface TcpProxy {
  port: number
  /** Where new connections go. */
  target: number
  /** Connections so far. */
  count: number
  /** How many are open on the side of the client. */
  open: () => number
  /** What is open now goes nowhere any more: the client is not told, the other side sees an end. */
  halfOpen: () => void
  /** Ends what is open and takes nothing new, until it is mended. */
  cut: () => void
  /** Nothing gets through and nobody is told, those that connect included, until it is mended: then all of these end. */
  swallow: () => void
  heal: () => void
}

export async function startProxy(t: TestContext, target: number): Promise<TcpProxy> {
  const pairs = new Map<net.Socket, net.Socket>()
  let isCut = false
  let isSilent = false
  const server = net.createServer((client) => {
    client.on('error', () => {})
    if (isCut) {
      client.destroy()
      return
    }
    const upstream = net.connect(proxy.target, '127.0.0.1')
    proxy.count += 1
    pairs.set(client, upstream)
    client.setNoDelay(true)
    upstream.setNoDelay(true)
    if (!isSilent) {
      client.pipe(upstream)
      upstream.pipe(client)
    }
    upstream.on('error', () => {})
    client.on('close', () => {
      pairs.delete(client)
      upstream.destroy()
    })
    upstream.on('close', () => {
      if (pairs.get(client) === upstream) client.destroy()
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.after(() => {
    for (const client of pairs.keys()) client.destroy()
    server.close()
  })
  const proxy: TcpProxy = {
    port: (server.address() as AddressInfo).port,
    target,
    count: 0,
    open: () => pairs.size,
    halfOpen: () => {
      for (const [client, upstream] of pairs) {
        client.unpipe(upstream)
        upstream.unpipe(client)
        // From now on what the client says is read and dropped.
        pairs.set(client, new net.Socket())
        client.resume()
        upstream.destroy()
      }
    },
    cut: () => {
      isCut = true
      for (const client of pairs.keys()) client.destroy()
    },
    swallow: () => {
      isSilent = true
      for (const [client, upstream] of pairs) {
        client.unpipe(upstream)
        upstream.unpipe(client)
      }
    },
    heal: () => {
      if (isSilent) for (const client of pairs.keys()) client.destroy()
      isCut = false
      isSilent = false
    },
  }
  return proxy
}
