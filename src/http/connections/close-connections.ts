// Closes connections during a stop. Clients keep connections open for their next request, and browsers open some in
// advance. Node closes only those that have completed a request, and stops enforcing its timeouts when the
// server closes, so a single silent client could delay a stop until the process is killed.

import type { Server } from 'node:http'
import type { Socket } from 'node:net'

const CHECK_MS = 50
/** For requests in progress. The rest of the stop needs time too, before a supervisor kills the process. */
const PATIENCE_MS = 5_000

/** Returns the function to use when the server stops accepting connections. */
export function trackConnections(server: Server): () => void {
  const open = new Set<Socket>()
  server.on('connection', (socket: Socket) => {
    open.add(socket)
    socket.once('close', () => open.delete(socket))
  })
  return () => {
    if (!server.listening) return // it has none, and would not report when it is closed
    const closeUnused = () => {
      server.closeIdleConnections()
      for (const socket of open) if (socket.bytesRead === 0) socket.destroy()
    }
    const checks = setInterval(closeUnused, CHECK_MS)
    const limit = setTimeout(() => server.closeAllConnections(), PATIENCE_MS)
    server.once('close', () => {
      clearInterval(checks)
      clearTimeout(limit)
    })
  }
}
