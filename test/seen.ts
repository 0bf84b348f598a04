// Notes what the tests of a process have seen the program do: which refusals it answered with, and which metrics moved.
// After a complete run, scripts/check-seen.mjs compares that with what the program declares.

import { randomUUID } from 'node:crypto'
import { mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { formatMetrics, METRICS_TYPE } from '../src/http/health/metrics-text.js'
import type { World } from '../src/kit/world.js'
import type { Reply } from './declared-replies.js'

const refusals = new Set<string>()
const declared = new Set<string>()
const moved = new Set<string>()

process.on('exit', () => {
  const { TEST_RUN_FOLDER: folder } = process.env
  if (!folder) return
  mkdirSync(path.join(folder, 'seen'), { recursive: true })
  const seen = { refusals: [...refusals], declared: [...declared], moved: [...moved] }
  // Not by process ID: the system uses those again, and a rerun adds to what the first run saw.
  writeFileSync(path.join(folder, 'seen', `${randomUUID()}.json`), JSON.stringify(seen))
})

export function noteReply({ status, body, headers }: Reply): void {
  if (status >= 400 && typeof body?.code === 'string') refusals.add(body.code)
  if (headers['content-type'] === METRICS_TYPE) noteScrape(String(body))
}

/** When a test ends: everything that its service, or what it tests of one, has counted. */
export function noteCounts({ metrics }: Pick<World, 'metrics'>): void {
  noteScrape(formatMetrics(metrics.counters(), metrics.histograms(), []))
}

/** A metric has moved if one of its lines is not 0. */
function noteScrape(text: string): void {
  for (const [, name = ''] of text.matchAll(/^# TYPE (\w+) /gm)) declared.add(name)
  for (const [, name = ''] of text.matchAll(
    /^(\w+?)(?:_bucket|_sum|_count)?(?:\{.*\})? (?!0$)\S+$/gm,
  )) {
    moved.add(name)
  }
}
