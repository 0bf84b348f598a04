// Simulated phones, callers, and the clock. A service has them only with LONGCODE_MODE=sandbox.

import { digits } from './numbers.js'
import type { RequestOptions, Transport } from './transport.js'
import type {
  AdvanceClockReply,
  Clock,
  GetHandsetReply,
  ListHandsetsReply,
  PlaceCallBody,
  PlaceCallReply,
  ReceiveInboundBody,
  ReceiveInboundReply,
} from './types.js'

export class Sandbox {
  readonly clock: SandboxClock
  readonly #http: Transport

  constructor(http: Transport) {
    this.#http = http
    this.clock = new SandboxClock(http)
  }

  /** Texts one of your numbers from a simulated phone. */
  inbound(body: ReceiveInboundBody, options?: RequestOptions): Promise<ReceiveInboundReply> {
    return this.#http.request('POST /sandbox/inbound', { body }, options)
  }

  /** What a simulated phone shows. */
  handset(number: string, options?: RequestOptions): Promise<GetHandsetReply> {
    const path = { number: digits(number) }
    return this.#http.request('GET /sandbox/handset/{number}', { path }, options)
  }

  handsets(options?: RequestOptions): Promise<ListHandsetsReply> {
    return this.#http.request('GET /sandbox/handset', {}, options)
  }

  /** Calls one of your numbers. */
  call(body: PlaceCallBody, options?: RequestOptions): Promise<PlaceCallReply> {
    return this.#http.request('POST /sandbox/call', { body }, options)
  }
}

export class SandboxClock {
  readonly #http: Transport

  constructor(http: Transport) {
    this.#http = http
  }

  get(options?: RequestOptions): Promise<Clock> {
    return this.#http.request('GET /sandbox/clock', {}, options)
  }

  /** Moves the clock forward. Whatever becomes due happens now. */
  advance(seconds: number, options?: RequestOptions): Promise<AdvanceClockReply> {
    return this.#http.request('POST /sandbox/clock/advance', { body: { seconds } }, options)
  }
}
