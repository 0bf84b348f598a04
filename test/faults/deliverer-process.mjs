// A process that only delivers webhooks, for tests that kill it. It is plain JavaScript, because the compiled program
// needs no loader. The first argument moves its clock ahead, past the leases of the process before it.

import { Clock } from '../../dist/kit/clock.js'
import { readConfig } from '../../dist/kit/config.js'
import { Hints } from '../../dist/kit/hints.js'
import { openLog } from '../../dist/kit/log.js'
import { Metrics } from '../../dist/kit/metrics.js'
import { openDatabase } from '../../dist/kit/postgres/db.js'
import { startLoop } from '../../dist/kit/worker-loop.js'
import { Deliverer } from '../../dist/webhooks/deliver/deliverer.js'

const [offsetMs, url] = process.argv.slice(2)
const config = readConfig({ LONGCODE_ROLES: 'deliver', LONGCODE_LOG_LEVEL: 'error' })
const log = openLog(config.logLevel)
const db = openDatabase({ url, poolMax: 4, applicationName: 'deliverer', onError: () => {} })
const clock = new Clock()
clock.moveTo(Number(offsetMs))
startLoop(
  new Deliverer(
    { db, clock, config, log, hints: new Hints(), metrics: new Metrics() },
    async () => new Map(),
  ).loop,
)
process.send?.('ready')
