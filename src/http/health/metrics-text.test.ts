// The exposition format must be exactly what a scraper expects.

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { Metrics } from '../../kit/metrics.js'
import { formatMetrics, OLD_NAMES } from './metrics-text.js'

test('counters, histograms, and gauges use the Prometheus format', () => {
  const metrics = new Metrics()
  metrics.counter('sends_total', 'Sends').add(3)
  const answers = metrics.counter('answers_total', 'Answers, by "code"\nand kind', ['kind', 'code'])
  answers.add(1, 'failed', '1350')
  answers.add(2, 'failed', '1350')
  answers.add(1, 'a"b\\c\nd', '')
  const histogram = metrics.histogram('took_seconds', 'How long')
  for (const value of [0.001, 0.002, 0.3, 60]) histogram.observe(value)
  const labelled = metrics.histogram('by_link_seconds', 'By link', { link: 'a"b' })
  labelled.observe(7)
  metrics.histogram('by_link_seconds', 'By link', { link: 'c' })
  const text = formatMetrics(metrics.counters(), metrics.histograms(), [
    { name: 'depth', help: 'Depth', labelNames: ['route'], samples: [] },
    { name: 'up', help: 'Up', samples: [{ value: 1 }] },
  ])
  assert.equal(
    text,
    `# HELP sends_total Sends
# TYPE sends_total counter
sends_total 3
# HELP answers_total Answers, by "code"\\nand kind
# TYPE answers_total counter
answers_total{kind="failed",code="1350"} 3
answers_total{kind="a\\"b\\\\c\\nd",code=""} 1
# HELP took_seconds How long
# TYPE took_seconds histogram
took_seconds_bucket{le="0.001"} 1
took_seconds_bucket{le="0.0025"} 2
took_seconds_bucket{le="0.005"} 2
took_seconds_bucket{le="0.01"} 2
took_seconds_bucket{le="0.025"} 2
took_seconds_bucket{le="0.05"} 2
took_seconds_bucket{le="0.1"} 2
took_seconds_bucket{le="0.25"} 2
took_seconds_bucket{le="0.5"} 3
took_seconds_bucket{le="1"} 3
took_seconds_bucket{le="2.5"} 3
took_seconds_bucket{le="5"} 3
took_seconds_bucket{le="10"} 3
took_seconds_bucket{le="+Inf"} 4
took_seconds_sum 60.303
took_seconds_count 4
# HELP by_link_seconds By link
# TYPE by_link_seconds histogram
by_link_seconds_bucket{link="a\\"b",le="0.001"} 0
by_link_seconds_bucket{link="a\\"b",le="0.0025"} 0
by_link_seconds_bucket{link="a\\"b",le="0.005"} 0
by_link_seconds_bucket{link="a\\"b",le="0.01"} 0
by_link_seconds_bucket{link="a\\"b",le="0.025"} 0
by_link_seconds_bucket{link="a\\"b",le="0.05"} 0
by_link_seconds_bucket{link="a\\"b",le="0.1"} 0
by_link_seconds_bucket{link="a\\"b",le="0.25"} 0
by_link_seconds_bucket{link="a\\"b",le="0.5"} 0
by_link_seconds_bucket{link="a\\"b",le="1"} 0
by_link_seconds_bucket{link="a\\"b",le="2.5"} 0
by_link_seconds_bucket{link="a\\"b",le="5"} 0
by_link_seconds_bucket{link="a\\"b",le="10"} 1
by_link_seconds_bucket{link="a\\"b",le="+Inf"} 1
by_link_seconds_sum{link="a\\"b"} 7
by_link_seconds_count{link="a\\"b"} 1
by_link_seconds_bucket{link="c",le="0.001"} 0
by_link_seconds_bucket{link="c",le="0.0025"} 0
by_link_seconds_bucket{link="c",le="0.005"} 0
by_link_seconds_bucket{link="c",le="0.01"} 0
by_link_seconds_bucket{link="c",le="0.025"} 0
by_link_seconds_bucket{link="c",le="0.05"} 0
by_link_seconds_bucket{link="c",le="0.1"} 0
by_link_seconds_bucket{link="c",le="0.25"} 0
by_link_seconds_bucket{link="c",le="0.5"} 0
by_link_seconds_bucket{link="c",le="1"} 0
by_link_seconds_bucket{link="c",le="2.5"} 0
by_link_seconds_bucket{link="c",le="5"} 0
by_link_seconds_bucket{link="c",le="10"} 0
by_link_seconds_bucket{link="c",le="+Inf"} 0
by_link_seconds_sum{link="c"} 0
by_link_seconds_count{link="c"} 0
# HELP depth Depth
# TYPE depth gauge
# HELP up Up
# TYPE up gauge
up 1
`,
  )
})

test('the same name gives the same counter, which starts at zero', () => {
  const metrics = new Metrics()
  metrics.counter('a_total', 'A').add(1)
  metrics.counter('a_total', 'A').add(1)
  metrics.counter('b_total', 'B')
  assert.deepEqual(
    metrics.counters().map((counter) => counter.samples()),
    [[{ labels: [], value: 2 }], [{ labels: [], value: 0 }]],
  )
})

test('a system counter is typed as a counter, and infinite numbers use the Prometheus notation', () => {
  const text = formatMetrics(
    [],
    [],
    [
      { name: 'cpu_total', help: 'A \\ B', type: 'counter', samples: [{ value: 1.5 }] },
      {
        name: 'depth',
        help: 'Depth',
        labelNames: ['a', 'b'],
        samples: [
          { labels: ['x', 'y'], value: Number.POSITIVE_INFINITY },
          { labels: ['z'], value: Number.NEGATIVE_INFINITY },
        ],
      },
    ],
  )
  assert.equal(
    text,
    `# HELP cpu_total A \\\\ B
# TYPE cpu_total counter
cpu_total 1.5
# HELP depth Depth
# TYPE depth gauge
depth{a="x",b="y"} +Inf
depth{a="z",b=""} -Inf
`,
  )
})

test('renamed metrics are exposed under their old names, too', () => {
  const metrics = new Metrics()
  metrics.counter('longcode_smpp_unexpected_total', 'Unexpected', ['link']).add(2, 'main')
  const text = formatMetrics(
    metrics.counters(),
    [],
    [{ name: 'longcode_webhooks_disabled', help: 'Disabled webhooks', samples: [{ value: 3 }] }],
  )
  assert.equal(
    text,
    `# HELP longcode_smpp_unexpected_total Unexpected
# TYPE longcode_smpp_unexpected_total counter
longcode_smpp_unexpected_total{link="main"} 2
# HELP longcode_smpp_oddities_total Deprecated: use longcode_smpp_unexpected_total
# TYPE longcode_smpp_oddities_total counter
longcode_smpp_oddities_total{link="main"} 2
# HELP longcode_webhooks_disabled Disabled webhooks
# TYPE longcode_webhooks_disabled gauge
longcode_webhooks_disabled 3
# HELP longcode_webhooks_off Deprecated: use longcode_webhooks_disabled
# TYPE longcode_webhooks_off gauge
longcode_webhooks_off 3
`,
  )
})

test('the documentation lists every old name with its new one', () => {
  const text = readFileSync('docs/operations.md', 'utf8')
  for (const [name, old] of Object.entries(OLD_NAMES)) {
    assert.ok(text.includes(`| \`${old}\` | \`${name}\` |`), name)
  }
})
