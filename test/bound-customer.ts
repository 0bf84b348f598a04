// A customer that binds to the SMPP server under test: our own session in the client role, over a real socket.

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import type { TestContext } from 'node:test'
import type { BodyOf, PduOf, ResponsePdu } from '../src/smpp/pdu/pdu.js'
import { statusName } from '../src/smpp/pdu/status.js'
import { standardTlv, type Tlv } from '../src/smpp/pdu/tlv.js'
import { readReceipt } from '../src/smpp/receipt.js'
import type {
  BindName,
  RequestOutcome,
  SessionEvent,
  WorkName,
} from '../src/smpp/session/session-event.js'
import { connectSmpp, type SmppTarget } from '../src/smpp/sockets/connect-smpp.js'
import { SmppSocket } from '../src/smpp/sockets/smpp-socket.js'
import { USUAL_CODINGS } from '../src/smpp/text/data-coding.js'
import { readMessage } from '../src/smpp/text/read-message.js'
import { eventually, type Json, type TestService } from './harness.js'

export interface Credentials {
  systemId: string
  password: string
  accessToken: string
  tokenId: string
}

/** An SMPP token of the service's account. */
export async function smppToken(
  service: TestService,
  smpp: Json = {},
  more: Json = {},
): Promise<Credentials> {
  const { status, body } = await service.post('/v1/token/create', { smpp, ...more })
  assert.equal(status, 200, JSON.stringify(body))
  const { token, accessToken, smppPassword } = body
  return { systemId: token.smpp.systemId, password: smppPassword, accessToken, tokenId: token.id }
}

export interface CustomerOptions {
  as?: BindName
  /** The response to a deliver_sm, or null for none. Default: accepted. */
  answer?: (pdu: PduOf<'deliver_sm'>) => number | null
  window?: number
  /** Default: no TLS. */
  tls?: SmppTarget['tls']
  /** The loopback address that it connects from. Without TLS only. */
  from?: string
}

/** The response to a submit. */
export interface SubmitResponse {
  status: string
  id: string
  sentence: string
}

type Done = (outcome: RequestOutcome) => void

export class Customer {
  readonly delivered: PduOf<'deliver_sm'>[] = []
  /** The response to the bind, or that the connection closed without one. */
  bound: string | null = null
  closed: string | null = null
  readonly socket: SmppSocket<Done>
  readonly #answer: NonNullable<CustomerOptions['answer']>

  private constructor(
    socket: ConstructorParameters<typeof SmppSocket>[0],
    options: CustomerOptions,
  ) {
    this.#answer = options.answer ?? (() => 0)
    const settings = {
      side: 'esme' as const,
      window: options.window ?? 50,
      responseTimeoutMs: 60_000,
      enquireLinkMs: 60_000,
      bindTimeoutMs: 60_000,
      unansweredMax: 100,
    }
    this.socket = new SmppSocket<Done>(socket, settings, {
      onSessionEvent: (sessionEvent) => this.#happened(sessionEvent),
    })
  }

  static async connect(port: number, options: CustomerOptions = {}): Promise<Customer> {
    if (options.from !== undefined) {
      const socket = connect({ host: '127.0.0.1', port, localAddress: options.from })
      await once(socket, 'connect')
      return new Customer(socket, options)
    }
    const signal = new AbortController().signal
    const target = { host: '127.0.0.1', port, tls: options.tls ?? null, timeoutMs: 10_000, signal }
    return new Customer(await connectSmpp(target), options)
  }

  #happened(sessionEvent: SessionEvent<Done>): void {
    switch (sessionEvent.kind) {
      case 'bound':
        this.bound = 'ESME_ROK'
        return
      case 'bind_refused':
        this.bound = statusName(sessionEvent.status)
        return
      case 'outcome':
        sessionEvent.token(sessionEvent.outcome)
        return
      case 'request': {
        const pdu = sessionEvent.pdu as PduOf<'deliver_sm'>
        this.delivered.push(pdu)
        const status = this.#answer(pdu)
        if (status !== null) this.socket.respond(pdu, { status })
        return
      }
      case 'closed':
        this.closed = sessionEvent.reason
        this.bound ??= 'closed'
        return
      default:
        return
    }
  }

  /** The status of the response. */
  async bind(
    { systemId, password }: Pick<Credentials, 'systemId' | 'password'>,
    as: BindName = 'bind_transceiver',
  ): Promise<string> {
    this.socket.bind(as, { systemId, password })
    return eventually(async () => this.bound, 'a response to the bind')
  }

  request<C extends WorkName>(
    command: C,
    fields: Partial<BodyOf<C>>,
    tlvs: readonly Tlv[] = [],
  ): Promise<ResponsePdu> {
    return new Promise((resolve, reject) => {
      const done: Done = (outcome) => {
        if (outcome.kind === 'answered') resolve(outcome.pdu)
        else reject(new Error(JSON.stringify(outcome)))
      }
      if (!this.socket.request(command, fields, tlvs, done)) reject(new Error('it did not leave'))
    })
  }

  async submit(
    fields: Partial<BodyOf<'submit_sm'>>,
    tlvs: readonly Tlv[] = [],
  ): Promise<SubmitResponse> {
    return describeResponse(await this.request('submit_sm', fields, tlvs))
  }

  /** Inbound messages, as the texts of their parts. */
  texts(): string[] {
    return this.delivered
      .filter(({ body }) => (body.esmClass & 0x3c) === 0)
      .map((pdu) => readMessage(pdu, USUAL_CODINGS).text ?? '')
  }

  receipts(): { id: string; state: string; error: string | null }[] {
    return this.delivered
      .filter(({ body }) => [0x04, 0x20].includes(body.esmClass & 0x3c))
      .map((pdu) => {
        const receipt = readReceipt(pdu)
        assert.ok(receipt, 'it parses as a receipt')
        const error = /err:(\d{3})/.exec(pdu.body.shortMessage.toString('latin1'))?.[1] ?? null
        return { id: receipt.carrierIds[0]!, state: String(receipt.state), error }
      })
  }

  end(): void {
    this.socket.destroy('The test is over')
  }
}

export function describeResponse(pdu: ResponsePdu): SubmitResponse {
  const body = pdu.body as { messageId?: string } | null
  return {
    status: statusName(pdu.status) ?? String(pdu.status),
    id: body?.messageId ?? '',
    sentence: standardTlv(pdu.tlvs, 'additionalStatusInfoText') ?? '',
  }
}

/** Binds, and disconnects when the test ends. */
export async function boundCustomer(
  t: TestContext,
  service: TestService,
  credentials: Pick<Credentials, 'systemId' | 'password'>,
  options: CustomerOptions = {},
): Promise<Customer> {
  const customer = await Customer.connect(service.smppPort!, options)
  t.after(() => customer.end())
  assert.equal(await customer.bind(credentials, options.as), 'ESME_ROK')
  return customer
}

/** A plain submit: GSM-7, with a receipt. */
export function plain(
  from: string,
  to: string,
  text: string,
  more: Partial<BodyOf<'submit_sm'>> = {},
): Partial<BodyOf<'submit_sm'>> {
  return {
    sourceAddrTon: 1,
    sourceAddrNpi: 1,
    sourceAddr: from.replace('+', ''),
    destAddrTon: 1,
    destAddrNpi: 1,
    destinationAddr: to.replace('+', ''),
    registeredDelivery: 1,
    shortMessage: Buffer.from(text, 'latin1'),
    ...more,
  }
}
