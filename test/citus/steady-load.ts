// Customers that keep sending while something happens to their cluster. Each retries a request with its key until it
// gets a response, as clients do. At the end, each accepted message is DELIVERED and charged once.

import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { activeCampaign, buyNumber } from '../fixtures.js'
import { eventually, type TestService } from '../harness.js'
import { assertDollars, SMS_PRICE, VZW } from '../sending.js'

const CUSTOMERS = 4
const PAUSE_MS = 100
const RETRY_MS = 300

interface Customer {
  accountId: string
  token: string
  campaignId: string
  balance: number
  /** IDs of accepted messages. */
  sent: string[]
}

export class SteadyLoad {
  readonly customers: Customer[] = []
  readonly #service: TestService
  readonly #clients: Promise<void>[] = []
  /** Responses that were neither a success nor a reason to retry. */
  readonly #refused: string[] = []
  #retries = 0
  #isOver = false
  #isPaused = false
  #sending = 0

  private constructor(service: TestService) {
    this.#service = service
  }

  static async start(t: TestContext, service: TestService): Promise<SteadyLoad> {
    const load = new SteadyLoad(service)
    while (load.customers.length < CUSTOMERS) {
      const { accountId, token } = await service.otherAccount('50')
      const { campaignId } = await activeCampaign(service, { accountId })
      await buyNumber(service, campaignId, { token })
      const { body } = await service.get('/v1/account', { token })
      load.customers.push({ accountId, token, campaignId, balance: body.account.balance, sent: [] })
    }
    for (const customer of load.customers) load.#clients.push(load.#send(customer))
    t.after(() => load.#stop())
    await load.progress()
    return load
  }

  get retries(): number {
    return this.#retries
  }

  /** Every customer has sent something since now. */
  async progress(): Promise<void> {
    const before = this.customers.map(({ sent }) => sent.length)
    const haveAll = async () => this.customers.every(({ sent }, i) => sent.length > before[i]! + 2)
    await eventually(haveAll, 'all customers send')
  }

  /** Nobody sends while `work` runs, and nothing is under way. */
  async paused<T>(work: () => Promise<T>): Promise<T> {
    this.#isPaused = true
    await eventually(async () => this.#sending === 0, 'requests end')
    for (const { token, sent } of this.customers) {
      for (const id of sent) await this.#delivered(id, token)
    }
    try {
      return await work()
    } finally {
      this.#isPaused = false
    }
  }

  /** Ends the load. Nothing is lost, and nothing is charged twice. */
  async finish(): Promise<void> {
    await this.#stop()
    assert.deepEqual(this.#refused, [])
    for (const { token, sent, balance } of this.customers) {
      for (const id of sent) await this.#delivered(id, token)
      const { body } = await this.#service.get('/v1/account', { token })
      assertDollars(body.account.balance, balance - sent.length * SMS_PRICE)
    }
  }

  async #stop(): Promise<void> {
    this.#isOver = true
    await Promise.all(this.#clients)
  }

  async #delivered(id: string, token: string): Promise<void> {
    await eventually(async () => {
      const { body } = await this.#service.get(`/v1/message/${id}`, { token })
      return body.message?.status === 'DELIVERED'
    }, `${id} DELIVERED`)
  }

  async #send(customer: Customer): Promise<void> {
    for (let i = 0; !this.#isOver; i += 1) {
      while (this.#isPaused) await sleep(PAUSE_MS)
      this.#sending += 1
      const id = await this.#sendOnce(customer, `${customer.accountId}-${i}`)
      this.#sending -= 1
      if (id) customer.sent.push(id)
      await sleep(PAUSE_MS)
    }
  }

  async #sendOnce({ token, campaignId }: Customer, key: string): Promise<string | null> {
    for (;;) {
      const reply = await this.#service.post(
        '/v1/message/send',
        { campaign: campaignId, to: VZW, body: `Steady ${key}` },
        { token, headers: { 'idempotency-key': key } },
      )
      if (reply.status === 200) return reply.body.id
      if (reply.status !== 503 && reply.status !== 409) {
        this.#refused.push(`${reply.status} ${JSON.stringify(reply.body)}`)
        return null
      }
      this.#retries += 1
      await sleep(RETRY_MS)
    }
  }
}
