// `npm run bench -- NAME`: one named, bounded run. The last line is the main result. The output replaces the previous
// run of that name in RESULTS.md.

import { readFileSync, writeFileSync } from 'node:fs'
import { circumstances, withResults } from './results.js'

const BENCHES = {
  accept: () => import('./accept.js'),
  cost: () => import('./cost.js'),
  fair: () => import('./fair.js'),
  reports: () => import('./reports.js'),
  pipeline: () => import('./pipeline.js'),
  batch: () => import('./batch.js'),
  list: () => import('./list.js'),
  search: () => import('./search.js'),
  inbox: () => import('./inbox.js'),
  text: () => import('./text.js'),
  webhooks: () => import('./webhooks.js'),
  smpp: () => import('./smpp.js'),
  twilio: () => import('./twilio.js'),
  media: () => import('./media.js'),
  provider: () => import('./provider.js'),
  calls: () => import('./calls.js'),
  peers: () => import('./peers/peers.js'),
  size: () => import('./size.js'),
  idle: () => import('./idle.js'),
  statements: () => import('./statements.js'),
  growth: () => import('./growth/growth.js'),
  processes: () => import('./growth/processes.js'),
}

const RESULTS = new URL('RESULTS.md', import.meta.url)

const name = process.argv[2] ?? ''
if (!isBench(name)) {
  console.error(`Name a benchmark: ${Object.keys(BENCHES).join(', ')}`)
  process.exit(2)
}

const { run } = await BENCHES[name]()
const result = await run()
if ('skipped' in result) {
  console.log(result.skipped)
  process.exit(0)
}
const { lines, ratio } = result
const printed = [...lines, `${name}: ${ratio.toFixed(2)}`]
for (const line of printed) console.log(line)
writeFileSync(
  RESULTS,
  withResults(readFileSync(RESULTS, 'utf8'), name, [circumstances(), ...printed]),
)
process.exit(0)

function isBench(text: string): text is keyof typeof BENCHES {
  return Object.hasOwn(BENCHES, text)
}
