// Our carrier link alone: what it is given to send, and what it reports.

import type { TestContext } from 'node:test'
import { createSmppLink } from '../../src/carriers/smpp/smpp-link.js'
import { type SmppLinkSettings, USUAL_SMPP } from '../../src/carriers/smpp/smpp-settings.js'
import { Clock } from '../../src/kit/clock.js'
import { openLog } from '../../src/kit/log.js'
import { Metrics } from '../../src/kit/metrics.js'
import type {
  Carrier,
  Inbound,
  LateAnswer,
  Receipt,
  Submission,
  SubmitAnswer,
} from '../../src/messages/carrier-port.js'
import { untilTrue } from './peer-process.js'

export const OURS = '+14155550100'
export const PHONE = '+14155550101'

const HOUR_MS = 3_600_000

export interface TestLink {
  carrier: Carrier
  receipts: Receipt[]
  inbound: Inbound[]
  late: LateAnswer[]
  send: (...texts: string[]) => Promise<SubmitAnswer[]>
}

type Wanted = Partial<SmppLinkSettings> & { port: number }

/** Started, but not up yet. */
export async function startLink(t: TestContext, wanted: Wanted): Promise<TestLink> {
  const clock = new Clock()
  const deps = { clock, log: openLog('silent'), metrics: new Metrics() }
  const carrier = createSmppLink(
    {
      ...USUAL_SMPP,
      name: 'peer',
      host: '127.0.0.1',
      systemId: 'longcode',
      password: 'secret12',
      reconnect: { firstMs: 20, maxMs: 200 },
      ...wanted,
    },
    deps,
  )
  const receipts: Receipt[] = []
  const inbound: Inbound[] = []
  const late: LateAnswer[] = []
  t.after(() => carrier.stop())
  await carrier.start({
    receipt: async (receipt) => void receipts.push(receipt),
    inbound: async (message) => {
      inbound.push(message)
      return { messageId: null }
    },
    lateAnswer: async (answer) => void late.push(answer),
  })
  let sent = 0
  const send = (...texts: string[]) => {
    const submissions = texts.map((text) => submission(`msg_${++sent}`, text, clock))
    return carrier.submit(submissions)
  }
  return { carrier, receipts, inbound, late, send }
}

function submission(messageId: string, body: string, clock: Clock): Submission {
  return {
    accountId: 'acc_1',
    id: messageId,
    campaignId: 'cmp_1',
    type: 'SMS',
    from: OURS,
    to: PHONE,
    body,
    mediaUrls: [],
    attempt: 1,
    expiresAt: new Date(clock.nowMs() + HOUR_MS),
  } as Submission
}

/** Waits until every connection of the link is bound. */
export async function untilUp({ carrier }: TestLink): Promise<void> {
  const isUp = () =>
    carrier.isUp?.() && linkOf(carrier)?.connections.every(({ state }) => state === 'bound')
  await untilTrue(isUp, () => `the link: ${JSON.stringify(linkOf(carrier))}`)
}

/** Joins long messages, in the order in which their first parts arrived. */
export function wholeTexts(inbound: readonly Inbound[]): string[] {
  const long = new Map<number, string[]>()
  const texts: string[][] = []
  for (const { body, part } of inbound) {
    const parts = (part && long.get(part.reference)) ?? []
    if (!part || !long.has(part.reference)) texts.push(parts)
    if (part) long.set(part.reference, parts)
    parts[(part?.sequence ?? 1) - 1] = body
  }
  return texts.map((parts) => parts.join(''))
}

function linkOf(carrier: Carrier) {
  return carrier.links?.()[0]
}
