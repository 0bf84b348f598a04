// Counters and histograms of this process, for Prometheus. A module gets its own by name and counts with
// plain additions. http/health/metrics.ts prints them all on a scrape.

export interface MetricSample {
  /** Label values, in the order of the metric's label names. */
  labels: readonly string[]
  value: number
}

/** One line of a counter. Code that counts often keeps it: counting is then one addition. */
export interface CounterCell {
  value: number
}

export class Counter {
  readonly #cells = new Map<string, CounterCell>()

  constructor(
    readonly name: string,
    readonly help: string,
    readonly labelNames: readonly string[],
  ) {}

  cell(...labels: string[]): CounterCell {
    const key = labels.join('\0')
    let cell = this.#cells.get(key)
    if (!cell) {
      cell = { value: 0 }
      this.#cells.set(key, cell)
    }
    return cell
  }

  add(amount: number, ...labels: string[]): void {
    this.cell(...labels).value += amount
  }

  samples(): MetricSample[] {
    return [...this.#cells].map(([key, { value }]) => ({
      labels: this.labelNames.length === 0 ? [] : key.split('\0'),
      value,
    }))
  }
}

/** Names and values that distinguish metrics of the same name. */
type Labels = Readonly<Record<string, string>>

export class Histogram {
  readonly counts: number[]
  sum = 0
  count = 0

  /** Bounds in ascending order, followed by one bucket without a bound. */
  constructor(
    readonly name: string,
    readonly help: string,
    readonly bounds: readonly number[],
    readonly labels: Labels,
  ) {
    this.counts = new Array(bounds.length + 1).fill(0)
  }

  observe(value: number): void {
    let i = 0
    while (i < this.bounds.length && value > this.bounds[i]!) i += 1
    this.counts[i]! += 1
    this.sum += value
    this.count += 1
  }
}

/** From a millisecond to ten seconds: outside this range, the exact value does not matter. */
const SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

export class Metrics {
  readonly #counters = new Map<string, Counter>()
  readonly #histograms = new Map<string, Histogram>()

  /** The same name gives the same counter. */
  counter(name: string, help: string, labelNames: readonly string[] = []): Counter {
    const counter = this.#counters.get(name) ?? new Counter(name, help, labelNames)
    this.#counters.set(name, counter)
    if (labelNames.length === 0) counter.cell() // zero is printed too
    return counter
  }

  /** For durations in seconds. The same name and labels give the same histogram. */
  histogram(name: string, help: string, labels: Labels = {}): Histogram {
    const key = JSON.stringify([name, labels])
    const histogram = this.#histograms.get(key) ?? new Histogram(name, help, SECONDS, labels)
    this.#histograms.set(key, histogram)
    return histogram
  }

  counters(): Counter[] {
    return [...this.#counters.values()]
  }

  histograms(): Histogram[] {
    return [...this.#histograms.values()]
  }
}
