// Ten thousand messages through the whole service: ten customers, one of whom sends half, batches over HTTP, a carrier
// that delivers, and a webhook per customer that gets both statuses. The resulting rows are then multiplied.

import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { Agent } from 'undici'
import type { Database } from '../../src/kit/postgres/db.js'
import { sql } from '../../src/kit/postgres/sql.js'
import { addCustomer, type Customer, startServer } from '../stage.js'

export const REAL_MESSAGES = 10_000
const CUSTOMERS = 10
const BATCH = 500
/** SENT and DELIVERED. */
const EVENTS = 2

const agent = new Agent({ connections: 16, pipelining: 1 })

export interface Reply {
  status: number
  body: Record<string, unknown>
}

export async function call(
  port: number,
  { token }: Customer,
  path: string,
  body?: object,
): Promise<Reply> {
  const reply = await agent.request({
    origin: `http://127.0.0.1:${port}`,
    path,
    method: body ? 'POST' : 'GET',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
  })
  const read = (await reply.body.json()) as Record<string, unknown>
  if (reply.statusCode >= 300) throw new Error(`${path}: ${JSON.stringify(read)}`)
  return { status: reply.statusCode, body: read }
}

/** The first of the customers sends half of all messages. */
export function customerOf(customers: readonly Customer[], nth: number): Customer {
  return nth % 2 === 0 ? customers[0]! : customers[1 + ((nth >> 1) % (customers.length - 1))]!
}

export function messageOf({ campaignId }: Customer, nth: number): object {
  const to = `+1628200${String(nth % 10_000).padStart(4, '0')}`
  return { campaign: campaignId, to, body: 'Your table is ready', metadata: { order: String(nth) } }
}

export async function startReceiver(): Promise<Server> {
  const server = createServer((request, response) => {
    request.resume()
    request.on('end', () => response.end('ok'))
  })
  server.listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  return server
}

export interface RealRows {
  customers: Customer[]
  /** The times of the first and the last row. */
  fromMs: number
  untilMs: number
}

export async function makeRealRows(
  stage: { db: Database; databaseUrl: string },
  receiver: Server,
  say: (line: string) => void,
): Promise<RealRows> {
  const customers: Customer[] = []
  for (let i = 0; i < CUSTOMERS; i += 1) customers.push(await addCustomer(stage.db))
  const server = await startServer(stage)
  const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hook`
  for (const customer of customers) {
    await call(server.port, customer, `/v1/campaign/${customer.campaignId}/webhooks`, {
      url,
      eventTypes: ['message.status'],
    })
  }
  const fromMs = Date.now()
  for (let at = 0; at < REAL_MESSAGES; at += BATCH) {
    const customer = customerOf(customers, at / BATCH)
    const messages = Array.from({ length: BATCH }, (_, i) => messageOf(customer, at + i))
    await call(server.port, customer, '/v1/message/batch', { messages })
  }
  await untilDelivered(stage.db, REAL_MESSAGES, say)
  await server.stop()
  return { customers, fromMs, untilMs: Date.now() }
}

async function untilDelivered(db: Database, messages: number, say: (line: string) => void) {
  for (let attempts = 0; attempts < 600; attempts += 1) {
    const [row] = await db.query<{ count: number }>(sql`
      select count(*)::int as count from event_arrivals`)
    if (row!.count === messages * EVENTS) return
    if (attempts % 10 === 9) say(`${row!.count} of ${messages * EVENTS} webhooks delivered`)
    await sleep(1000)
  }
  throw new Error('the messages or their webhooks did not arrive')
}
