// Attempts over time with failed ones hatched, and response times below. Its sentence and table say the same for
// screen reader users.

import { useId } from 'react'
import type { Bucket } from '../../lib/delivery-figures'
import { formatCount, plural } from '../../lib/format'
import { formatSince } from '../../lib/format-time'
import { useWidth } from '../../lib/use-width'
import { ChartFigure } from '../../ui/display/ChartFigure'
import { ChartKey, Hatch } from '../../ui/display/chart-marks'

const HEIGHT = { bars: 62, labels: 20, line: 34 }
const TOTAL = HEIGHT.bars + HEIGHT.labels + HEIGHT.line
const LABEL_WIDTH = 96
const SHORTEST_LABEL = 40

export function AttemptChart({ buckets }: { buckets: readonly Bucket[] }) {
  return (
    <ChartFigure
      sentence={sentenceOf(buckets)}
      picture={<Drawing buckets={buckets} />}
      table={<BucketTable buckets={buckets} />}
    />
  )
}

function describeStart({ start }: Bucket): string {
  return formatSince(start, new Date(start.getTime() + 1))
}

function sentenceOf(buckets: readonly Bucket[]): string {
  const attempts = buckets.reduce((sum, one) => sum + one.attempts, 0)
  const failed = buckets.reduce((sum, one) => sum + one.failed, 0)
  const worst = buckets.reduce((a, b) => (b.failed > a.failed ? b : a), buckets[0]!)
  const where = failed > 0 ? `, most failures at ${describeStart(worst)} (${worst.failed})` : ''
  return `${plural(attempts, 'attempt')}, ${formatCount(failed)} failed${where}.`
}

function Drawing({ buckets }: { buckets: readonly Bucket[] }) {
  const [box, width] = useWidth()
  return (
    <>
      <div ref={box} style={{ height: TOTAL }} aria-hidden="true">
        {width > 0 ? (
          <svg width={width} height={TOTAL} aria-hidden="true">
            <Bars buckets={buckets} width={width} />
            <AnswerTimes buckets={buckets} width={width} />
          </svg>
        ) : null}
      </div>
      <ChartKey
        marks={[
          ['good', 'attempts'],
          ['failed', 'failed'],
          ['line', 'p95 response time'],
        ]}
      />
    </>
  )
}

interface PartProps {
  buckets: readonly Bucket[]
  width: number
}

function Bars({ buckets, width }: PartProps) {
  const hatch = useId()
  const most = Math.max(1, ...buckets.map(({ attempts }) => attempts))
  const step = width / buckets.length
  const every = Math.max(1, Math.ceil(LABEL_WIDTH / step))
  const tall = (value: number) => (value / most) * (HEIGHT.bars - 14)
  const bar = { width: Math.max(2, step * 0.7) }
  return (
    <>
      <Hatch id={hatch} />
      <text x="0" y="10" className="fill-ink-3 text-xs">
        {formatCount(most)}
      </text>
      <line x1="0" x2={width} y1={HEIGHT.bars} y2={HEIGHT.bars} className="stroke-line" />
      {buckets.map((bucket, i) => {
        const { start, attempts, failed, p95Ms } = bucket
        const x = i * step + (step - bar.width) / 2
        const took = p95Ms === null ? '' : `, p95 ${p95Ms} ms`
        return (
          <g key={start.getTime()}>
            <title>{`${describeStart(bucket)}: ${plural(attempts, 'attempt')}, ${failed} failed${took}`}</title>
            <rect x={i * step} y="0" width={step} height={TOTAL} fill="transparent" />
            <rect
              {...bar}
              x={x}
              y={HEIGHT.bars - tall(attempts)}
              height={tall(attempts)}
              className="fill-accent"
            />
            <rect
              {...bar}
              x={x}
              y={HEIGHT.bars - tall(failed)}
              height={tall(failed)}
              fill={`url(#${hatch})`}
            />
            {i % every === 0 && i * step + SHORTEST_LABEL < width ? (
              <text x={i * step} y={HEIGHT.bars + 15} className="fill-ink-3 text-xs">
                {describeStart(bucket)}
              </text>
            ) : null}
          </g>
        )
      })}
    </>
  )
}

function AnswerTimes({ buckets, width }: PartProps) {
  const most = Math.max(1, ...buckets.map(({ p95Ms }) => p95Ms ?? 0))
  const step = width / buckets.length
  const points = buckets.flatMap(({ p95Ms }, i) =>
    p95Ms === null
      ? []
      : [{ x: (i + 0.5) * step, y: TOTAL - 2 - (p95Ms / most) * (HEIGHT.line - 16) }],
  )
  if (points.length === 0) return null
  return (
    <>
      <text x="0" y={HEIGHT.bars + HEIGHT.labels + 11} className="fill-ink-3 text-xs">
        p95 up to {formatCount(most)} ms
      </text>
      <polyline
        points={points.map(({ x, y }) => `${x},${y}`).join(' ')}
        className="fill-none stroke-plan-solid"
        strokeWidth="1.5"
      />
      {points.map(({ x, y }) => (
        <circle key={x} cx={x} cy={y} r="2.5" className="fill-plan-solid" />
      ))}
    </>
  )
}

function BucketTable({ buckets }: { buckets: readonly Bucket[] }) {
  return (
    <section
      // biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable regions must be reachable by keyboard
      tabIndex={0}
      aria-label="Attempts by time"
      className="max-h-60 overflow-y-auto"
    >
      <table className="w-full text-right">
        <thead className="sticky top-0 bg-surface">
          <tr className="text-xs text-ink-2">
            <th className="py-1 text-left font-medium">From</th>
            <th className="font-medium">Attempts</th>
            <th className="font-medium">Failed</th>
            <th className="font-medium">p95 (ms)</th>
          </tr>
        </thead>
        <tbody>
          {buckets.map((bucket) => (
            <tr key={bucket.start.getTime()} className="border-t border-line">
              <td className="py-1 text-left">{describeStart(bucket)}</td>
              <td>{formatCount(bucket.attempts)}</td>
              <td>{formatCount(bucket.failed)}</td>
              <td>{bucket.p95Ms ?? '–'}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}
