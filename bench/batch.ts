// Messages a second through POST /v1/message/batch (100 each) over single sends, in one run.

import { sendLoad } from './accept.js'
import { measureLoad } from './load.js'
import { openStage, startServer } from './stage.js'

const ENTRIES = 100

export async function run() {
  const stage = await openStage()
  const server = await startServer(stage, { LONGCODE_ROLES: 'api' })
  const single = { ...sendLoad(stage), port: server.port }
  const before = await measureLoad(single)
  const entry = JSON.parse(single.bodies[0]!) as object
  const batch = await measureLoad({
    ...single,
    path: '/v1/message/batch',
    bodies: [JSON.stringify({ messages: Array.from({ length: ENTRIES }, () => entry) })],
    connections: 16,
    seconds: 6,
  })
  const after = await measureLoad(single)
  await server.stop()
  await stage.close()
  const singles = (before.perSecond + after.perSecond) / 2
  const perSecond = batch.perSecond * ENTRIES
  return {
    lines: [
      `single sends ${Math.round(singles)} messages/s`,
      `in batches   ${Math.round(perSecond)} messages/s (${batch.failures} failures)`,
    ],
    ratio: perSecond / singles,
  }
}
