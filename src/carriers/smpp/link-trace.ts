// The trace of a link, which may be switched on, off and to another file while its binds stand.

import type { Clock } from '../../kit/clock.js'
import type { Log } from '../../kit/log.js'
import { PcapFile } from '../../smpp/sockets/pcap-file.js'
import type { Endpoint, Trace } from '../../smpp/sockets/trace.js'

export class LinkTrace {
  readonly #log: Log
  readonly #clock: Clock
  #file: PcapFile | null = null
  #wanted = ''

  constructor({ log, clock }: { log: Log; clock: Clock }) {
    this.#log = log
    this.#clock = clock
  }

  /**
   * Null: off. `{pid}` in the name is the number of the process, since each writes a file of its own. One that
   * cannot be written is logged, once, and costs no message.
   */
  async switchTo(file: string | null, maxOctets: number): Promise<void> {
    const wanted = file === null ? '' : `${file} ${maxOctets}`
    if (wanted === this.#wanted) return
    this.#wanted = wanted
    await this.#file?.close()
    this.#file = file === null ? null : this.#open(file, maxOctets)
  }

  #open(file: string, maxOctets: number): PcapFile {
    return new PcapFile({
      file: file.replaceAll('{pid}', String(process.pid)),
      maxOctets,
      now: () => this.#clock.machineNow(),
      onFailure: (error) => this.#log.error({ err: error }, 'the SMPP trace cannot be written'),
    })
  }

  /** Null: nobody looks on. */
  connection(local: Endpoint, remote: Endpoint): Trace | null {
    return this.#file?.connection(local, remote) ?? null
  }
}
