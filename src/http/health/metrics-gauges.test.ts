// Scraping is cheap: queues are queried every few seconds, the ledger far less often, and neither can delay
// the rest.

import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { Statement } from '../../kit/postgres/sql.js'
import type { World } from '../../kit/world.js'
import type { Link } from './link-view.js'
import { createGaugeReader, type Voice } from './metrics-gauges.js'

const NOW = new Date('2026-11-15T12:00:00.000Z')
const UP = { name: 'test', isUp: () => true } as unknown as Link

const SPENDS = { wallet: 250_000n, funding: -3_250_000n, fees: 1_000_000n, numbers: 500_000n }
const TOTALS = { ...SPENDS, messages: 1_500_000n, emptyAccounts: 6 }
const SPENDER = { accountId: 'acc_1', spentMicros: 1_500_000n, balanceMicros: 250_000n }

const turn = async () => {
  for (let i = 0; i < 20; i += 1) await new Promise((resolve) => setImmediate(resolve))
}

interface Stage {
  roles?: string[]
  link?: Link
  voice?: Voice
  /** Workers of a cluster that do not respond. */
  away?: string[]
}

function stage(
  t: TestContext,
  { roles = ['api'], link = UP, voice = null, away = [] }: Stage = {},
) {
  let nowMs = 100_000
  t.mock.method(performance, 'now', () => nowMs)
  const asked = { queues: 0, drift: 0 }
  const logged: [string, string][] = []
  const state = { isHung: false, error: null as Error | null, drift: [] as object[], tookMs: 0 }
  const answer = async (rows: object[]) => {
    if (state.isHung) await new Promise(() => {})
    if (state.error) throw state.error
    return rows
  }
  const at = (level: string) => (_: object, text: string) => logged.push([level, text])
  const counters = { queued: 2, open: 3 }
  const depth = {
    ...counters,
    waiting: 2,
    pending: 3,
    oldestDueAt: new Date(NOW.getTime() - 1_500),
  }
  const world = {
    clock: { now: () => NOW },
    config: { roles, databasePoolMax: 9, smppServer: null, quotas: {} },
    log: { warn: at('warn'), error: at('error') },
    db: {
      poolUses: () => [{ name: 'all', max: 9, total: 7, idle: 3, waiting: 2 }],
      workers: { away },
      query: ({ text }: Statement) => {
        if (text.includes('event_deliveries'))
          return answer([{ ...depth, disabledSubscriptions: 4 }])
        asked.queues += 1
        const ids = { accountId: 'acc_1', campaignId: 'cmp_1', route: 'att-sms' }
        return answer([{ ...depth, ...ids }])
      },
      patient: {
        query: ({ text }: Statement) => {
          if (text.includes('sum(wallet_micros)')) return answer([TOTALS])
          if (text.includes('order by messages_micros')) return answer([SPENDER])
          if (text.includes('open_counts')) return answer([])
          asked.drift += 1
          nowMs += state.tookMs
          return answer(state.drift)
        },
      },
    },
  } as unknown as World
  const reader = createGaugeReader(world, link, voice)
  t.after(() => reader.stop())
  const read = async (withLanes = false) => {
    const gauges = await reader.read({ withLanes })
    await turn()
    for (const { name, help } of gauges) assert.match(help, /^[A-Z].+\w$/, name)
    const samples = gauges.flatMap(({ name, samples: all }) =>
      all.map(({ labels = [], value }) => [[name, ...labels].join(' '), value] as const),
    )
    return new Map(samples)
  }
  return {
    read,
    reader,
    asked,
    logged,
    state,
    pass: (ms: number) => {
      nowMs += ms
    },
  }
}

