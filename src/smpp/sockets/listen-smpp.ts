// Accepts connections, with or without TLS: for our own SMSC and for customers. A handshake that stalls or never
// finishes does not affect other connections.

import { createServer, type Server, type Socket } from 'node:net'
import { createServer as createTlsServer, type TlsOptions } from 'node:tls'

export interface SmppListenerOptions {
  host: string
  /** 0: one that is free. */
  port: number
  /** Absent: in the clear. */
  tls?: Pick<TlsOptions, 'cert' | 'key' | 'minVersion' | 'ca' | 'requestCert'> | null
}

export interface SmppListener {
  port: number
  /** Takes no more connections and ends those that are left. Unbind peers first if they should know. */
  close: () => Promise<void>
}

const HANDSHAKE_MS = 10_000

/** Rejects where the address cannot be had. */
export async function listenSmpp(
  { host, port, tls }: SmppListenerOptions,
  onSocket: (socket: Socket) => void,
): Promise<SmppListener> {
  const open = new Set<Socket>()
  const server = tls ? createTlsServer({ ...tls, handshakeTimeout: HANDSHAKE_MS }) : createServer()
  // The bare ones, so that a handshake under way is ended with the rest.
  server.on('connection', (socket: Socket) => {
    open.add(socket)
    socket.once('close', () => open.delete(socket))
    socket.on('error', ignore)
  })
  server.on(tls ? 'secureConnection' : 'connection', (socket: Socket) => {
    socket.on('error', ignore)
    onSocket(socket)
  })
  await listening(server, host, port)
  const address = server.address()
  return {
    port: typeof address === 'object' && address ? address.port : port,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        for (const socket of open) socket.destroy()
      }),
  }
}

/** The one who uses the socket sees its end; an error without a listener would end the process. */
function ignore(): void {}

function listening(server: Server, host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen({ host, port }, () => {
      server.off('error', reject)
      server.on('error', ignore)
      resolve()
    })
  })
}
