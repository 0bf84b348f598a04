// The Grafana dashboards as short lists of panels. Grafana's own format has forty lines per panel, which nobody reviews.
// scripts/write-dashboards.ts writes them to ops/dashboards, and a test fails if the files are stale.

interface Panel {
  title: string
  /** Queries, and what each line is called. */
  lines: readonly (readonly [expr: string, legend: string])[]
  unit: string
  description?: string
}

interface Dashboard {
  uid: string
  title: string
  rows: Readonly<Record<string, readonly Panel[]>>
}

const rate = (metric: string, labels = '') => `rate(${of(metric, labels)}[$__rate_interval])`
const of = (metric: string, labels = '') => `${metric}{job=~"$job"${labels && `,${labels}`}}`
const panel = (
  title: string,
  unit: string,
  lines: Panel['lines'],
  description?: string,
): Panel => ({
  ...{ title, unit, lines },
  ...(description !== undefined && { description }),
})

function quantiles(metric: string, by = '', labels = ''): Panel['lines'] {
  const group = by ? `le, ${by}` : 'le'
  const legend = by ? ` {{${by}}}` : ''
  const at = (share: number) =>
    `histogram_quantile(${share}, sum by (${group}) (${rate(`${metric}_bucket`, labels)}))`
  return [
    [at(0.5), `p50${legend}`],
    [at(0.99), `p99${legend}`],
  ]
}

/** The shares that the service levels allow: ops/slo-rules.yaml. */
const ALLOWED = { accept: '0.1%', carrier: '1%', webhook: '1%' }

const SLO_PANELS = (['accept', 'carrier', 'webhook'] as const).map((slo) =>
  panel(
    `Bad share: ${slo}`,
    'percentunit',
    ['5m', '1h', '1d', '3d'].map((window) => [
      `longcode:slo_errors:ratio_rate${window}{slo="${slo}"}`,
      window,
    ]),
    `Needs ops/slo-rules.yaml. Over 30 days, ${ALLOWED[slo]} is allowed.`,
  ),
)

const SERVICE: Dashboard = {
  uid: 'longcode-service',
  title: 'Longcode: service',
  rows: {
    'Service levels': SLO_PANELS,
    Accepting: [
      panel('Messages accepted per second', 'mps', [
        [`sum(${rate('longcode_messages_accepted_total')})`, 'accepted'],
        [`sum(${rate('longcode_sends_refused_total')})`, 'refused (too many waiting)'],
      ]),
      panel(
        'Latency of accepted sends',
        's',
        quantiles('longcode_accept_duration_seconds'),
        'From the first byte of the request to the response, after the durable commit.',
      ),
      panel('Requests per second, by status', 'reqps', [
        [`sum by (status) (${rate('longcode_http_requests_total')})`, '{{status}}'],
      ]),
    ],
    Queue: [
      panel('Messages ready to send', 'short', [
        [`max by (route) (${of('longcode_queue_waiting')})`, '{{route}}'],
      ]),
      panel('Age of the oldest message', 's', [
        [`max by (route) (${of('longcode_queue_oldest_seconds')})`, '{{route}}'],
      ]),
      panel(
        'Time to carrier',
        's',
        quantiles('longcode_time_to_carrier_seconds', 'limited'),
        'First attempts. Messages under a campaign limit (limited="true") may wait by design.',
      ),
    ],
    Webhooks: [
      panel('Attempts per second, by outcome', 'ops', [
        [
          `sum by (outcome, status) (${rate('longcode_webhook_attempts_total')})`,
          '{{outcome}} {{status}}',
        ],
      ]),
      panel('Deliveries', 'short', [
        [`max(${of('longcode_webhook_queue_waiting')})`, 'waiting'],
        [`max(${of('longcode_webhook_queue_pending')})`, 'with retries and later ones'],
        [`max(${of('longcode_webhooks_disabled')})`, 'disabled webhooks'],
      ]),
      panel('Time to webhook, and age of the oldest', 's', [
        ...quantiles('longcode_time_to_webhook_seconds'),
        [`max(${of('longcode_webhook_queue_oldest_seconds')})`, 'oldest due'],
      ]),
    ],
    Machine: [
      panel('Database connections', 'short', [
        [`sum by (state) (${of('longcode_database_pool')})`, '{{state}}'],
        [`min(${of('longcode_database_up')})`, 'database up'],
      ]),
      panel('CPU and event loop delay', 's', [
        [rate('process_cpu_seconds_total'), 'CPU {{instance}}'],
        [of('nodejs_eventloop_delay_p99_seconds'), 'delay {{instance}}'],
      ]),
      panel('Memory', 'bytes', [[of('process_resident_memory_bytes'), '{{instance}}']]),
    ],
  },
}