test('metrics report queues, pool, and link, and show lanes only to operators', async (t) => {
  const { read } = stage(t, { roles: ['dispatch'] })
  const gauges = await read()
  const expected = {
    longcode_database_up: 1,
    longcode_database_workers_unreachable: 0,
    'longcode_queue_waiting att-sms': 2,
    'longcode_queue_pending att-sms': 3,
    'longcode_queue_oldest_seconds att-sms': 1.5,
    longcode_webhook_queue_waiting: 2,
    longcode_webhook_queue_pending: 3,
    longcode_webhook_queue_oldest_seconds: 1.5,
    longcode_webhooks_disabled: 4,
    longcode_carrier_up: 1,
    'longcode_database_pool all busy': 4,
    'longcode_database_pool all idle': 3,
    'longcode_database_pool all waiting': 2,
    'longcode_database_pool all max': 9,
  }
  for (const [name, value] of Object.entries(expected)) assert.equal(gauges.get(name), value, name)
  const shown = [...gauges.keys()].filter((name) => /drift|lane/.test(name))
  assert.deepEqual(shown, [], 'a process without the schedule role does not sum the ledger')
  const lanes = await read(true)
  assert.equal(lanes.get('longcode_lane_waiting acc_1 cmp_1 att-sms'), 2)
  assert.equal(lanes.get('longcode_lane_oldest_seconds acc_1 cmp_1 att-sms'), 1.5)
})

test('the process reports its memory, CPU time, age, and event loop delay', async (t) => {
  const { reader } = stage(t)
  const gauges = new Map((await reader.read({ withLanes: false })).map((one) => [one.name, one]))
  const sampleOf = (name: string) => gauges.get(name)!.samples[0]!.value
  assert.ok(sampleOf('process_resident_memory_bytes') > 10_000_000)
  assert.equal(gauges.get('process_cpu_seconds_total')?.type, 'counter')
  const cpu = process.cpuUsage()
  const seconds = (cpu.user + cpu.system) / 1e6
  assert.ok(sampleOf('process_cpu_seconds_total') <= seconds)
  assert.ok(sampleOf('process_cpu_seconds_total') > seconds / 2)
  assert.ok(sampleOf('process_uptime_seconds') > 0)
  assert.ok(sampleOf('nodejs_eventloop_delay_p99_seconds') < 60)
})

test('the workers of a cluster that do not respond are counted, while the database is up', async (t) => {
  const { read } = stage(t, { away: ['10.0.0.2:5432', '10.0.0.3:5432'] })
  const gauges = await read()
  assert.equal(gauges.get('longcode_database_workers_unreachable'), 2)
  assert.equal(gauges.get('longcode_database_up'), 1)
})

test('a dispatching process reports a link that is down; a link without a state counts as up', async (t) => {
  const roles = ['dispatch']
  const link = (isUp?: () => boolean) => ({ name: 'test', isUp }) as unknown as Link
  for (const [isUp, up] of [
    [() => false, 0],
    [undefined, 1],
  ] as const) {
    const { read } = stage(t, { roles, link: link(isUp) })
    assert.equal((await read()).get('longcode_carrier_up'), up)
    t.mock.restoreAll() // a second mock of the same method would not be undone at the end
  }
  const other = stage(t, { link: link(() => true) })
  assert.equal((await other.read()).has('longcode_carrier_up'), false, 'it has no links')
})

test('a process that handles phone calls reports how many numbers it has in memory and their age', async (t) => {
  const silent = await stage(t).read()
  assert.equal(silent.has('longcode_forwardings'), false)
  t.mock.restoreAll()
  const { read } = stage(t, { voice: { forwardings: { size: 7, ageMs: 250 } } })
  const gauges = await read()
  assert.equal(gauges.get('longcode_forwardings'), 7)
  assert.equal(gauges.get('longcode_forwardings_age_seconds'), 0.25)
})

test('each link reports the connections, window, and rate that it has', async (t) => {
  const since = NOW
  const connection = { name: '1', since, peer: '' }
  const links = () => [
    {
      ...{ link: 'a', kind: 'smpp', isUp: true, isPaused: true, since, detail: null },
      connections: ['bound', 'bound', 'waiting'].map((state) => ({ ...connection, state })),
      window: { used: 3, size: 20 },
      rate: { perSecond: 12.5, contract: 50 },
    },
    {
      ...{ link: 'b', kind: 'http', isUp: false, since, detail: 'refused' },
      ...{ connections: [], window: null, rate: null },
    },
  ]
  const { read } = stage(t, { roles: ['dispatch'], link: { ...UP, links } })
  const shown = [...(await read())].filter(([name]) => / [ab]\b/.test(name))
  assert.deepEqual(shown, [
    ['longcode_carrier_link_up a', 1],
    ['longcode_carrier_link_up b', 0],
    ['longcode_carrier_link_paused a', 1],
    ['longcode_carrier_connections a bound', 2],
    ['longcode_carrier_connections a waiting', 1],
    ['longcode_carrier_window_used a', 3],
    ['longcode_carrier_window_size a', 20],
    ['longcode_carrier_rate a', 12.5],
    ['longcode_carrier_rate_contract a', 50],
  ])
})

