// Runs every link through the suite that all links must pass.

import type { TestContext } from 'node:test'
import { LinkMeters } from '../../src/carriers/link-meter.js'
import { createCarrierSet } from '../../src/carriers/routing/carrier-set.js'
import type { CarrierSettings } from '../../src/carriers/settings/carrier-settings.js'
import { createSimulator } from '../../src/carriers/simulator.js'
import { createSmppLink } from '../../src/carriers/smpp/smpp-link.js'
import { type SmppLinkSettings, USUAL_SMPP } from '../../src/carriers/smpp/smpp-settings.js'
import { Clock } from '../../src/kit/clock.js'
import { Hints } from '../../src/kit/hints.js'
import { openLog } from '../../src/kit/log.js'
import { Metrics } from '../../src/kit/metrics.js'
import type { Database } from '../../src/kit/postgres/db.js'
import { type Smsc, startSmsc } from '../../src/smsc/smsc.js'
import { type FarSide, type LinkStage, testCarrier } from '../carrier-conformance.js'

const GOOD = '+14155550107'
const REFUSED = { to: '+14155550110', errorCode: 1350 }
const log = openLog('silent')

testCarrier(
  'simulator',
  async () => ({
    ...{ link: createSimulator(log), good: GOOD, refused: REFUSED, farSide: null },
    clock: new Clock(),
  }),
  { hasFarSide: false },
)

async function smppStage(
  t: TestContext,
  settings: Partial<SmppLinkSettings> = {},
): Promise<LinkStage> {
  let smsc = await startSmsc({ redeliverMs: 50 })
  const texts: (string | null)[] = []
  const clock = new Clock()
  t.after(() => smsc.stop())
  const link = createSmppLink(
    {
      ...USUAL_SMPP,
      ...{ name: 'acme', host: '127.0.0.1', port: smsc.port, systemId: 'longcode', password: 'x' },
      ...{ responseTimeoutMs: 1_000, reconnect: { firstMs: 20, maxMs: 200 } },
      ...settings,
    },
    { clock, log, metrics: new Metrics() },
  )
  const seen = (one: Smsc) => one.accepted.map(({ text }) => text)
  const farSide: FarSide = {
    texts: () => [...texts, ...seen(smsc)],
    write: (message) => smsc.sendInbound(message),
    beSilent: (isSilent) => smsc.change({ lose: isSilent ? 100 : 0 }),
    cut: () => smsc.cut(),
    goAway: async () => {
      texts.push(...seen(smsc))
      await smsc.stop()
    },
    comeBack: async () => {
      smsc = await startSmsc({ port: smsc.port, redeliverMs: 50 })
    },
  }
  return { link, good: GOOD, refused: REFUSED, farSide, clock }
}

/** Links in a set must pass the suite, and so must the set. */
async function setStage(t: TestContext): Promise<LinkStage> {
  const { link, ...stage } = await smppStage(t)
  const { name } = link
  const times = { drainMs: 0, failbackMs: 0 }
  const usual = { kind: 'smpp', isConnected: true, mayOverlap: false, hostsStock: null, ...times }
  const any = { networks: null, prefixes: null, campaigns: null, types: null }
  const settings: CarrierSettings = {
    links: [{ name, ...usual, settings: {}, create: () => link }],
    routes: [{ name, ...any, links: [{ link: name, share: 1 }], failover: [], onSlowDown: 'wait' }],
    networks: { prefixes: new Map(), learnedMs: 1 },
    warnings: [],
  }
  const world = { clock: new Clock(), log, metrics: new Metrics(), hints: new Hints() }
  // Every number comes from our own inventory.
  const query = async ({ text, values }: { text: string; values: [string[]] }) =>
    text.includes('from number_inventory')
      ? values[0].map((phoneNumber) => ({ phoneNumber, link: null, hosts: null }))
      : []
  const nowhere = { query } as unknown as Database
  const deps = { world: { ...world, db: nowhere }, meters: new LinkMeters(world) }
  const set = createCarrierSet({ ...deps, read: () => settings, isDispatching: true }, settings)
  return { ...stage, link: { ...set, name } } // its reports name the link, not the set
}

testCarrier('several links behind routes', setStage)
testCarrier('SMPP', (t) => smppStage(t))
testCarrier('SMPP with two pairs of binds', (t) =>
  smppStage(t, { bindMode: 'transmitter_receiver', binds: 2, longStyle: 'sar', window: 3 }),
)
