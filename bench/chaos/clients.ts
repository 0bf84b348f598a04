// Clients: some send every request with a key and retry, at any node, until they know the result. Others send no key
// and try once. Some disconnect early and retry while the first request is still in progress.

import { setTimeout as sleep } from 'node:timers/promises'
import { happens, type Random, seededRandom } from '../../src/smsc/random.js'
import { PREFIXES } from './carrier.js'
import type { Customer } from './customers.js'
import { REFUSED_PHONE } from './http-carrier.js'
import type { Journal, Request, Wanted } from './journal.js'
import { sentTextOf } from './judge/text-model.js'
import type { ServiceNode } from './service-node.js'
import { writeText } from './texts.js'

const CLIENTS = 8
const BATCH_MAX = 8
/** Average number of messages per request: a fifth are batches. */
const MESSAGES_PER_REQUEST = 1.7
const PATIENCE_MS = 4_000
const IMPATIENCE_MS = 150
const PHONES = 150
/** Timeout, in progress, rate limit: a retry may succeed. */
const MAY_PASS = new Set([408, 409, 429])
const AGAIN_MS_MAX = 1_000
/** Carriers refuse every message to them: number invalid, filtered, text too long. */
const REFUSED_PHONES = ['+15105550110', '+14155550180', REFUSED_PHONE]
/** What the simulator does depends on the last digits. */
const SIMULATED = ['0110', '0120', '0130', '0140', '0150', '0160', '0170', '0180']
const NEVER_ACCEPTS = '0160'
const SCHEDULED_PERCENT = 6
const SCHEDULED_MS = [2_000, 10_000] as const
const CANCELED_PERCENT = 50
const CANCELED_AFTER_MS = 3_000
const VALIDITY_SECONDS_MIN = 60
/** More would wait for hours toward AT&T. */
const ATT_OVER_LIMIT = 1.5

export interface Crowd {
  customers: readonly Customer[]
  nodes: readonly ServiceNode[]
  journal: Journal
  /** Nobody waits for responses any more. */
  abandoned: AbortSignal
}

export interface Clients {
  /** Starts no new requests. Resolves when the last one has its response or has been abandoned. */
  end: () => Promise<void>
}

export function startClients(crowd: Crowd, seed: number, rate: number): Clients {
  let isOver = false
  const cancels: Promise<void>[] = []
  const pauseMs = (CLIENTS * MESSAGES_PER_REQUEST * 1000) / rate
  const client = async (index: number): Promise<void> => {
    const random = seededRandom(seed + index)
    while (!isOver && !crowd.abandoned.aborted) {
      const request = newRequest(crowd, random)
      crowd.journal.add(request)
      const asked = ask(crowd, request, random)
      await Promise.all([asked, sleep(pauseMs * (0.5 + random()))])
      const canceled = request.wanted.filter(
        ({ scheduledAtMs, answer }) =>
          scheduledAtMs !== null && answer === 'accepted' && happens(random, CANCELED_PERCENT),
      )
      for (const wanted of canceled) cancels.push(cancel(crowd, wanted, random))
    }
  }
  const clients = Array.from({ length: CLIENTS }, (_, i) => client(i))
  return {
    end: async () => {
      isOver = true
      await Promise.all(clients)
      await Promise.all(cancels)
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
  const messages = wanted.map((one) => ({
    ...{ campaign: campaignId, to: one.to, body: one.written, metadata: one.metadata },
    ...(one.scheduledAtMs !== null && { scheduledAt: new Date(one.scheduledAtMs).toISOString() }),
    ...(one.validitySeconds !== null && { validitySeconds: one.validitySeconds }),
  }))
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
  to = phoneOf(customer, random),
): Omit<Wanted, 'request'> {
  const start = journal.nextStart()
  const written = writeText(start, random)
  const isScheduled = happens(random, SCHEDULED_PERCENT)
  const [soonest, latest] = SCHEDULED_MS
  const now = Date.now()
  return {
    ...{ customer, text: sentTextOf(written), written, to, askedAtMs: now, acceptedAtMs: null },
    scheduledAtMs: isScheduled ? Math.round(now + soonest + random() * (latest - soonest)) : null,
    validitySeconds: to.endsWith(NEVER_ACCEPTS) ? VALIDITY_SECONDS_MIN : null,
    metadata: happens(random, 30) ? { order: start } : {},
    ...{ answer: 'open', id: null, code: null, cancel: 'none' },
  }
}

function phoneOf(customer: Customer, random: Random): string {
  if (happens(random, 3)) return pick(REFUSED_PHONES, random)
  const { digits, link, network } = pick(PREFIXES, random)
  if (network === 'att' && !takeAttShare(customer)) return phoneOf(customer, random)
  if (link === 'simulator' && happens(random, 25)) return `${digits}555${pick(SIMULATED, random)}`
  return `${digits}300${1000 + Math.floor(random() * PHONES)}`
}

const attShares = new Map<Customer, { minute: number; count: number }>()

/** Whether the customer may send one more message to AT&T in this minute. */
function takeAttShare(customer: Customer): boolean {
  const minute = Math.floor(Date.now() / 60_000)
  const share = attShares.get(customer)
  const count = share?.minute === minute ? share.count + 1 : 1
  if (count > customer.limits.smsTpmAtt * ATT_OVER_LIMIT) return false
  attShares.set(customer, { minute, count })
  return true
}

/** Requests it once, at any time before or after it is sent. */
async function cancel({ nodes }: Crowd, wanted: Wanted, random: Random): Promise<void> {
  await sleep(random() * CANCELED_AFTER_MS)
  const apis = nodes.filter(({ isApi }) => isApi)
  wanted.cancel = 'asked'
  const reply = await fetch(`${pick(apis, random).address}/v1/message/${wanted.id}`, {
    method: 'DELETE',
    headers: { authorization: `Bearer ${wanted.customer.token}` },
    signal: AbortSignal.timeout(PATIENCE_MS),
  }).catch(() => null)
  if (reply?.ok) wanted.cancel = 'confirmed'
  else if (reply?.status === 409) wanted.cancel = 'none'
}

/** With a key: retries until it gets a response. Without: tries once. */
export async function ask(crowd: Crowd, request: Request, random: Random): Promise<void> {
  for (;;) {
    const isSettled = await askOnce(crowd, request, random)
    if (isSettled || request.key === null || crowd.abandoned.aborted) return
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
