// A carrier link with counters around it: what was submitted and how long that took, what was answered
// by code, what came back. Every link is counted in the same way.

import { elapsedMs } from '../kit/clock.js'
import type { Counter, Metrics } from '../kit/metrics.js'
import type { Carrier, CarrierListener, SubmitAnswer } from '../messages/carrier-port.js'

export function meterCarrier(carrier: Carrier, metrics: Metrics): Carrier {
  const answers = metrics.counter(
    'longcode_carrier_answers_total',
    'Answers of the carrier to submitted messages, by kind and error code',
    ['carrier', 'answer', 'code'],
  )
  const receipts = metrics.counter(
    'longcode_carrier_receipts_total',
    'Receipts of the carrier, by status and error code',
    ['carrier', 'status', 'code'],
  )
  const inbound = metrics.counter(
    'longcode_carrier_inbound_total',
    'Messages, or parts of them, that came in from the carrier',
    ['carrier'],
  )
  const duration = metrics.histogram(
    'longcode_carrier_submit_duration_seconds',
    'How long the carrier took to answer for a batch',
  )
  return {
    ...carrier,
    isUp: () => carrier.isUp?.() ?? true,
    submit: async (submissions) => {
      const startedMs = elapsedMs()
      const given = await carrier.submit(submissions)
      duration.observe(elapsedMs(startedMs) / 1000)
      for (const answer of given) answers.add(1, carrier.name, answer.kind, codeOf(answer))
      return given
    },
    start: (listener) =>
      carrier.start(meterListener(listener, carrier.name, { receipts, inbound })),
  }
}

function meterListener(
  listener: CarrierListener,
  carrier: string,
  { receipts, inbound }: { receipts: Counter; inbound: Counter },
): CarrierListener {
  return {
    receipt: (receipt) => {
      receipts.add(1, carrier, receipt.status, String(receipt.errorCode ?? ''))
      return listener.receipt(receipt)
    },
    lateAnswer: (late) => listener.lateAnswer(late),
    inbound: (message) => {
      inbound.add(1, carrier)
      return listener.inbound(message)
    },
  }
}

function codeOf(answer: SubmitAnswer): string {
  return answer.kind === 'failed' ? String(answer.errorCode) : ''
}
