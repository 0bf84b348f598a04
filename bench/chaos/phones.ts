// Phones that reply with a text, STOP, and later START. After its STOP is acknowledged, every send to a phone must be
// refused until its START, alone, in a batch, or scheduled, and messages that were scheduled before must not leave. Other
// phones only write.

import { setTimeout as sleep } from 'node:timers/promises'
import { happens, type Random, seededRandom } from '../../src/smsc/random.js'
import { type ChaosCarrier, PREFIXES, prefixOf } from './carrier.js'
import { ask, type Crowd, newWanted, pick, requestOf } from './clients.js'
import type { Customer } from './customers.js'
import type { InboundText, Stopped } from './journal.js'

const PHONES = 6
const REST_MS = 1_500
const WRITERS = 6
const WRITE_EVERY_MS = 2_000
/** After the STOP, and before the START. */
const SCHEDULED_MS = 4_000
const START_AFTER_MS = 3_000
const LONG = ' I have much more to say about it.'.repeat(6)
const OTHER = '+15103009999'
/** Phones of the simulator cannot write over a network. */
const WRITING = PREFIXES.filter(({ link }) => link !== 'simulator')

export interface Phones {
  end: () => Promise<void>
}

export function startPhones(crowd: Crowd, carriers: readonly ChaosCarrier[], seed: number): Phones {
  let isOver = false
  const phone = async (index: number): Promise<void> => {
    const random = seededRandom(seed + index)
    const customer = crowd.customers[index % crowd.customers.length]!
    const { digits } = WRITING[index % WRITING.length]!
    const own = new Phone(crowd, carriers, customer, `${digits}400${1000 + index}`, random)
    while (!isOver && !crowd.abandoned.aborted) {
      await own.round(index)
      await sleep(REST_MS * random())
    }
  }
  const writer = async (index: number): Promise<void> => {
    const random = seededRandom(seed + PHONES + index)
    const customer = crowd.customers[index % crowd.customers.length]!
    const { digits } = WRITING[index % WRITING.length]!
    const own = new Phone(crowd, carriers, customer, `${digits}500${1000 + index}`, random)
    while (!isOver && !crowd.abandoned.aborted) {
      await own.reply(index)
      await sleep(WRITE_EVERY_MS * random())
    }
  }
  const phones = [
    ...Array.from({ length: PHONES }, (_, i) => phone(i)),
    ...Array.from({ length: WRITERS }, (_, i) => writer(PHONES + i)),
  ]
  return {
    end: async () => {
      isOver = true
      await Promise.all(phones)
    },
  }
}

class Phone {
  #words = 0

  constructor(
    readonly crowd: Crowd,
    readonly carriers: readonly ChaosCarrier[],
    readonly customer: Customer,
    readonly number: string,
    readonly random: Random,
  ) {}

  async round(index: number): Promise<void> {
    const { journal } = this.crowd
    const { customer, number } = this
    await this.#send(1)
    await this.reply(index)
    const dueAtMs = Date.now() + SCHEDULED_MS
    await this.#send(1, dueAtMs)
    // Each time in another way: a carrier without ids cannot tell a repeated text from its repetition.
    if (!(await this.#write(`Stop${'.'.repeat(this.#words)}`))) return
    const stopped: Stopped = {
      customer,
      phone: number,
      fromMs: Date.now(),
      untilMs: Number.POSITIVE_INFINITY,
    }
    journal.stopped.push(stopped)
    await this.#send(1)
    await this.#send(2)
    await this.#send(1, Date.now() + SCHEDULED_MS)
    await sleep(Math.max(0, dueAtMs + START_AFTER_MS - Date.now()))
    stopped.untilMs = Date.now()
    await this.#write(`Start${'!'.repeat(this.#words)}`)
  }

  /** A unique text, sometimes a long one. */
  async reply(index: number): Promise<void> {
    this.#words += 1
    const more = happens(this.random, 20) ? LONG : ''
    await this.#write(`Reply ${this.#words} of phone ${index}.${more}`)
  }

  async #write(text: string): Promise<boolean> {
    const { link } = prefixOf(this.number)
    const carrier = this.carriers.find(({ name }) => name === link)!
    const written: InboundText = {
      customer: this.customer,
      from: this.number,
      text,
      writtenAtMs: Date.now(),
      keptAtMs: null,
    }
    this.crowd.journal.inbound.push(written)
    const isKept = await carrier.write(this.number, this.customer.number, text)
    if (isKept) written.keptAtMs = Date.now()
    return isKept
  }

  async #send(count: number, scheduledAtMs: number | null = null): Promise<void> {
    const { crowd, customer, number, random } = this
    // In a batch, this phone comes last.
    const wanted = Array.from({ length: count }, (_, i) => ({
      ...newWanted(crowd.journal, customer, random, i === count - 1 ? number : OTHER),
      scheduledAtMs,
    }))
    const key = `phone ${crowd.journal.requests.length} ${pick(['a', 'b'], random)}`
    const request = requestOf(customer, wanted, key, count > 1)
    crowd.journal.add(request)
    await ask(crowd, request, random)
  }
}
