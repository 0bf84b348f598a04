// The voice module: the numbers in memory, the trunks, the answerer, counters, and sockets. A process with the voice
// role has one. Without listeners it still answers the sandbox and switches that ask over HTTP.

import { randomBytes } from 'node:crypto'
import { BadSetting } from '../kit/settings/setting-reader.js'
import type { VoiceConfig } from '../kit/settings/voice-config.js'
import type { Loop } from '../kit/worker-loop.js'
import type { World } from '../kit/world.js'
import { createPriceBook } from '../ledger/price-book.js'
import type { SipAnswer } from '../sip/answer/answer-message.js'
import type { TrunkSettings } from '../sip/answer/trunk.js'
import { Answerer } from './answerer.js'
import { CallCounts } from './call-counts.js'
import { CallLimits } from './call-limits.js'
import { Forwardings } from './forwardings.js'
import { listenDatagrams } from './listen-datagrams.js'
import { listenStreams } from './listen-streams.js'
import type { SipListener } from './listener.js'
import { CallRecorder } from './records/call-recorder.js'
import { SipMeter } from './sip-meter.js'
import type { TrunkBook } from './trunk-book.js'
import { keepVoiceKey } from './voice-key-queries.js'

const KEY_OCTETS = 32
/** Without listeners there are only calls from this machine, so there is no limit. */
const CALLS_PER_SECOND = 1_000_000
/** A port that is free for UDP may be in use for TCP. */
const FREE_PORT_TRIES = 20

interface Listening {
  /** Port of UDP and TCP. */
  port: number
  tlsPort: number | null
  listeners: readonly SipListener[]
}

export class VoiceRoom {
  readonly forwardings: Forwardings
  readonly answerer: Answerer
  readonly calls: CallCounts
  readonly records: CallRecorder
  readonly #world: World
  readonly #trunkBook: TrunkBook
  #listening: Listening | null = null

  /** With all numbers in memory. */
  static async open(world: World, trunkBook: TrunkBook): Promise<VoiceRoom> {
    const forwardings = new Forwardings(world)
    await forwardings.load()
    return new VoiceRoom(
      world,
      trunkBook,
      forwardings,
      await keepVoiceKey(world.db, randomBytes(KEY_OCTETS)),
    )
  }

  private constructor(world: World, trunkBook: TrunkBook, forwardings: Forwardings, key: Buffer) {
    const { config } = world
    this.#world = world
    this.#trunkBook = trunkBook
    this.forwardings = forwardings
    const meter = new SipMeter(world.metrics)
    const limits = new CallLimits(config.callLimits, world.clock, (number) =>
      forwardings.ownerOf(number),
    )
    this.calls = new CallCounts(world, meter, limits)
    const prices = createPriceBook(world)
    this.records = new CallRecorder(world, { forwardings, limits, prices })
    this.answerer = new Answerer({
      find: forwardings.find,
      policy: config.forwarding,
      key,
      callsPerSecond: config.voice?.callsPerSecond ?? CALLS_PER_SECOND,
      trunks: trunkBook.trunks,
      meter,
      limits,
      onAnswered: (answered) => this.#count(answered),
    })
    trunkBook.subscribe((trunks) => this.answerer.useTrunks(trunks))
  }

  get loops(): readonly Loop[] {
    return [this.forwardings.loop, this.calls.loop, this.records.loop]
  }

  /** Each call once, however often its INVITE is repeated. */
  #count(answered: SipAnswer): void {
    const answer = this.calls.count(answered)
    if (answer !== null) this.records.note(answered, answer)
  }

  /** Null if SIP is off. */
  get listening(): Readonly<Listening> | null {
    return this.#listening
  }

  get trunks(): readonly TrunkSettings[] {
    return this.#trunkBook.trunks
  }

  /** Opens the sockets, if configured. Throws BadSetting. */
  async listen(): Promise<void> {
    const { config, log } = this.#world
    const { voice } = config
    if (voice === null) return
    try {
      this.#listening = await openListeners(voice, this.answerer)
    } catch (error) {
      const { code = (error as Error).message } = error as NodeJS.ErrnoException
      const where = `${voice.host}:${voice.port}`
      if (voice.isPortGiven || config.mode === 'production') {
        throw new BadSetting(
          `Cannot listen for SIP on ${where} (${code}). Check LONGCODE_SIP_HOST, LONGCODE_SIP_PORT, and the certificate.`,
        )
      }
      log.warn(
        { code },
        `calls are not answered: ${where} is in use, set LONGCODE_SIP_PORT to another port`,
      )
    }
  }

  /** Closes the sockets, then writes the counts. */
  async stop(): Promise<void> {
    await closeAll(this.#listening?.listeners ?? [])
    // Counts that cannot be written now are lost: one second of calls.
    await this.calls.write().catch(() => {})
    await this.records.write().catch(() => {})
  }
}

async function openListeners(voice: VoiceConfig, answerer: Answerer): Promise<Listening> {
  const { host, connectionsMax, tls } = voice
  const opened: SipListener[] = []
  try {
    opened.push(...(await openPair(voice, answerer)))
    if (tls) {
      opened.push(await listenStreams({ host, port: tls.port, tls, connectionsMax }, answerer))
    }
    return { port: opened[0]!.port, tlsPort: opened[2]?.port ?? null, listeners: opened }
  } catch (error) {
    await closeAll(opened)
    throw error
  }
}

/** UDP and TCP on one port. */
async function openPair(voice: VoiceConfig, answerer: Answerer): Promise<SipListener[]> {
  const { host, port, connectionsMax } = voice
  for (let left = port === 0 ? FREE_PORT_TRIES : 1; ; left -= 1) {
    const datagrams = await listenDatagrams({ host, port }, answerer)
    try {
      const streams = { host, port: datagrams.port, connectionsMax }
      return [datagrams, await listenStreams(streams, answerer)]
    } catch (error) {
      await datagrams.close()
      if (left === 1) throw error
    }
  }
}

async function closeAll(listeners: readonly SipListener[]): Promise<void> {
  await Promise.all(listeners.map((listener) => listener.close()))
}
