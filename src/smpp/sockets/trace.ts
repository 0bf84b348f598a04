// Who looks on at what a connection says, frame by frame.

export interface Trace {
  frame(direction: 'sent' | 'received', bytes: Buffer): void
}

export interface SocketEndpoint {
  address: string
  port: number
}
