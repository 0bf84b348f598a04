// Clients: some send every request with a key and retry, at any node, until they know the result. Others send no key
// and try once. Some disconnect early and retry while the first request is still in progress.

import { setTimeout as sleep } from 'node:timers/promises'
import { happens, type Random, seededRandom } from '../../src/smsc/random.js'
import { PREFIXES } from './carrier.js'
import type { Customer } from './customers.js'
import type { Journal, Request, Wanted } from './journal.js'
import type { ServiceNode } from './service-node.js'

const CLIENTS = 8
const BATCH_MAX = 8
/** Average number of messages per request: a fifth are batches. */
const MESSAGES_PER_REQUEST = 1.7
const PATIENCE_MS = 4_000
const IMPATIENCE_MS = 150
const PHONES = 150
/** Timeout, in progress, rate limit: a retry may succeed. */
const MAY_PASS = new Set([408, 409, 429])
const LONG = 220
const SHORT = 24
const AGAIN_MS_MAX = 1_000
/** Refuses every message: the carrier reports 1350, which costs nothing. */
const INVALID_PHONE = '+15105550110'

export interface Crowd {
  customers: readonly Customer[]
  nodes: readonly ServiceNode[]
  journal: Journal
}

export interface Clients {
  /** Starts no new requests. Resolves when the last one has its response or has been abandoned. */
  end: () => Promise<void>
}

export function startClients(crowd: Crowd, seed: number, rate: number): Clients {
  let isOver = false
  const pauseMs = (CLIENTS * MESSAGES_PER_REQUEST * 1000) / rate
  const client = async (index: number): Promise<void> => {
    const random = seededRandom(seed + index)
    while (!isOver) {
      const request = newRequest(crowd, random)
      crowd.journal.add(request)
      const asked = ask(crowd, request, random)
      await Promise.all([asked, sleep(pauseMs * (0.5 + random()))])
    }
  }
  const clients = Array.from({ length: CLIENTS }, (_, i) => client(i))
  return {
    end: async () => {
      isOver = true
      await Promise.all(clients)
    },
  }
}

function newRequest({ customers, journal }: Crowd, random: Random): Request {
  const customer = pick(customers, random)
  const isBatch = happens(random, 20)
  const key = isBatch || happens(random, 65) ? `key ${journal.requests.length}` : null
  const count = isBatch ? 2 + Math.floor(random() * (BATCH_MAX - 1)) : 1
  const wanted = Array.from({ length: count }, () => newWanted(journal, customer, random))
  return requestOf(customer, wanted, key, isBatch)
}

export function requestOf(
  { campaignId }: Customer,
  wanted: Omit<Wanted, 'request'>[],
  key: string | null,
  isBatch: boolean,
): Request {
  const messages = wanted.map(({ to, text }) => ({ campaign: campaignId, to, body: text }))
  const body = JSON.stringify(isBatch ? { messages } : messages[0])
  const request: Request = {
    path: isBatch ? '/v1/message/batch' : '/v1/message/send',
    key,
    body,
    wanted: [],
    unanswered: 0,
  }
  request.wanted.push(...wanted.map((one) => Object.assign(one, { request })))
  return request
}

export function newWanted(
  journal: Journal,
  customer: Customer,
  random: Random,
  to = phoneOf(random),
): Omit<Wanted, 'request'> {
  const text = journal.nextText(happens(random, 10) ? LONG : SHORT)
  return { customer, text, to, askedAtMs: Date.now(), answer: 'open', id: null, code: null }
}

function phoneOf(random: Random): string {
  if (happens(random, 2)) return INVALID_PHONE
  const { digits } = pick(PREFIXES, random)
  return `${digits}300${1000 + Math.floor(random() * PHONES)}`
}

/** With a key: retries until it gets a response. Without: tries once. */
export async function ask(crowd: Crowd, request: Request, random: Random): Promise<void> {
  for (;;) {
    const isSettled = await askOnce(crowd, request, random)
    if (isSettled || request.key === null) return
    await sleep(100 + random() * AGAIN_MS_MAX)
  }
}

/** Whether the response contains the result. */
export async function askOnce(
  { nodes, journal }: Pick<Crowd, 'nodes' | 'journal'>,
  request: Request,
  random: Random,
): Promise<boolean> {
  const apis = nodes.filter(({ isApi }) => isApi)
  const isHasty = request.key !== null && happens(random, 4)
  const reply = await call(pick(apis, random), request, isHasty ? IMPATIENCE_MS : PATIENCE_MS)
  if (!reply) {
    journal.silent += 1
    request.unanswered += 1
    return false
  }
  const { status, body } = reply
  journal.countAnswer(status, body.code ?? '')
  if (status >= 500 || MAY_PASS.has(status)) return false
  if (status !== 200) {
    for (const wanted of request.wanted) journal.refuse(wanted, body.code ?? String(status))
    return true
  }
  const results = body.results ?? [{ success: true, id: body.id! }]
  for (const [i, wanted] of request.wanted.entries()) {
    const result = results[i]
    if (result?.success) journal.accept(wanted, result.id)
    else journal.refuse(wanted, result?.code ?? 'no result')
  }
  return true
}

interface Answer {
  status: number
  body: {
    id?: string
    code?: string
    results?: ({ success: true; id: string } | { success: false; code: string })[]
  }
}

async function call(node: ServiceNode, request: Request, ms: number): Promise<Answer | null> {
  const { path, key, body, wanted } = request
  try {
    const reply = await fetch(`${node.address}${path}`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${wanted[0]!.customer.token}`,
        'content-type': 'application/json',
        ...(key !== null && { 'idempotency-key': key }),
      },
      body,
      signal: AbortSignal.timeout(ms),
    })
    return { status: reply.status, body: (await reply.json()) as Answer['body'] }
  } catch {
    return null // refused, cut, or timed out
  }
}

export function pick<T>(items: readonly T[], random: Random): T {
  return items[Math.floor(random() * items.length)]!
}
