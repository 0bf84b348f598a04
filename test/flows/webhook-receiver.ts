// A programmable webhook receiver on loopback, and events written as the messages module writes them.

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import type { TestContext } from 'node:test'
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { insertEvent } from '../../src/events/append-queries.js'
import type { Event } from '../../src/events/event.js'
import { newId } from '../../src/kit/ids.js'
import { type RunningLoop, startLoop } from '../../src/kit/worker-loop.js'
import { describeMessages } from '../../src/messages/message-room.js'
import { MESSAGE_EXAMPLE } from '../../src/messages/message-wire.js'
import { Deliverer, type DelivererOptions } from '../../src/webhooks/deliver/deliverer.js'
import { activeCampaign } from '../fixtures.js'
import { eventually, type Json, type TestService, testService } from '../harness.js'
import { takeTurns } from '../turns.js'

export interface Received {
  path: string
  headers: IncomingHttpHeaders
  /** Names and values in turn, as received. */
  rawHeaders: string[]
  text: string
  // biome-ignore lint/suspicious/noExplicitAny: tests read events without types
  event: any
}

export type Behave = (response: ServerResponse, received: Received, count: number) => void

export interface WebhookReceiver {
  url: string
  received: Received[]
  /** What it does with the requests from now on. Default: responds 200. */
  behave: (behave: Behave) => void
  connections: () => number
}

export async function webhookReceiver(
  t: Pick<TestContext, 'after'>,
  first: Behave = (response) => response.end('ok'),
): Promise<WebhookReceiver> {
  const received: Received[] = []
  const faults: string[] = []
  const sockets = new Set<Socket>()
  let behave = first
  let connections = 0
  const server = createServer(async (request, response) => {
    let text = ''
    try {
      for await (const chunk of request) text += chunk
    } catch {
      return // the sender was stopped in the middle
    }
    const { url, headers, rawHeaders } = request
    const one = { path: url ?? '', headers, rawHeaders, text, event: JSON.parse(text) }
    const fault = unlikeDeclared(one.event)
    if (fault) faults.push(fault)
    received.push(one)
    behave(response, one, received.length)
  })
  server.on('connection', (socket) => {
    connections += 1
    sockets.add(socket)
    socket.on('error', () => {})
    socket.on('close', () => sockets.delete(socket))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
    assert.deepEqual(faults, [], 'every event matches openapi.json')
  })
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    received,
    behave: (next) => {
      behave = next
    },
    connections: () => connections,
  }
}

interface Declared {
  components: object
  webhooks: Record<
    string,
    { post: { requestBody: { content: Record<string, { schema: object }> } } }
  >
}

const declared = JSON.parse(readFileSync('openapi.json', 'utf8')) as Declared
const ajv = new Ajv2020({ strict: false, allErrors: true })
addFormats.default(ajv)
const checks = new Map<string, ValidateFunction>()

/** Null if the event matches openapi.json under `webhooks`, otherwise what is wrong with it. */
function unlikeDeclared(event: Json): string | null {
  const kind = String(event.eventType)
  const content = declared.webhooks[kind]?.post.requestBody.content['application/json']
  if (!content) return `openapi.json declares no event ${kind}`
  const check = checks.get(kind) ?? ajv.compile({ ...content.schema, ...declared })
  checks.set(kind, check)
  return check(withMessage(event))
    ? null
    : `${ajv.errorsText(check.errors)} in ${JSON.stringify(event)}`
}

// An invented event has no message, so fields that only a message has come from the example.
function withMessage(event: Json): Json {
  const data = event.data as { message?: Json }
  if (!data.message || 'type' in data.message) return event
  return { ...event, data: { ...data, message: { ...MESSAGE_EXAMPLE, ...data.message } } }
}

const ALL_TYPES = ['message.incoming', 'message.status', 'recipient.optout']

