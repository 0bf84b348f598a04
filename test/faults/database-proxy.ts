// A proxy to a database that a test can close: it refuses connections, or it drops all data on them without a response,
// like a firewall that drops every packet.

import net, { type AddressInfo } from 'node:net'
import type { TestContext } from 'node:test'

type ProxyState = 'open' | 'refused' | 'silent'

export interface DatabaseProxy {
  /** The database through this proxy. */
  url: string
  /** The number of connections so far. */
  count: () => number
  /** `refused` ends open connections, and `silent` makes them hang. */
  become: (state: ProxyState) => void
}

export async function startDatabaseProxy(t: TestContext, url: string): Promise<DatabaseProxy> {
  const target = new URL(url)
  const host = decodeURIComponent(target.hostname)
  const port = target.port || '5432'
  const to = host.startsWith('/')
    ? { path: `${host}/.s.PGSQL.${port}` }
    : { host, port: Number(port) }
  const pairs = new Set<[net.Socket, net.Socket]>()
  let state: ProxyState = 'open'
  let count = 0
  const server = net.createServer((client) => {
    count += 1
    if (state === 'refused') return client.destroy()
    const upstream = net.connect(to)
    const pair: [net.Socket, net.Socket] = [client, upstream]
    pairs.add(pair)
    if (state === 'open') join(pair)
    for (const [one, other] of [pair, pair.toReversed() as typeof pair]) {
      one.on('error', () => {})
      one.on('close', () => {
        pairs.delete(pair)
        other.destroy()
      })
    }
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const end = (pair: [net.Socket, net.Socket]) => {
    for (const socket of pair) socket.destroy()
  }
  t.after(() => {
    for (const pair of pairs) end(pair)
    server.close()
  })
  const proxied = new URL(url)
  proxied.host = `127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    url: proxied.href,
    count: () => count,
    become: (next) => {
      // A connection that hung cannot continue: the server missed part of its data.
      if (next !== 'silent')
        for (const pair of pairs) if (state !== 'open' || next !== 'open') end(pair)
      if (next === 'silent') for (const pair of pairs) part(pair)
      state = next
    },
  }
}

function join([client, upstream]: [net.Socket, net.Socket]): void {
  client.pipe(upstream)
  upstream.pipe(client)
}

function part([client, upstream]: [net.Socket, net.Socket]): void {
  client.unpipe(upstream)
  upstream.unpipe(client)
  client.pause()
  upstream.pause()
}
