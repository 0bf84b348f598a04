// Who looks on at what a connection says, frame by frame.

export interface Trace {
  frame(direction: 'sent' | 'received', octets: Buffer): void
}

export interface Endpoint {
  address: string
  port: number
}
