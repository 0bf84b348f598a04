// npm `smpp` on either side: a client that collects what it receives, and a server that responds to every submit.

import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import type { TestContext } from 'node:test'
import smpp, { type Fields, type Pdu, type Session } from 'smpp'

export type { Pdu }

type Asking = 'submit_sm' | 'deliver_sm' | 'query_sm'

export interface NpmPeer {
  /** Requests of the other side, in order. Each got a response. */
  taken: Pdu[]
  ask: (command: Asking, fields: Fields) => Promise<Pdu>
  unbind: () => Promise<Pdu>
}

export interface NpmServer {
  port: number
  taken: Pdu[]
  /** Sends to the last client that bound, which must be a receiver. */
  ask: NpmPeer['ask']
  stop: () => Promise<void>
}

interface Credentials {
  systemId: string
  password: string
}

/** Bound as a transceiver. */
export async function startNpmClient(
  t: TestContext,
  port: number,
  { systemId, password }: Credentials,
): Promise<NpmPeer> {
  const session = smpp.connect({ host: '127.0.0.1', port })
  t.after(() => session.destroy())
  session.on('error', () => {})
  session.on('unbind', (pdu: Pdu) => session.send(pdu.response()))
  const taken = answering(session, 'deliver_sm', () => ({}))
  const bound = await new Promise<Pdu>((resolve) =>
    session.bind_transceiver({ system_id: systemId, password }, resolve),
  )
  if (bound.command_status !== 0) throw new Error(`bind refused: ${bound.command_status}`)
  const unbind = () => new Promise<Pdu>((resolve) => session.unbind(resolve))
  return { taken, ask: asking(session), unbind }
}

/** `idOf` is the id in the response to the n-th submit. */
export async function startNpmServer(
  t: TestContext,
  idOf: (count: number) => string,
): Promise<NpmServer> {
  const sessions: Session[] = []
  const taken: Pdu[] = []
  let given = 0
  const server = smpp.createServer((session) => {
    session.on('error', () => {})
    for (const bind of ['bind_transceiver', 'bind_transmitter', 'bind_receiver']) {
      session.on(bind, (pdu: Pdu) => {
        if (bind !== 'bind_transmitter') sessions.push(session)
        session.send(pdu.response({ system_id: 'npm' }))
      })
    }
    session.on('unbind', (pdu: Pdu) => session.send(pdu.response()))
    answering(session, 'submit_sm', () => ({ message_id: idOf(++given) }), taken)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const stop = async () => {
    for (const session of sessions) session.destroy()
    await new Promise((resolve) => server.close(resolve))
  }
  t.after(stop)
  return {
    port: (server.address() as AddressInfo).port,
    taken,
    ask: (command, fields) => asking(sessions.at(-1)!)(command, fields),
    stop,
  }
}

function answering(
  session: Session,
  command: string,
  fieldsOf: (pdu: Pdu) => Fields,
  taken: Pdu[] = [],
): Pdu[] {
  session.on(command, (pdu: Pdu) => {
    taken.push(pdu)
    session.send(pdu.response(fieldsOf(pdu)))
  })
  session.on('enquire_link', (pdu: Pdu) => session.send(pdu.response()))
  return taken
}

function asking(session: Session): NpmPeer['ask'] {
  return (command, fields) =>
    new Promise((resolve) => session[command](fields, (pdu) => resolve(pdu)))
}

/** The text of a PDU created by this peer, in whichever field it is. */
export function textOf(pdu: Pdu): string {
  const whole = pdu.short_message?.message
  const text = whole && whole.length > 0 ? whole : (pdu.message_payload?.message ?? '')
  return String(text)
}
