// What a process reports about its links and when, and which reload requests it follows. The database is a fake.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Clock } from '../kit/clock.js'
import { Metrics } from '../kit/metrics.js'
import type { LinkStatus, Reloaded } from '../messages/carrier-port.js'
import { LinkMeters } from './link-meter.js'
import { LinkReporter, NOTHING_TO_RELOAD } from './link-reporter.js'

const START_MS = Date.parse('2026-11-16T12:00:00Z')

interface Options {
  roles?: string[]
  canReload?: boolean
  links?: () => LinkStatus[]
}

function open({ roles = ['dispatch'], canReload = true, links = () => [] }: Options = {}) {
  let nowMs = START_MS
  const clock = new Clock()
  clock.machineNow = () => new Date(nowMs)
  const state = {
    requests: [] as object[],
    isAway: false,
    reloads: 0,
    next: { ok: true } as Reloaded,
  }
  const written: unknown[][] = []
  const deleted: unknown[][] = []
  const logged: string[] = []
  const note = (_: unknown, text?: string) => void logged.push(text ?? String(_))
  const db = {
    query: async ({ text, values }: { text: string; values: unknown[] }) => {
      if (text.includes('from carrier_reloads')) return state.requests
      if (text.includes('insert into carrier_links')) written.push(values)
      if (text.includes('delete from carrier_links')) {
        if (state.isAway) throw new Error('the database is down')
        deleted.push(values)
      }
      return []
    },
  }
  const log = { info: note, warn: note, error: note }
  const world = { db, clock, log, config: { roles } }
  const meters = new LinkMeters({ metrics: new Metrics(), clock })
  const reload = async () => {
    state.reloads += 1
    return state.next
  }
  const reporter = new LinkReporter(
    world as unknown as ConstructorParameters<typeof LinkReporter>[0],
    { links, ...(canReload && { reload }) },
    meters,
  )
  const step = async () => {
    for (const loop of reporter.loops) {
      assert.equal(await loop.step(new AbortController().signal), 0, 'so that it rests')
    }
  }
  const move = (ms: number) => {
    nowMs += ms
  }
  return { reporter, state, written, deleted, logged, meters, step, move }
}

const STATUS: LinkStatus = {
  ...{ link: 'acme', kind: 'smpp', isUp: true, since: new Date(START_MS), detail: null },
  ...{ connections: [], window: null, rate: null },
}

/** The columns of a written report. */
function reportOf(values: unknown[]) {
  const [process, links, loadedAt, reloadId, reloadError, seenAt] = values
  return { process, links: JSON.parse(links as string), loadedAt, reloadId, reloadError, seenAt }
}

test('a dispatching process reports its links with their counts and errors', async () => {
  const { written, meters, step } = open({ links: () => [STATUS] })
  meters.of('acme').answered([{ kind: 'sent' }, { kind: 'failed', errorCode: 1350 }])
  await step()
  const { links, loadedAt, seenAt, ...rest } = reportOf(written[0]!)
  assert.match(rest.process as string, /^.+:\d+:[0-9a-f]{6}$/)
  assert.deepEqual([rest.reloadId, rest.reloadError], [null, null])
  assert.deepEqual([loadedAt, seenAt], [new Date(START_MS), new Date(START_MS)])
  const { counts, errors, ...status } = links[0]
  assert.deepEqual(status, { ...STATUS, since: '2026-11-16T12:00:00.000Z' })
  assert.deepEqual([counts.answers.sent, counts.answers.failed, errors.length], [1, 1, 1])
})

test('an unchanged report is written again after eight seconds, a changed one at once', async () => {
  let detail: string | null = null
  const { written, step, move } = open({ links: () => [{ ...STATUS, detail }] })
  await step()
  move(7_999)
  await step()
  assert.equal(written.length, 1)
  detail = 'slow'
  await step()
  assert.equal(written.length, 2)
  move(8_000)
  await step()
  assert.equal(written.length, 3)
  assert.equal(new Set(written.map(([process]) => process)).size, 1, 'under one name')
})

test('a process reports if it dispatches, follows reloads if it can, and needs no loop otherwise', async () => {
  for (const [roles, canReload, loops, reports] of [
    [['dispatch'], false, 1, 1],
    [['api', 'dispatch'], true, 1, 1],
    [['api'], true, 1, 0],
    [['api'], false, 0, 0],
  ] as const) {
    const { reporter, written, step } = open({ roles: [...roles], canReload })
    await step()
    assert.deepEqual([reporter.loops.length, written.length], [loops, reports], roles.join())
  }
  const [loop] = open().reporter.loops
  assert.deepEqual([loop!.idleMs, loop!.name], [2_000, 'carrier links'])
})

test('a request is followed once, if it came after the process had read its settings', async () => {
  const { state, step, written, move } = open()
  const ask = (id: string, offsetMs: number) => {
    state.requests = [{ id, requestedAt: new Date(START_MS + offsetMs) }]
  }
  await step()
  ask('early', -1)
  await step()
  assert.equal(state.reloads, 0)
  ask('first', 0)
  move(5_000)
  await step()
  await step()
  assert.equal(state.reloads, 1)
  assert.deepEqual((({ loadedAt, reloadId }) => [loadedAt, reloadId])(reportOf(written.at(-1)!)), [
    new Date(START_MS + 5_000),
    'first',
  ])
  ask('second', 0)
  await step()
  assert.equal(state.reloads, 2)
})

test('a reload with a problem keeps the time of the settings, and reports the problem until the next one', async () => {
  const { reporter, state, step, written, move, logged } = open()
  move(3_000)
  state.next = { ok: false, error: 'carriers.yaml:3 needs host.' }
  assert.deepEqual(await reporter.reload(), state.next)
  await step()
  const report = () => reportOf(written.at(-1)!)
  assert.deepEqual(
    [report().reloadError, report().loadedAt],
    ['carriers.yaml:3 needs host.', new Date(START_MS)],
  )
  state.next = { ok: true }
  await reporter.reload()
  await step()
  assert.deepEqual([report().reloadError, report().loadedAt], [null, new Date(START_MS + 3_000)])
  assert.deepEqual(logged, ['carriers not reloaded', 'carriers reloaded'])
})

test('without settings that could change, a reload says so', async () => {
  const { reporter } = open({ canReload: false })
  assert.deepEqual(await reporter.reload(), NOTHING_TO_RELOAD)
})

test('a process that ends takes its report back, if it made one', async () => {
  const { reporter, deleted, step, written, state, logged } = open()
  await reporter.withdraw()
  assert.deepEqual(deleted, [])
  await step()
  await reporter.withdraw()
  const [process] = written[0]!
  assert.deepEqual(deleted, [[process, new Date(START_MS - 30_000)]])
  state.isAway = true
  await reporter.withdraw()
  assert.deepEqual(logged, ['carrier links not taken back'])
})
