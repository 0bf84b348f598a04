// Counters of the SMPP server for Prometheus. The number of binds and waiting deliveries is measured at each scrape
// (http/health/metrics-gauges.ts).

import type { Counter } from '../kit/metrics.js'
import type { World } from '../kit/world.js'
import { statusName } from '../smpp/pdu/status.js'
import type { RequestOutcome } from '../smpp/session/session-event.js'

export class SmppCounts {
  readonly #binds: Counter
  readonly #requests: Counter
  readonly #deliveries: Counter

  constructor({ metrics }: Pick<World, 'metrics'>) {
    this.#binds = metrics.counter(
      'longcode_smpp_server_binds_total',
      'Binds of customers, by kind and by the status they were answered with',
      ['kind', 'status'],
    )
    this.#requests = metrics.counter(
      'longcode_smpp_server_requests_total',
      'Requests of customers who are bound, by command and status',
      ['command', 'status'],
    )
    this.#deliveries = metrics.counter(
      'longcode_smpp_server_deliveries_total',
      'deliver_sm to customers, by the status of their answer',
      ['status'],
    )
  }

  bind(kind: string, status: number): void {
    this.#binds.add(1, kind, nameOf(status))
  }

  request(command: string, status: number): void {
    this.#requests.add(1, command, nameOf(status))
  }

  delivered(outcome: RequestOutcome): void {
    this.#deliveries.add(1, outcome.kind === 'unknown' ? outcome.reason : nameOf(statusOf(outcome)))
  }
}

function statusOf(outcome: Exclude<RequestOutcome, { kind: 'unknown' }>): number {
  return outcome.kind === 'answered' ? outcome.pdu.status : outcome.status
}

/** All undefined statuses share one line, so a customer cannot create an unlimited number of them. */
function nameOf(status: number): string {
  return statusName(status) ?? 'other'
}
