// The links that there are, each through the suite that every link must pass.

import type { TestContext } from 'node:test'
import { createSimulator } from '../../src/carriers/simulator.js'
import { createSmppLink } from '../../src/carriers/smpp/smpp-link.js'
import { type SmppLinkSettings, USUAL_SMPP } from '../../src/carriers/smpp/smpp-settings.js'
import { Clock } from '../../src/kit/clock.js'
import { openLog } from '../../src/kit/log.js'
import { Metrics } from '../../src/kit/metrics.js'
import { type Smsc, startSmsc } from '../../src/smsc/smsc.js'
import { type FarSide, type LinkStage, testCarrier } from '../carrier-conformance.js'

const GOOD = '+14155550107'
const REFUSED = { to: '+14155550110', errorCode: 1350 }
const log = openLog('silent')

testCarrier(
  'simulator',
  async () => ({ link: createSimulator(log), good: GOOD, refused: REFUSED, farSide: null }),
  { hasFarSide: false },
)

async function smppStage(
  t: TestContext,
  settings: Partial<SmppLinkSettings> = {},
): Promise<LinkStage> {
  let smsc = await startSmsc({ redeliverMs: 50 })
  const texts: (string | null)[] = []
  t.after(() => smsc.stop())
  const link = createSmppLink(
    {
      ...USUAL_SMPP,
      ...{ name: 'acme', host: '127.0.0.1', port: smsc.port, systemId: 'longcode', password: 'x' },
      ...{ responseTimeoutMs: 1_000, reconnect: { firstMs: 20, maxMs: 200 } },
      ...settings,
    },
    { clock: new Clock(), log, metrics: new Metrics() },
  )
  const seen = (one: Smsc) => one.taken.map(({ text }) => text)
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
  return { link, good: GOOD, refused: REFUSED, farSide }
}

testCarrier('SMPP', (t) => smppStage(t))
testCarrier('SMPP by two pairs of binds', (t) =>
  smppStage(t, { bindMode: 'transmitter_receiver', binds: 2, longStyle: 'sar', window: 3 }),
)
