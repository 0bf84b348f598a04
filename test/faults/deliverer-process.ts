// A process that only delivers, for tests that kill it. The first argument is how far its clock is
// ahead: the leases of the one before it have then ended.

import { Clock } from '../../src/kit/clock.js'
import { readConfig } from '../../src/kit/config.js'
import { openDatabase } from '../../src/kit/db.js'
import { Hints } from '../../src/kit/hints.js'
import { openLog } from '../../src/kit/log.js'
import { Metrics } from '../../src/kit/metrics.js'
import { startLoop } from '../../src/kit/worker-loop.js'
import { deliverLoop } from '../../src/webhooks/deliver-events.js'

const [offsetMs, url] = process.argv.slice(2)
const config = readConfig({ LONGCODE_ROLES: 'deliver', LONGCODE_LOG_LEVEL: 'error' })
const log = openLog(config.logLevel)
const db = openDatabase({ url: url!, poolMax: 4, applicationName: 'deliverer', onError: () => {} })
const clock = new Clock()
clock.moveTo(Number(offsetMs))
startLoop(
  deliverLoop(
    { db, clock, config, log, hints: new Hints(), metrics: new Metrics() },
    async () => new Map(),
  ),
)
process.send?.('ready')
