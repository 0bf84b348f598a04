// Accepts connections, with or without TLS: for our own SMSC and for customers. A handshake that stalls or never
// finishes does not affect other connections.

import { createServer, type Server, type Socket } from 'node:net'
import { createServer as createTlsServer, type TlsOptions } from 'node:tls'

export interface SmppListenerOptions {
  host: string
  /** 0: any free port. */
  port: number
  /** Absent: without TLS. */
  tls?: Pick<TlsOptions, 'cert' | 'key' | 'minVersion' | 'ca' | 'requestCert'> | null
}

export interface SmppListener {
  port: number
  /** Accepts no more connections and closes the rest. Unbind peers first to notify them. */
  close: () => Promise<void>
}

const HANDSHAKE_MS = 10_000

/** Rejects if the address is not available. */
export async function listenSmpp(
  { host, port, tls }: SmppListenerOptions,
  onSocket: (socket: Socket) => void,
): Promise<SmppListener> {
  const open = new Set<Socket>()
  const server = tls ? createTlsServer({ ...tls, handshakeTimeout: HANDSHAKE_MS }) : createServer()
  // Raw sockets, so that pending handshakes are ended with the rest.
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

/** The socket's owner sees its end. An error without a listener would end the process. */
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
