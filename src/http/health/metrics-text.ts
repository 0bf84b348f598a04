// The Prometheus text format (exposition format 0.0.4). Pure.

import type { Counter, Histogram } from '../../kit/metrics.js'

export interface Gauge {
  name: string
  help: string
  /** For values that the system counts. Default: gauge. */
  type?: 'gauge' | 'counter'
  labelNames?: readonly string[]
  samples: readonly { labels?: readonly string[]; value: number }[]
}

/** What a block needs of a counter. */
type CounterFamily = Pick<Counter, 'name' | 'help' | 'labelNames' | 'samples'>

/** New names and the old ones, which the next minor version removes (docs/operations.md). */
export const OLD_NAMES: Readonly<Record<string, string>> = {
  longcode_provider_numbers_stuck: 'longcode_rented_numbers_stuck',
  longcode_webhooks_disabled: 'longcode_webhooks_off',
  longcode_database_workers_unreachable: 'longcode_database_workers_away',
  longcode_carrier_receipts_unmatched: 'longcode_carrier_receipts_waiting',
  longcode_smpp_unexpected_total: 'longcode_smpp_oddities_total',
}

/** Each family, followed by the same under its old name if it has one. */
function withOldNames<Family extends { name: string; help: string }>(
  families: readonly Family[],
): Family[] {
  return families.flatMap((family) => {
    const name = OLD_NAMES[family.name]
    return name ? [family, { ...family, name, help: `Deprecated: use ${family.name}` }] : [family]
  })
}

export const METRICS_TYPE = 'text/plain; version=0.0.4; charset=utf-8'

export function formatMetrics(
  counters: readonly Counter[],
  histograms: readonly Histogram[],
  gauges: readonly Gauge[],
): string {
  const blocks = [
    ...withOldNames(counters.map(familyOf)).map((counter) =>
      block(counter, 'counter', (line) => {
        for (const { labels, value } of counter.samples()) {
          line('', labelsOf(counter.labelNames, labels), value)
        }
      }),
    ),
    ...byName(histograms).map((family) =>
      block(family[0]!, 'histogram', (line) => {
        for (const histogram of family) histogramLines(histogram, line)
      }),
    ),
    ...withOldNames(gauges).map((gauge) =>
      block(gauge, gauge.type ?? 'gauge', (line) => {
        for (const { labels = [], value } of gauge.samples) {
          line('', labelsOf(gauge.labelNames ?? [], labels), value)
        }
      }),
    ),
  ]
  return `${blocks.join('\n')}\n`
}

function familyOf(counter: Counter): CounterFamily {
  const { name, help, labelNames } = counter
  return { name, help, labelNames, samples: () => counter.samples() }
}

type Line = (suffix: string, labels: string, value: number) => void

function block(
  { name, help }: { name: string; help: string },
  type: string,
  write: (line: Line) => void,
): string {
  const lines = [`# HELP ${name} ${escapeHelp(help)}`, `# TYPE ${name} ${type}`]
  write((suffix, labels, value) => lines.push(`${name}${suffix}${labels} ${formatValue(value)}`))
  return lines.join('\n')
}

/** Samples that differ only in labels share one heading. */
function byName(histograms: readonly Histogram[]): Histogram[][] {
  const families = new Map<string, Histogram[]>()
  for (const histogram of histograms) {
    families.set(histogram.name, [...(families.get(histogram.name) ?? []), histogram])
  }
  return [...families.values()]
}

// Each bucket counts all observations up to its bound, hence the running sum.
function histogramLines({ labels, ...histogram }: Histogram, line: Line): void {
  const names = Object.keys(labels)
  const values = Object.values(labels)
  let total = 0
  for (const [i, count] of histogram.counts.entries()) {
    total += count
    const bound = histogram.bounds[i] === undefined ? '+Inf' : String(histogram.bounds[i])
    line('_bucket', labelsOf([...names, 'le'], [...values, bound]), total)
  }
  line('_sum', labelsOf(names, values), histogram.sum)
  line('_count', labelsOf(names, values), histogram.count)
}

function labelsOf(names: readonly string[], values: readonly string[]): string {
  if (names.length === 0) return ''
  return `{${names.map((name, i) => `${name}="${escapeLabel(values[i] ?? '')}"`).join(',')}}`
}

function escapeLabel(text: string): string {
  return text.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')
}

function escapeHelp(text: string): string {
  return text.replaceAll('\\', '\\\\').replaceAll('\n', '\\n')
}

function formatValue(value: number): string {
  if (value === Number.POSITIVE_INFINITY) return '+Inf'
  if (value === Number.NEGATIVE_INFINITY) return '-Inf'
  return String(value)
}
