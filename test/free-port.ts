// A port for both UDP and TCP, for programs that cannot use port 0. It is below the ephemeral range, so the system
// assigns it to nobody before the program listens or while it restarts.

import dgram from 'node:dgram'
import { once } from 'node:events'
import net from 'node:net'

const [FIRST, COUNT] = [20_000, 12_000]

export async function freePort(): Promise<number> {
  for (;;) {
    const port = FIRST + Math.floor(Math.random() * COUNT)
    if ((await isFree(net.createServer(), port)) && (await isDatagramFree(port))) return port
  }
}

async function isFree(server: net.Server, port: number): Promise<boolean> {
  const listening = once(server, 'listening')
  server.listen(port, '0.0.0.0')
  return listening.then(
    async () => {
      server.close()
      await once(server, 'close')
      return true
    },
    () => false,
  )
}

async function isDatagramFree(port: number): Promise<boolean> {
  const socket = dgram.createSocket('udp4')
  const listening = once(socket, 'listening')
  socket.bind(port, '0.0.0.0')
  const isFree = await listening.then(
    () => true,
    () => false,
  )
  socket.close()
  await once(socket, 'close')
  return isFree
}
