// An SMPP link in a test, with everything it reported to its listener.

import type { TestContext } from 'node:test'
import { pino } from 'pino'
import { createSmppLink, type SmppLink } from '../src/carriers/smpp/smpp-link.js'
import type { SmppLinkSettings } from '../src/carriers/smpp/smpp-settings.js'
import { Clock } from '../src/kit/clock.js'
import { Metrics } from '../src/kit/metrics.js'
import type { CarrierListener, Inbound, LateAnswer, Receipt } from '../src/messages/carrier-port.js'
import { noteCounts } from './seen.js'
import { linkSettings } from './smpp-fixtures.js'
import type { TestPeer } from './smpp-peer.js'
import { until } from './until.js'

export interface TestLink {
  link: SmppLink
  clock: Clock
  receipts: Receipt[]
  inbound: Inbound[]
  late: LateAnswer[]
  /** Log lines. */
  logged: string[]
  /** The value of a counter of the link, by its other labels. */
  count: (name: string, ...labels: string[]) => number
}

interface LinkOptions {
  settings?: Partial<SmppLinkSettings>
  listener?: Partial<CarrierListener>
  limits?: { waitMaxMs: number; takeMaxMs: number; pollEveryMs: number }
  /** Whether to wait until every bind is up. */
  isAwaited?: boolean
}

export async function startLink(
  t: TestContext,
  peer: Pick<TestPeer, 'port'>,
  { settings, listener, limits, isAwaited = true }: LinkOptions = {},
): Promise<TestLink> {
  const metrics = new Metrics()
  const clock = new Clock()
  const logged: string[] = []
  const log = pino({ level: 'debug' }, { write: (line: string) => void logged.push(line) })
  const reconnect = { firstMs: 20, maxMs: 100 }
  const whole = linkSettings({ port: peer.port, reconnect, ...settings })
  const link = createSmppLink(whole, {
    clock,
    log,
    metrics,
    ...(limits && { limits }),
  })
  const told = { receipts: [] as Receipt[], inbound: [] as Inbound[], late: [] as LateAnswer[] }
  await link.start({
    receipt: async (receipt) => void told.receipts.push(receipt),
    inbound: async (inbound) => {
      told.inbound.push(inbound)
      return { messageId: 'msg_in' }
    },
    lateAnswer: async (late) => void told.late.push(late),
    ...listener,
  })
  t.after(async () => {
    await link.stop()
    noteCounts({ metrics })
  })
  const isBound = () => link.links!()[0]!.connections.every(({ state }) => state === 'bound')
  if (isAwaited) await until(isBound, 'every bind')
  return {
    link,
    clock,
    ...told,
    logged,
    count: (name, ...labels) =>
      metrics.counter(`longcode_smpp_${name}_total`, '').cell(whole.name, ...labels).value,
  }
}