/** Creates a webhook as a customer would, and returns it. */
export async function createWebhook(
  service: TestService,
  campaignId: string,
  url: string,
  fields: Json = {},
  options: Parameters<TestService['post']>[2] = {},
) {
  const { status, body } = await service.post(
    `/v1/campaign/${campaignId}/webhooks`,
    { url, eventTypes: ALL_TYPES, ...fields },
    options,
  )
  if (status !== 200) throw new Error(`webhook refused: ${JSON.stringify(body)}`)
  return body.webhook
}

export type EventFields = Partial<Event> & Pick<Event, 'campaignId'>

/** Appends an event as a change of a message does, and sends the same hint. */
export async function happen(service: TestService, fields: EventFields): Promise<string> {
  const { db, clock, hints } = service.world
  const now = clock.now()
  const id = newId('evt', now)
  await db.transaction((tx) =>
    insertEvent(tx, {
      id,
      accountId: service.accountId,
      eventType: 'message.status',
      number: '+14152000001',
      messageId: newId('msg', now),
      sequence: 1,
      status: 'SENT',
      previousStatus: 'QUEUED',
      errorCode: null,
      errorMessage: null,
      data: null,
      createdAt: now,
      ...fields,
    }),
  )
  hints.notify('deliveries')
  return id
}

export interface WebhookStage {
  service: TestService
  campaignId: string
  receiver: WebhookReceiver
  // biome-ignore lint/suspicious/noExplicitAny: tests read replies without types
  webhook: any
  happen: (fields?: Partial<Event>) => Promise<string>
  /** The deliveries as the API shows them, newest first. */
  // biome-ignore lint/suspicious/noExplicitAny: tests read replies without types
  deliveries: (query?: string) => Promise<any[]>
  /** Waits until this many requests have arrived. */
  arrived: (count: number) => Promise<Received[]>
  advance: (seconds: number) => Promise<void>
  /** Stops the deliverer as a process that ends does. */
  stop: () => Promise<void>
}

/** A webhook with its receiver, and a deliverer whose requests have enough time on a busy machine. */
export async function webhookStage(
  t: TestContext,
  behave?: Behave,
  options: { timeoutMs?: number; fields?: Json } = {},
): Promise<WebhookStage> {
  let stop = async (): Promise<void> => {}
  t.after(() => stop()) // in order of registration: before the service's database is closed
  const service = await testService(t)
  const { campaignId } = await activeCampaign(service)
  const receiver = await webhookReceiver(t, behave)
  const webhook = await createWebhook(service, campaignId, receiver.url, options.fields)
  stop = runDeliverer(service, options).stop
  return {
    service,
    campaignId,
    receiver,
    webhook,
    stop,
    happen: (fields = {}) => happen(service, { campaignId, ...fields }),
    deliveries: async (query = '') => {
      const { body } = await service.get(`/v1/webhook/${webhook.id}/deliveries${query}`)
      return body.deliveries
    },
    arrived: (count) =>
      eventually(
        async () => receiver.received.length >= count && receiver.received,
        `${count} requests`,
      ),
    advance: async (seconds) => {
      const { status } = await service.post('/sandbox/clock/advance', { seconds })
      if (status !== 200) throw new Error(`clock not moved: ${status}`)
    },
  }
}

/** A deliverer in addition to the service's own. The caller stops it. */
export function runDeliverer(
  { world }: TestService,
  { timeoutMs = 60_000, direct }: Pick<DelivererOptions, 'timeoutMs' | 'direct'> = {},
): RunningLoop {
  const loop = new Deliverer(world, describeMessages, { timeoutMs, ...(direct && { direct }) }).loop
  takeTurns(world)
  return startLoop(loop, world.hints)
}

/** The newest delivery, once it has this many attempts. */
export function triedTimes({ deliveries }: WebhookStage, count: number) {
  return eventually(async () => {
    const [delivery] = await deliveries()
    return delivery?.attempts.length >= count && delivery
  }, `${count} attempts`)
}
