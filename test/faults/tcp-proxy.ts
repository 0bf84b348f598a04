// A proxy between two programs that a test can cut, also silently, so one side does not notice, as when a firewall
// drops a connection.

import net, { type AddressInfo } from 'node:net'
import type { TestContext } from 'node:test'

export interface TcpProxy {
  port: number
  /** The port that new connections go to. */
  target: number
  /** The number of connections so far. */
  count: number
  /** The number of open client connections. */
  open: () => number
  /** Disconnects open connections from the server, which sees an end. The client does not notice. */
  halfOpen: () => void
  /** Ends open connections and accepts no new ones until `heal`. */
  cut: () => void
  /** Passes no data on old and new connections, without closing them, until `heal`, which ends them all. */
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
        // From now on data from the client is read and dropped.
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
