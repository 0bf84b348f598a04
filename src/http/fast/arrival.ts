// A request as a fast path sees it, and how it is answered: read by Node (here), or by us (plain-connections.ts).

import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http'
import type { AddressOf } from '../connections/client-address.js'

export interface Arrival {
  readonly method: string | undefined
  readonly url: string
  readonly headers: IncomingHttpHeaders
  /** Of the client, whose token may have to be looked up. */
  readonly address: string
  /** A client that has disconnected gets no response. */
  isGone: () => boolean
  /** A body that does not arrive completely is not reported: its connection has ended, or is about to. */
  readBody: (length: number, whole: (bytes: Buffer) => void) => void
  /**
   * The head alternates names and values, without those that every response has. The connection closes after the
   * last response.
   */
  reply: (status: number, head: string[], text: string, isLast: boolean) => void
}

/** False: not handled, and nothing was read from it. */
export type FastPath = (arrival: Arrival) => boolean

export class NodeArrival implements Arrival {
  constructor(
    readonly request: IncomingMessage,
    readonly response: ServerResponse,
    readonly addressOf: AddressOf,
  ) {}

  get address(): string {
    return this.addressOf(this.request.socket, this.request.headers)
  }

  get method(): string | undefined {
    return this.request.method
  }

  get url(): string {
    return this.request.url!
  }

  get headers(): IncomingHttpHeaders {
    return this.request.headers
  }

  isGone(): boolean {
    return this.response.destroyed
  }

  readBody(length: number, whole: (bytes: Buffer) => void): void {
    const chunks: Buffer[] = []
    let received = 0
    this.request.on('data', (chunk: Buffer) => {
      if (chunk.length === length) return whole(chunk)
      chunks.push(chunk)
      received += chunk.length
      if (received === length) whole(Buffer.concat(chunks))
    })
  }

  reply(status: number, head: string[], text: string, isLast: boolean): void {
    if (isLast) head.push('connection', 'close')
    this.response.writeHead(status, head).end(text)
  }
}
