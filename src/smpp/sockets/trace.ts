// An observer of a connection's frames.

export interface Trace {
  frame(direction: 'sent' | 'received', bytes: Buffer): void
}

export interface SocketEndpoint {
  address: string
  port: number
}
