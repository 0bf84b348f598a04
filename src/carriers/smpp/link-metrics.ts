// Metrics that only SMPP links have, and their trace file.

import type { Clock } from '../../kit/clock.js'
import type { Log } from '../../kit/log.js'
import type { Counter, CounterCell, Metrics } from '../../kit/metrics.js'
import { statusName } from '../../smpp/pdu/status.js'
import { PcapFile } from '../../smpp/sockets/pcap-file.js'
import type { SocketEndpoint, Trace } from '../../smpp/sockets/trace.js'

export type ConnectionEvent = 'bound' | 'refused' | 'failed' | 'lost' | 'unbound'
export type DeliveryKind = 'receipt' | 'inbound' | 'intermediate' | 'unreadable' | 'acknowledgement'
export type Oddity = 'stray_answer' | 'broken_pdu' | 'outbind' | 'alert_notification'

export class LinkMetrics {
  readonly #link: string
  readonly #statuses: Counter
  readonly #connections: Counter
  readonly #unknown: Counter
  readonly #deliveries: Counter
  readonly #oddities: Counter
  readonly #late: CounterCell
  readonly #throttled: CounterCell
  readonly #cells = new Map<number, CounterCell>()

  constructor(metrics: Metrics, link: string) {
    this.#link = link
    this.#statuses = metrics.counter(
      'longcode_smpp_answers_total',
      'Answers to submit_sm, by command status',
      ['link', 'status'],
    )
    this.#connections = metrics.counter(
      'longcode_smpp_connections_total',
      'What happened to connections of an SMPP link: bound, refused, failed, lost, unbound',
      ['link', 'event'],
    )
    this.#unknown = metrics.counter(
      'longcode_smpp_unknown_total',
      'Parts of messages that left and were not answered, by reason',
      ['link', 'reason'],
    )
    this.#deliveries = metrics.counter(
      'longcode_smpp_deliveries_total',
      'What the carrier brought, by kind and by how it was answered',
      ['link', 'kind', 'answer'],
    )
    this.#oddities = metrics.counter(
      'longcode_smpp_unexpected_total',
      'Unexpected PDUs of a carrier: unmatched responses, broken PDUs, outbinds, alerts',
      ['link', 'kind'],
    )
    this.#late = metrics
      .counter(
        'longcode_smpp_late_answers_total',
        'Answers that came after their message was given up as unknown',
        ['link'],
      )
      .cell(link)
    this.#throttled = metrics
      .counter(
        'longcode_smpp_throttled_total',
        'Answers by which the carrier asked for fewer messages',
        ['link'],
      )
      .cell(link)
  }

  answered(status: number): void {
    let cell = this.#cells.get(status)
    if (!cell) {
      // Vendor statuses have no name. Their number is bounded, otherwise a peer could fill our memory.
      const name = statusName(status) ?? (status < 0x1000 ? `0x${status.toString(16)}` : 'other')
      cell = this.#statuses.cell(this.#link, name)
      if (status < 0x1000) this.#cells.set(status, cell)
    }
    cell.value += 1
  }

  connection(event: ConnectionEvent): void {
    this.#connections.add(1, this.#link, event)
  }

  unknown(reason: 'timeout' | 'closed' | 'malformed'): void {
    this.#unknown.add(1, this.#link, reason)
  }

  lateAnswer(): void {
    this.#late.value += 1
  }

  throttled(): void {
    this.#throttled.value += 1
  }

  delivery(kind: DeliveryKind, isKept: boolean): void {
    this.#deliveries.add(1, this.#link, kind, isKept ? 'accepted' : 'again')
  }

  oddity(kind: Oddity): void {
    this.#oddities.add(1, this.#link, kind)
  }
}

/** Can be turned on, off, or to another file while the binds stay up. */
export class LinkTrace {
  readonly #log: Log
  readonly #clock: Clock
  #file: PcapFile | null = null
  #target = ''

  constructor({ log, clock }: { log: Log; clock: Clock }) {
    this.#log = log
    this.#clock = clock
  }

  /**
   * Null: off. `{pid}` in the name is the process ID, because each process writes its own file. A file that
   * cannot be written is logged once and loses no message.
   */
  async switchTo(file: string | null, maxBytes: number): Promise<void> {
    const target = file === null ? '' : `${file} ${maxBytes}`
    if (target === this.#target) return
    this.#target = target
    await this.#file?.close()
    this.#file = file === null ? null : this.#open(file, maxBytes)
  }

  #open(file: string, maxBytes: number): PcapFile {
    return new PcapFile({
      file: file.replaceAll('{pid}', String(process.pid)),
      maxBytes,
      now: () => this.#clock.machineNow(),
      onFailure: (error) => this.#log.error({ err: error }, 'the SMPP trace cannot be written'),
    })
  }

  /** Null: no trace. */
  connection(local: SocketEndpoint, remote: SocketEndpoint): Trace | null {
    return this.#file?.connection(local, remote) ?? null
  }
}
