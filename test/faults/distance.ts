// A network between two sites: a proxy that delivers everything it reads after a fixed time, in both directions.

import net, { type AddressInfo } from 'node:net'
import type { TestContext } from 'node:test'

export interface Distance {
  port: number
  /** Ends open connections, drops what is on the way, and accepts no new ones until `heal`. */
  cut: () => void
  heal: () => void
}

/** The target is a port or the file of a Unix socket. */
export async function startDistance(
  t: TestContext,
  target: number | string,
  oneWayMs: number,
): Promise<Distance> {
  const sockets = new Set<net.Socket>()
  let isCut = false
  const server = net.createServer((client) => {
    if (isCut) return client.destroy()
    const upstream =
      typeof target === 'string' ? net.connect(target) : net.connect(target, '127.0.0.1')
    deliverLate(client, upstream, oneWayMs)
    deliverLate(upstream, client, oneWayMs)
    for (const socket of [client, upstream]) {
      sockets.add(socket)
      socket.on('close', () => sockets.delete(socket))
    }
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const end = () => {
    for (const socket of sockets) socket.destroy()
  }
  t.after(() => {
    end()
    server.close()
  })
  return {
    port: (server.address() as AddressInfo).port,
    cut: () => {
      isCut = true
      end()
    },
    heal: () => {
      isCut = false
    },
  }
}

/** In order, because timers of one duration fire in the order in which they were set. */
function deliverLate(from: net.Socket, to: net.Socket, ms: number): void {
  from.setNoDelay(true)
  from.on('error', () => {})
  from.on('data', (chunk: Buffer) => {
    setTimeout(() => {
      if (to.destroyed || to.write(chunk)) return
      from.pause()
      to.once('drain', () => from.resume())
    }, ms)
  })
  from.on('close', () => setTimeout(() => to.destroy(), ms))
}
