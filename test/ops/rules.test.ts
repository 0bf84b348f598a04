// Prometheus itself evaluates the rules: every alert fires in its situation, and none in a healthy installation. Every
// query of the dashboards parses.

import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { type TestContext, test } from 'node:test'
import { parse, stringify } from 'yaml'
import { DASHBOARDS, dashboardText } from '../../scripts/dashboards.js'
import { hasTool, runTool } from './machine-tool.js'

const FILES = ['ops/alert-rules.yaml', 'ops/slo-rules.yaml'].map((file) => path.resolve(file))

interface Rule {
  alert?: string
  record?: string
  expr: string
  labels?: Record<string, string>
  annotations?: Record<string, string>
}

interface Group {
  name: string
  rules: Rule[]
}

const GROUPS = FILES.flatMap(
  (file) => (parse(readFileSync(file, 'utf8')) as { groups: Group[] }).groups,
)
const RULES = GROUPS.flatMap(({ rules }) => rules)
const ALERTS = RULES.filter(({ alert }) => alert !== undefined)

/** Prometheus's notation: first value, plus a step for each minute. */
type Series = Record<string, string>

const sends = (status: string, perMinute: number) => ({
  [`longcode_http_requests_total{route="/v1/message/send",status="${status}"}`]: `0+${perMinute}x5000`,
})
const timed = (metric: string, labels: string, inTime: number, all: number): Series => ({
  [`${metric}_bucket{${labels}le="5"}`]: `0+${inTime}x5000`,
  [`${metric}_count${labels && `{${labels.slice(0, -1)}}`}`]: `0+${all}x5000`,
})
const toCarrier = (inTime: number, all: number) =>
  timed('longcode_time_to_carrier_seconds', 'limited="false",', inTime, all)
const toWebhook = (inTime: number, all: number) =>
  timed('longcode_time_to_webhook_seconds', '', inTime, all)
const stays = (name: string, value: number): Series => ({ [name]: `${value}x5000` })

/** What makes each alert fire, and when it has. */
const SITUATIONS: Record<string, [at: string, series: Series]> = {
  LongcodeDown: ['2m', stays('up{job="longcode",instance="a"}', 0)],
  LongcodeLedgerDrift: ['1m', stays('longcode_ledger_drift', 1)],
  LongcodeLedgerUnwatched: ['11m', stays('longcode_ledger_drift_age_seconds', 7300)],
  LongcodeCarrierDown: ['3m', stays('longcode_carrier_up', 0)],
  LongcodeLinkDown: ['6m', stays('longcode_carrier_link_up{link="acme"}', 0)],
  LongcodeOutcomesUnknown: [
    '5m',
    { 'longcode_carrier_answers_total{link="acme",answer="unknown",code=""}': '0+1x100' },
  ],
  LongcodeQueueStuck: ['6m', stays('longcode_queue_oldest_seconds{route="att-sms"}', 700)],
  LongcodeCarrierRefuses: [
    '31m',
    {
      'longcode_carrier_answers_total{link="acme",answer="failed",code="1350"}': '0+30x100',
      'longcode_carrier_answers_total{link="acme",answer="sent",code=""}': '0+70x100',
    },
  ],
  LongcodeAcceptSlow: [
    '20m',
    {
      'longcode_accept_duration_seconds_bucket{le="0.5"}': '0+90x100',
      'longcode_accept_duration_seconds_bucket{le="1"}': '0+100x100',
      'longcode_accept_duration_seconds_bucket{le="+Inf"}': '0+100x100',
    },
  ],
  LongcodeDatabaseDown: ['2m', stays('longcode_database_up', 0)],
  LongcodeWorkerAway: ['2m', stays('longcode_database_workers_unreachable', 1)],
  LongcodeFaults: ['12m', sends('500', 60)],
  LongcodeForwardingsStale: ['3m', stays('longcode_forwardings_age_seconds{instance="a"}', 90)],
  LongcodeWebhooksLate: ['6m', stays('longcode_webhook_queue_oldest_seconds', 700)],
  LongcodePoolExhausted: ['11m', stays('longcode_database_pool{pool="send",state="waiting"}', 3)],
  LongcodeEventLoopSlow: ['11m', stays('nodejs_eventloop_delay_p99_seconds{instance="a"}', 0.5)],
  LongcodeSendsRefused: ['11m', { longcode_sends_refused_total: '0+5x100' }],
  LongcodeReceiptsUnmatched: ['31m', stays('longcode_carrier_receipts_unmatched', 500)],
  LongcodeProviderNumbersStuck: ['11m', stays('longcode_provider_numbers_stuck', 1)],
  LongcodeRegistrationsStuck: ['11m', stays('longcode_registrations_stuck', 2)],
  LongcodeAccountsEmpty: ['70m', { longcode_accounts_empty: '2x65 3x100' }],
  LongcodeQuotaReached: ['16m', stays('longcode_accounts_at_quota{quota="webhooks"}', 1)],
  LongcodeAcceptBurnFast: ['65m', { ...sends('503', 2), ...sends('200', 98) }],
  LongcodeAcceptBurnSlow: ['25h', { ...sends('503', 4), ...sends('200', 996) }],
  LongcodeCarrierBurnFast: ['65m', toCarrier(80, 100)],
  LongcodeCarrierBurnSlow: ['25h', toCarrier(96, 100)],
  LongcodeWebhookBurnFast: ['65m', toWebhook(80, 100)],
  LongcodeWebhookBurnSlow: ['25h', toWebhook(96, 100)],
}