const CARRIERS: Dashboard = {
  uid: 'longcode-carriers',
  title: 'Longcode: carriers',
  rows: {
    Links: [
      panel('Links up', 'short', [
        [`max by (link) (${of('longcode_carrier_link_up')})`, '{{link}}'],
        [`max(${of('longcode_carrier_up')})`, 'any link'],
      ]),
      panel('Paused links', 'short', [
        [`max by (link) (${of('longcode_carrier_link_paused')})`, '{{link}}'],
      ]),
      panel('Connections', 'short', [
        [`sum by (link, state) (${of('longcode_carrier_connections')})`, '{{link}} {{state}}'],
      ]),
      panel('Window in use', 'short', [
        [`sum by (link) (${of('longcode_carrier_window_used')})`, '{{link}} used'],
        [`sum by (link) (${of('longcode_carrier_window_size')})`, '{{link}} size'],
      ]),
      panel('Rate, and rate by contract', 'mps', [
        [`sum by (link) (${of('longcode_carrier_rate')})`, '{{link}} now'],
        [`sum by (link) (${of('longcode_carrier_rate_contract')})`, '{{link}} contract'],
      ]),
      panel(
        'Latency per batch',
        's',
        quantiles('longcode_carrier_submit_duration_seconds', 'link'),
      ),
    ],
    Results: [
      panel('Responses per second', 'mps', [
        [
          `sum by (link, answer, code) (${rate('longcode_carrier_answers_total')})`,
          '{{link}} {{answer}} {{code}}',
        ],
      ]),
      panel('Receipts per second', 'mps', [
        [
          `sum by (link, status, code) (${rate('longcode_carrier_receipts_total')})`,
          '{{link}} {{status}} {{code}}',
        ],
      ]),
      panel('Inbound messages per second', 'mps', [
        [`sum by (link) (${rate('longcode_carrier_inbound_total')})`, '{{link}}'],
      ]),
      panel(
        'Delivered share of receipts',
        'percentunit',
        [
          [
            `sum by (link) (${rate('longcode_carrier_receipts_total', 'status="DELIVERED"')}) / sum by (link) (${rate('longcode_carrier_receipts_total', 'status=~"DELIVERED|FAILED"')})`,
            '{{link}}',
          ],
        ],
        'Of final receipts.',
      ),
      panel('Unknown outcomes and unmatched receipts', 'short', [
        [`max(${of('longcode_carrier_unsettled')})`, 'messages without an outcome'],
        [`max(${of('longcode_carrier_receipts_unmatched')})`, 'receipts without a message'],
      ]),
      panel('Stuck at the provider', 'short', [
        [`max(${of('longcode_provider_numbers_stuck')})`, 'numbers'],
        [`max(${of('longcode_registrations_stuck')})`, 'brands and campaigns'],
      ]),
    ],
  },
}

const TENANTS: Dashboard = {
  uid: 'longcode-tenants',
  title: 'Longcode: tenants',
  rows: {
    'Who waits': [
      panel(
        'Lanes with the most waiting messages',
        'short',
        [
          [
            `topk(10, max by (account, campaign, route) (${of('longcode_lane_waiting')}))`,
            '{{account}} {{campaign}} {{route}}',
          ],
        ],
        'Not shown if LONGCODE_METRICS_PUBLIC=true.',
      ),
      panel('Age of the oldest message in these lanes', 's', [
        [
          `topk(10, max by (account, campaign, route) (${of('longcode_lane_oldest_seconds')}))`,
          '{{account}} {{campaign}} {{route}}',
        ],
      ]),
      panel('Waiting messages by account', 'short', [
        [
          `sum by (account) (max by (account, campaign, route) (${of('longcode_lane_waiting')}))`,
          '{{account}}',
        ],
      ]),
    ],
    'Who spends': [
      panel(
        'Spent on messages in the last hour',
        'currencyUSD',
        [
          [
            `topk(10, clamp_min(delta(max by (account) (${of('longcode_account_spent_dollars')})[1h:1m]), 0))`,
            '{{account}}',
          ],
        ],
        'Of the 20 accounts that have spent the most.',
      ),
      panel('Balance of these accounts', 'currencyUSD', [
        [`max by (account) (${of('longcode_account_balance_dollars')})`, '{{account}}'],
      ]),
      panel('Requests refused, by status', 'reqps', [
        [
          `sum by (status) (${rate('longcode_http_requests_total', 'status=~"401|402|403|429"')})`,
          '{{status}}',
        ],
      ]),
    ],
  },
}

