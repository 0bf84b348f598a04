// A process that only repacks partitions of messages, in small steps, for tests that kill it. It is plain JavaScript,
// because the compiled program needs no loader. The first argument moves its clock ahead.

import { Clock } from '../../dist/kit/clock.js'
import { readConfig } from '../../dist/kit/config.js'
import { openLog } from '../../dist/kit/log.js'
import { openDatabase } from '../../dist/kit/postgres/db.js'
import { startLoop } from '../../dist/kit/worker-loop.js'
import { repackLoop } from '../../dist/operator/retention/repack-loop.js'

const [offsetMs, url] = process.argv.slice(2)
process.once('disconnect', () => process.exit(0)) // the test has ended
const config = readConfig({ LONGCODE_ROLES: 'schedule', LONGCODE_LOG_LEVEL: 'error' })
const db = openDatabase({ url, poolMax: 4, applicationName: 'repacker', onError: () => {} })
const clock = new Clock()
clock.moveTo(Number(offsetMs))
const loop = repackLoop(
  { db, clock, config, log: openLog(config.logLevel) },
  { bytesMin: 0, shareMax: 0.6, rows: 100 },
)
startLoop({
  ...loop,
  errorDelayMs: 10,
  step: async (signal) => {
    const worked = await loop.step(signal)
    process.send(worked > 0 ? 'step' : 'rest')
    return worked
  },
})