test('queues are queried once in five seconds, regardless of how often metrics are scraped', async (t) => {
  const { read, asked, pass } = stage(t)
  await Promise.all([read(), read(true)])
  const once = asked.queues
  pass(4_999)
  await read()
  assert.equal(asked.queues, once)
  pass(1)
  await read()
  assert.equal(asked.queues, 2 * once)
})

test('a failed database query is reported as down and repeated at the next scrape', async (t) => {
  const { read, state, logged } = stage(t)
  state.error = new Error('away')
  const gauges = await read(true)
  assert.equal(gauges.get('longcode_database_up'), 0)
  assert.equal(
    [...gauges.keys()].some((name) => /queue|lane|webhook/.test(name)),
    false,
  )
  assert.equal(gauges.get('longcode_database_pool all max'), 9, 'the rest is still reported')
  assert.deepEqual(logged, [['warn', 'could not measure the queues']])
  state.error = null
  assert.equal((await read()).get('longcode_database_up'), 1)
})

test('a database that hangs delays a scrape by three seconds, and no second query joins the first', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const { reader, state, asked } = stage(t)
  state.isHung = true
  for (let i = 0; i < 2; i += 1) {
    let gauges: unknown[] | null = null
    void reader.read({ withLanes: false }).then((found) => {
      gauges = found
    })
    t.mock.timers.tick(2_999)
    await turn()
    assert.equal(gauges, null)
    t.mock.timers.tick(1)
    await turn()
    assert.ok(gauges)
  }
  assert.equal(asked.queues, 1)
})

test('the ledger is summed in the background once a minute, and drift is logged as an error', async (t) => {
  const { read, asked, state, logged, pass } = stage(t, { roles: ['schedule'] })
  assert.equal((await read()).has('longcode_ledger_drift'), false, 'unknown at the first scrape')
  pass(1_500)
  const known = await read()
  assert.equal(known.get('longcode_ledger_drift'), 0)
  assert.equal(known.get('longcode_ledger_drift_age_seconds'), 1.5)
  assert.deepEqual(logged, [])
  state.drift = [{}, {}]
  pass(58_499)
  await read()
  assert.equal(asked.drift, 1)
  pass(1)
  await read()
  assert.equal(asked.drift, 2)
  assert.equal((await read()).get('longcode_ledger_drift'), 2)
  assert.deepEqual(logged, [['error', 'ledger drift: balances do not match their entries']])
})

test('the sum of each ledger is in dollars, and accounts are shown only to operators', async (t) => {
  const { read } = stage(t, { roles: ['schedule'] })
  await read()
  const gauges = await read()
  assert.equal(gauges.get('longcode_ledger_dollars wallet'), 0.25)
  assert.equal(gauges.get('longcode_ledger_dollars funding'), -3.25)
  assert.equal(gauges.get('longcode_ledger_dollars fees'), 1)
  assert.equal(gauges.get('longcode_ledger_dollars numbers'), 0.5)
  assert.equal(gauges.get('longcode_ledger_dollars messages'), 1.5)
  assert.equal(gauges.get('longcode_accounts_empty'), 6)
  assert.equal(gauges.has('longcode_account_spent_dollars acc_1'), false)
  const all = await read(true)
  assert.equal(all.get('longcode_account_spent_dollars acc_1'), 1.5)
  assert.equal(all.get('longcode_account_balance_dollars acc_1'), 0.25)
})

test('a slow ledger check uses a twentieth of the time, and a failed check is retried', async (t) => {
  const { read, asked, state, logged, pass } = stage(t, { roles: ['schedule'] })
  state.tookMs = 4_000
  await read()
  pass(79_999)
  await read()
  assert.equal(asked.drift, 1)
  pass(1)
  state.error = new Error('away')
  await read()
  assert.equal(asked.drift, 2)
  assert.ok(
    logged.some(([level, text]) => level === 'warn' && text === 'could not check the ledger'),
  )
  await read()
  assert.equal(asked.drift, 3)
})
