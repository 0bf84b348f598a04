// When a dispatcher reports that it lost the carrier, and when it clears the report. The database is a stand-in
// that records what is written.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Statement } from '../../kit/postgres/sql.js'
import type { World } from '../../kit/world.js'
import type { Carrier } from '../carrier-port.js'
import type { CarrierLink } from './carrier-link.js'
import { LinkOutageReporter } from './link-outage-reporter.js'

const START_MS = Date.parse('2026-11-15T12:00:00.000Z')

function stage({ isAbsent = false } = {}) {
  let nowMs = START_MS
  let failure: Error | null = null
  const written: string[] = []
  const logged: string[] = []
  const dispatchers = new Set<unknown>()
  const link: { downSince: Date | null } = { downSince: null }
  const query = async ({ text, values }: Statement) => {
    if (failure) throw failure
    dispatchers.add(values[0])
    const [, carrier, since] = values as [string, string, Date]
    written.push(text.includes('delete') ? 'cleared' : `${carrier} ${Number(since) - START_MS}`)
    return []
  }
  const world = {
    db: { query },
    clock: { now: () => new Date(nowMs) },
    log: { warn: (_: object, text: string) => logged.push(text) },
  } as unknown as World
  const reporter = new LinkOutageReporter(world, {
    carrier: { name: 'test', isAbsent } as Carrier,
    link: link as CarrierLink,
  })
  const reportAt = (ms: number) => {
    nowMs = START_MS + ms
    return reporter.report()
  }
  const lose = (ms: number) => {
    link.downSince = new Date(START_MS + ms)
  }
  const find = () => {
    link.downSince = null
  }
  const fail = (error: Error) => {
    failure = error
  }
  return { reporter, reportAt, lose, find, fail, written, logged, dispatchers }
}

test('a lost link is reported immediately, then every two seconds, and cleared once', async () => {
  const { reportAt, lose, find, written, dispatchers } = stage()
  await reportAt(0)
  assert.deepEqual(written, [], 'there is nothing to report')
  lose(5)
  for (const ms of [10, 11, 2_009]) await reportAt(ms)
  assert.deepEqual(written, ['test 5'])
  await reportAt(2_010)
  assert.deepEqual(written, ['test 5', 'test 5'])
  find()
  for (const ms of [2_020, 9_000]) await reportAt(ms)
  assert.deepEqual(written.slice(2), ['cleared'])
  lose(9_001)
  await reportAt(9_002)
  assert.deepEqual(written.slice(3), ['test 9001'], 'a new loss does not wait for the previous one')
  assert.equal(dispatchers.size, 1, 'always with the same dispatcher name')
})

test('a carrier that the settings leave out is not reported', async () => {
  const { reporter, reportAt, lose, written } = stage({ isAbsent: true })
  lose(0)
  await reportAt(0)
  await reporter.withdraw()
  assert.deepEqual(written, [])
})

test('a dispatcher that stops clears its report, or logs that it could not', async () => {
  const { reporter, reportAt, lose, fail, written, logged } = stage()
  await reporter.withdraw()
  assert.deepEqual(written, [], 'it had reported nothing')
  lose(0)
  await reportAt(0)
  await reporter.withdraw()
  assert.deepEqual(written, ['test 0', 'cleared'])
  await reportAt(1)
  fail(new Error('lost'))
  await reporter.withdraw()
  assert.deepEqual(logged, ['clearing a recorded link outage failed'])
})