const MONEY: Dashboard = {
  uid: 'longcode-money',
  title: 'Longcode: money',
  rows: {
    'The books': [
      panel(
        'Ledgers that do not add up',
        'short',
        [[`max(${of('longcode_ledger_drift')})`, 'ledgers']],
        'Always 0. Anything else is a bug.',
      ),
      panel('Time since the last check', 's', [
        [`min(${of('longcode_ledger_drift_age_seconds')})`, 'age'],
      ]),
      panel('Accounts with less than one cent', 'short', [
        [`max(${of('longcode_accounts_empty')})`, 'accounts'],
      ]),
      panel('Accounts at or near a quota', 'short', [
        [`max by (quota) (${of('longcode_accounts_at_quota')})`, 'at {{quota}}'],
        [`max by (quota) (${of('longcode_accounts_near_quota')})`, 'near {{quota}}'],
      ]),
    ],
    Amounts: [
      panel(
        'Balances of customers',
        'currencyUSD',
        [[`max(${of('longcode_ledger_dollars', 'ledger="wallet"')})`, 'prepaid']],
        'What customers have paid and not used.',
      ),
      panel(
        'Income per hour',
        'currencyUSD',
        [
          [
            `delta(max by (ledger) (${of('longcode_ledger_dollars', 'ledger=~"messages|numbers|fees"')})[1h:1m])`,
            '{{ledger}}',
          ],
        ],
        'Messages after refunds, numbers and calls, and campaign fees.',
      ),
      panel('Credit per hour', 'currencyUSD', [
        [
          `-delta(max(${of('longcode_ledger_dollars', 'ledger="funding"')})[1h:1m])`,
          'added, less corrections',
        ],
      ]),
    ],
  },
}

export const DASHBOARDS: Readonly<Record<string, Dashboard>> = {
  service: SERVICE,
  carriers: CARRIERS,
  tenants: TENANTS,
  money: MONEY,
}

const SOURCE = { type: 'prometheus', uid: '$' + '{datasource}' }
const PANELS_PER_ROW = 3
const WIDTH = 24 / PANELS_PER_ROW
const HEIGHT = 8

/** As Grafana imports it. */
export function dashboardText({ uid, title, rows }: Dashboard): string {
  const panels: object[] = []
  let y = 0
  for (const [heading, row] of Object.entries(rows)) {
    panels.push(rowJson(panels.length + 1, heading, y))
    y += 1
    for (const [i, one] of row.entries()) {
      const place = {
        x: (i % PANELS_PER_ROW) * WIDTH,
        y: y + Math.floor(i / PANELS_PER_ROW) * HEIGHT,
      }
      panels.push(panelJson(panels.length + 1, one, place))
    }
    y += Math.ceil(row.length / PANELS_PER_ROW) * HEIGHT
  }
  const view = { timezone: 'browser', refresh: '30s', time: { from: 'now-3h', to: 'now' } }
  const format = { schemaVersion: 39, version: 1, editable: true, graphTooltip: 1 }
  const templating = { list: VARIABLES }
  const all = { uid, title, tags: ['longcode'], ...format, ...view, templating, panels }
  return `${JSON.stringify(all, null, 2)}\n`
}

const VARIABLES = [
  { name: 'datasource', type: 'datasource', query: 'prometheus', label: 'Prometheus', current: {} },
  {
    ...{ name: 'job', type: 'query', label: 'Job', datasource: SOURCE, refresh: 2 },
    query: { query: 'label_values(longcode_messages_accepted_total, job)', refId: 'job' },
    ...{ includeAll: true, multi: true, allValue: '.*' },
    current: { text: 'All', value: '$__all' },
  },
]

function rowJson(id: number, title: string, y: number): object {
  return { id, type: 'row', title, collapsed: false, panels: [], gridPos: { h: 1, w: 24, x: 0, y } }
}

function panelJson(
  id: number,
  { title, unit, lines, description = '' }: Panel,
  place: { x: number; y: number },
): object {
  const targets = lines.map(([expr, legendFormat], i) => ({
    refId: String.fromCharCode('A'.charCodeAt(0) + i),
    ...{ expr, legendFormat, datasource: SOURCE },
  }))
  return {
    ...{ id, type: 'timeseries', title, description, datasource: SOURCE },
    gridPos: { h: HEIGHT, w: WIDTH, ...place },
    fieldConfig: { defaults: { unit }, overrides: [] },
    options: {
      legend: { displayMode: 'list', placement: 'bottom' },
      tooltip: { mode: 'multi', sort: 'desc' },
    },
    targets,
  }
}
