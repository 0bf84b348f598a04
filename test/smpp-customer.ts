// A customer of an SMSC with our own session: binds, submits, and stores what it receives.

import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { addressOf } from '../src/smpp/address.js'
import type { BodyOf, ResponsePdu } from '../src/smpp/pdu/pdu.js'
import { STATUS } from '../src/smpp/pdu/status.js'
import type { BindName, RequestOutcome, WorkPdu } from '../src/smpp/session/session-event.js'
import { SmppSocket } from '../src/smpp/sockets/smpp-socket.js'
import { chooseCoding, USUAL_CODINGS } from '../src/smpp/text/data-coding.js'
import { splitMessage } from '../src/smpp/text/split-message.js'
import { until } from './until.js'

export const FROM = '+14155550100'
export const TO = '+14155550199'

/** Resolves when it is bound or refused. `seen.end` has the reason. */
export async function bindTo(
  port: number,
  { as = 'bind_transceiver' as BindName, systemId = 'me', password = 'pw', isDeaf = false } = {},
) {
  const seen = {
    outcomes: [] as { token: number; outcome: RequestOutcome }[],
    stray: [] as ResponsePdu[],
    deliveries: [] as WorkPdu[],
    end: '',
    isBound: false,
    /** The response status for deliveries. */
    deliveryStatus: STATUS.ESME_ROK.code as number,
  }
  const socket = connect({ host: '127.0.0.1', port })
  socket.on('error', () => {})
  const smpp = new SmppSocket<number>(
    socket,
    {
      side: 'esme',
      window: 1_000,
      responseTimeoutMs: 60_000,
      enquireLinkMs: 60_000,
      bindTimeoutMs: 60_000,
      unansweredMax: 1_000,
    },
    {
      onSessionEvent: (sessionEvent) => {
        if (sessionEvent.kind === 'bound') seen.isBound = true
        if (sessionEvent.kind === 'outcome') seen.outcomes.push(sessionEvent)
        if (sessionEvent.kind === 'stray_answer') seen.stray.push(sessionEvent.pdu)
        if (sessionEvent.kind === 'closed')
          seen.end = `${sessionEvent.reason}: ${sessionEvent.detail}`
        if (sessionEvent.kind !== 'request') return
        seen.deliveries.push(sessionEvent.pdu)
        if (!isDeaf) smpp.respond(sessionEvent.pdu, { status: seen.deliveryStatus })
      },
    },
  )
  smpp.bind(as, { systemId, password })
  await until(() => seen.isBound || seen.end !== '', 'the bind')
  const submit = (
    to: string,
    text: string,
    token: number,
    more: Partial<BodyOf<'submit_sm'>> = {},
  ) => {
    const source = addressOf(FROM)
    const destination = addressOf(to)
    for (const part of splitMessage(text, chooseCoding(text, USUAL_CODINGS)!, 'udh8', token)) {
      const { esmClass, dataCoding, shortMessage, tlvs } = part
      const fields = {
        sourceAddrTon: source.ton,
        sourceAddrNpi: source.npi,
        sourceAddr: source.digits,
        destAddrTon: destination.ton,
        destAddrNpi: destination.npi,
        destinationAddr: destination.digits,
        registeredDelivery: 1,
        esmClass,
        dataCoding,
        shortMessage,
        ...more,
      }
      assert.ok(smpp.request('submit_sm', fields, tlvs, token))
    }
  }
  return { smpp, seen, submit, socket }
}
