// The way to a database, which a test may close: so that connections are refused, or so that what is said on them
// goes nowhere and is never answered, as behind a firewall that drops everything.

import net, { type AddressInfo } from 'node:net'
import type { TestContext } from 'node:test'

type Way = 'open' | 'refused' | 'silent'

export interface DatabaseProxy {
  /** The database by this way. */
  url: string
  /** Connections so far. */
  count: () => number
  /** Open connections end when it refuses, and hang when it falls silent. */
  become: (way: Way) => void
}

export async function startDatabaseProxy(t: TestContext, url: string): Promise<DatabaseProxy> {
  const target = new URL(url)
  const host = decodeURIComponent(target.hostname)
  const port = target.port || '5432'
  const to = host.startsWith('/')
    ? { path: `${host}/.s.PGSQL.${port}` }
    : { host, port: Number(port) }
  const pairs = new Set<[net.Socket, net.Socket]>()
  let way: Way = 'open'
  let count = 0
  const server = net.createServer((client) => {
    count += 1
    if (way === 'refused') return client.destroy()
    const upstream = net.connect(to)
    const pair: [net.Socket, net.Socket] = [client, upstream]
    pairs.add(pair)
    if (way === 'open') join(pair)
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
    become: (now) => {
      // What hung would make no sense to a server that missed half of it.
      if (now !== 'silent')
        for (const pair of pairs) if (way !== 'open' || now !== 'open') end(pair)
      if (now === 'silent') for (const pair of pairs) part(pair)
      way = now
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
