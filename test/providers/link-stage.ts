// A link to a provider whose responses the test decides, and everything that the link reports.

import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import type { TestContext } from 'node:test'
import { CallbackAddress } from '../../src/carriers/providers/callbacks.js'
import { createHttpLink, type HttpLinkSettings } from '../../src/carriers/providers/http-link.js'
import { Clock } from '../../src/kit/clock.js'
import { openLog } from '../../src/kit/log.js'
import { Metrics } from '../../src/kit/metrics.js'
import type { CallbackRequest } from '../../src/messages/carrier-http.js'
import type { Carrier, Inbound, PhoneFacts, Receipt } from '../../src/messages/carrier-port.js'
import { messagesOf, type ProviderName } from './provider-messages.js'

export const BASE = 'https://ours.test/carrier/acme'

/** A response, or what happens in place of it. */
type Answer =
  | 'cut'
  | { status: number; body?: unknown; headers?: Record<string, string> }
  | Promise<{ status: number; body?: unknown }>

class Heard {
  readonly receipts: Receipt[] = []
  readonly inbounds: Inbound[] = []
  readonly learned: [number: string, facts: PhoneFacts][] = []
  readonly refusedSenders: [number: string, code: string | null][] = []
  readonly registered: unknown[] = []
  /** The next receipt or inbound message cannot be stored. */
  isBroken = false
}

/** Its real time is the test's. */
class TestClock extends Clock {
  realTime = new Date('2026-11-16T12:00:00Z')

  override machineNow(): Date {
    return this.realTime
  }
}

export async function linkStage(
  t: TestContext,
  name: ProviderName,
  settings: Partial<HttpLinkSettings> = {},
) {
  const requests: { method: string; path: string; body: string }[] = []
  const answers: { message: Answer; other: Answer } = {
    message: { status: 500 },
    other: { status: 200 },
  }
  const server = createServer(async (request, response) => {
    const { method = '', url: path = '' } = request
    const body = await text(request)
    const isMessage = method === 'POST' && /messages(?:\.json)?$/i.test(path)
    const isProbe = method === 'GET' && /(?:limit=1|PageSize=1|page\[size\]=1)$/.test(path)
    if (!isProbe) requests.push({ method, path, body })
    const answer = await (isMessage ? answers.message : answers.other)
    if (answer === 'cut') return request.socket.destroy()
    const { status, body: reply = {}, headers = {} } = { headers: {}, ...answer }
    return response.writeHead(status, headers).end(JSON.stringify(reply))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const stopPeer = async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  }
  t.after(stopPeer)
  const [metrics, heard] = [new Metrics(), new Heard()]
  const clock = new TestClock()
  const logged: Record<string, unknown>[] = []
  const log = openLog('info', { write: (line) => void logged.push(JSON.parse(line)) })
  const address = new CallbackAddress(BASE, 'secret')
  const link = createHttpLink(
    {
      ...{ name: 'acme', kind: name, concurrency: 3, perSecond: null, shared: false },
      ...{ timeoutMs: 60_000, probeIntervalMs: 3_600_000, settleMs: 7_000, hasLookUps: false },
      ...{ media: { bytesMax: 1, otherBytesMax: 2 }, unknown: { mayRepeat: false }, ...settings },
    },
    {
      ...{ messages: messagesOf(name, { url, lookUpUrl: url }), address, clock },
      ...{ log, metrics },
    },
  )
  t.after(() => link.stop())
  /** Callbacks and facts arrive only after this. */
  const start = () => link.start(listenerOf(heard))
  const unmapped = () => {
    const counter = metrics.counters().find(({ name }) => name.includes('unmapped_codes'))!
    return counter.samples().map(({ labels, value }) => [labels.join(' '), value])
  }
  return { link, start, requests, answers, heard, address, url, clock, logged, unmapped, stopPeer }
}

function listenerOf(heard: Heard): Parameters<Carrier['start']>[0] {
  const store = () => {
    if (!heard.isBroken) return
    heard.isBroken = false
    throw new Error('the database is away')
  }
  return {
    receipt: async (receipt) => {
      store()
      heard.receipts.push(receipt)
    },
    inbound: async (inbound) => {
      store()
      heard.inbounds.push(inbound)
      return { messageId: null }
    },
    lateAnswer: async () => {},
    learned: (number, facts) => void heard.learned.push([number, facts]),
    senderRefused: (number, code) => void heard.refusedSenders.push([number, code]),
    registered: async (record) => void heard.registered.push(record),
  }
}

/** A callback to the link's address, or to a path after it. */
export const callbackTo = (
  path: string,
  body: string,
  headers: Record<string, string> = {},
  method = 'POST',
): CallbackRequest => ({ method, path, query: {}, headers, body: Buffer.from(body) })
