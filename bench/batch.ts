// Messages per second through POST /v1/message/batch (1,000 each, the maximum), relative to single sends, in
// alternating rounds.

import { median, sendLoad } from './accept.js'
import { measureLoad } from './load.js'
import { openStage, startServer } from './stage.js'

const ENTRIES = 1000
const ROUNDS = 5

export async function run() {
  const stage = await openStage()
  const server = await startServer(stage, { LONGCODE_ROLES: 'api' })
  const single = { ...sendLoad(stage), port: server.port, seconds: 2 }
  const entry = JSON.parse(single.bodies[0]!) as object
  const batch = {
    ...single,
    path: '/v1/message/batch',
    bodies: [JSON.stringify({ messages: Array.from({ length: ENTRIES }, () => entry) })],
    connections: 8,
    seconds: 3,
  }
  await measureLoad(single) // warm-up
  const singles = [(await measureLoad(single)).perSecond]
  const batches: number[] = []
  let failures = 0
  for (let round = 0; round < ROUNDS; round += 1) {
    const measured = await measureLoad(batch)
    batches.push(measured.perSecond * ENTRIES)
    failures += measured.failures
    singles.push((await measureLoad(single)).perSecond)
  }
  await server.stop()
  await stage.close()
  const ratios = batches.map((perSecond, i) => (2 * perSecond) / (singles[i]! + singles[i + 1]!))
  return {
    lines: [
      `single sends ${singles.map(Math.round).join(' ')} messages a second`,
      `in batches   ${batches.map(Math.round).join(' ')} messages a second, ${failures} failures`,
      `ratios       ${ratios.map((ratio) => ratio.toFixed(2)).join(' ')}`,
    ],
    ratio: median(ratios),
  }
}