/** One failed send in 2,000, refusals that are the client's fault, and everything up. */
const HEALTHY: Series = {
  ...{ ...sends('503', 1), ...sends('200', 1999), ...sends('429', 500) },
  ...{ ...toCarrier(9990, 10000), ...toWebhook(9990, 10000) },
  ...stays('up{job="longcode",instance="a"}', 1),
  ...stays('longcode_ledger_drift', 0),
  ...stays('longcode_ledger_drift_age_seconds', 60),
  ...stays('longcode_carrier_up', 1),
  ...stays('longcode_carrier_link_up{link="acme"}', 1),
  ...stays('longcode_queue_oldest_seconds{route="att-sms"}', 60),
  ...stays('longcode_queue_oldest_seconds{route="tmo"}', 30_000),
  ...stays('longcode_database_up', 1),
  ...stays('longcode_database_workers_unreachable', 0),
  ...stays('longcode_webhook_queue_oldest_seconds', 2),
  ...stays('longcode_database_pool{pool="send",state="waiting"}', 0),
  ...stays('longcode_carrier_receipts_unmatched', 3),
  ...stays('longcode_accounts_empty', 40),
  ...stays('longcode_accounts_at_quota{quota="queuedMessages"}', 0),
}

function folderFor(t: TestContext): string {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'longcode-rules-'))
  t.after(() => rmSync(folder, { recursive: true }))
  return folder
}

interface Trial {
  at: string
  series: Series
  expected: string[]
  /** Others may fire too. */
  only?: string
}

/** Days are evaluated every half hour, because every minute takes minutes. */
const isLong = ({ at }: Trial) => Number.parseInt(at, 10) > 24 && at.endsWith('h')

function promtoolTest({ at, series, expected, only }: Trial, interval: string): object {
  const alerts = `ALERTS{alertstate="firing"${only === undefined ? '' : `,alertname="${only}"`}}`
  const samples = expected.map((alert) => ({ labels: `{alertname="${alert}"}`, value: 1 }))
  return {
    interval,
    input_series: Object.entries(series).map(([name, values]) => ({ series: name, values })),
    promql_expr_test: [
      { expr: `count by (alertname) (${alerts})`, eval_time: at, exp_samples: samples },
    ],
  }
}

function evaluate(t: TestContext, trials: readonly Trial[], every: string, interval: string): void {
  const file = path.join(folderFor(t), 'rules.test.yaml')
  const tests = trials.map((trial) => promtoolTest(trial, interval))
  // In order: an alert before its recording rule would read the value of the last evaluation, which is too old.
  const order = { group_eval_order: GROUPS.map(({ name }) => name) }
  writeFileSync(file, stringify({ rule_files: FILES, evaluation_interval: every, ...order, tests }))
  runTool('promtool', ['test', 'rules', file])
}

test('every alert fires in its situation, and none in a healthy installation', (t) => {
  if (!hasTool(t, 'promtool', 'prometheus')) return
  const names = ALERTS.map(({ alert }) => alert!)
  assert.deepEqual(Object.keys(SITUATIONS).sort(), names.sort())
  runTool('promtool', ['check', 'rules', ...FILES])
  const trials: Trial[] = Object.entries(SITUATIONS).map(([alert, [at, series]]) => ({
    ...{ at, series },
    ...{ expected: [alert], only: alert },
  }))
  for (const at of ['2h', '80h']) trials.push({ at, series: HEALTHY, expected: [] })
  evaluate(
    t,
    trials.filter((trial) => !isLong(trial)),
    '1m',
    '1m',
  )
  evaluate(t, trials.filter(isLong), '30m', '2m')
})

test('the dashboards are current, and all their queries parse', (t) => {
  const queries: string[] = []
  for (const [name, dashboard] of Object.entries(DASHBOARDS)) {
    const text = readFileSync(`ops/dashboards/${name}.json`, 'utf8')
    assert.equal(text, dashboardText(dashboard), `${name} is stale: run \`npm run dashboards\``)
    const { panels } = JSON.parse(text) as { panels: { targets?: { expr: string }[] }[] }
    queries.push(...panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr)))
  }
  if (!hasTool(t, 'promtool', 'prometheus')) return
  const rules = queries.map((query, i) => ({
    record: `query_${i}`,
    expr: query.replaceAll('$__rate_interval', '5m').replaceAll('$job', '.*'),
  }))
  const file = path.join(folderFor(t), 'queries.yaml')
  writeFileSync(file, stringify({ groups: [{ name: 'dashboards', rules }] }))
  runTool('promtool', ['check', 'rules', file])
})
