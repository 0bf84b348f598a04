// Phones that reply with a text, STOP, and later START. After its STOP is acknowledged, every send to a phone must be
// refused until its START.

import { setTimeout as sleep } from 'node:timers/promises'
import { type Random, seededRandom } from '../../src/smsc/random.js'
import { type ChaosCarrier, PREFIXES, prefixOf } from './carrier.js'
import { ask, type Crowd, newWanted, pick, requestOf } from './clients.js'
import type { Customer } from './customers.js'
import type { Stopped } from './journal.js'

const PHONES = 4
const REST_MS = 1_500
const SENDS_AFTER_STOP = 3

export interface Phones {
  end: () => Promise<void>
}

export function startPhones(crowd: Crowd, carriers: readonly ChaosCarrier[], seed: number): Phones {
  let isOver = false
  const phone = async (index: number): Promise<void> => {
    const random = seededRandom(seed + index)
    const customer = crowd.customers[index % crowd.customers.length]!
    const { digits } = PREFIXES[index % PREFIXES.length]!
    const own = new Phone(crowd, carriers, customer, `${digits}400${1000 + index}`, random)
    while (!isOver) {
      await own.round(index)
      await sleep(REST_MS * random())
    }
  }
  const phones = Array.from({ length: PHONES }, (_, i) => phone(i))
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
    await this.#send()
    this.#words += 1
    const text = `Reply ${this.#words} of phone ${index}`
    if (await this.#write(text)) journal.inbound.push({ customer, from: number, text })
    await this.#send()
    if (!(await this.#write('STOP'))) return
    const stopped: Stopped = {
      customer,
      phone: number,
      fromMs: Date.now(),
      untilMs: Number.POSITIVE_INFINITY,
    }
    journal.stopped.push(stopped)
    for (let i = 0; i < SENDS_AFTER_STOP; i += 1) await this.#send()
    stopped.untilMs = Date.now()
    await this.#write('START')
  }

  async #write(text: string): Promise<boolean> {
    const { link } = prefixOf(this.number)
    const carrier = this.carriers.find(({ name }) => name === link)!
    return carrier.write(this.number, this.customer.number, text)
  }

  async #send(): Promise<void> {
    const { crowd, customer, number, random } = this
    const wanted = newWanted(crowd.journal, customer, random, number)
    const key = `phone ${crowd.journal.requests.length} ${pick(['a', 'b'], random)}`
    const request = requestOf(customer, [wanted], key, false)
    crowd.journal.add(request)
    await ask(crowd, request, random)
  }
}
