// Forwarded and refused calls of the last days, side by side. Its sentence and table say the same for screen reader
// users.

import { useId } from 'react'
import type { DayOfCalls } from '../../../generated/types.gen'
import { DAY_MS } from '../../lib/durations'
import { formatCount, plural } from '../../lib/format'
import { useWidth } from '../../lib/use-width'
import { ChartFigure } from '../../ui/display/ChartFigure'
import { ChartKey, Hatch } from '../../ui/display/chart-marks'

const HEIGHT = { bars: 84, labels: 20 }
const TOTAL = HEIGHT.bars + HEIGHT.labels
const LABEL_WIDTH = 56
const SHORTEST_LABEL = 40

type Bar = Pick<DayOfCalls, 'day' | 'redirected' | 'refused'>

/** `days` has no entry for days without calls. Days are UTC. */
export function CallChart({ days, count, now }: { days: DayOfCalls[]; count: number; now: Date }) {
  const bars = barsOf(days, count, now)
  return (
    <ChartFigure
      sentence={sentenceOf(bars)}
      picture={<Bars bars={bars} />}
      table={<BarTable bars={bars} />}
    />
  )
}

function barsOf(days: readonly DayOfCalls[], count: number, now: Date): Bar[] {
  const byDay = new Map(days.map((one) => [one.day, one]))
  return Array.from({ length: count }, (_, i) => {
    const day = new Date(now.getTime() - (count - 1 - i) * DAY_MS).toISOString().slice(0, 10)
    return byDay.get(day) ?? { day, redirected: 0, refused: 0 }
  })
}

function formatDay({ day }: Bar): string {
  const options = { day: 'numeric', month: 'short', timeZone: 'UTC' } as const
  return new Date(day).toLocaleDateString('en-US', options)
}

function sentenceOf(bars: readonly Bar[]): string {
  const redirected = bars.reduce((sum, bar) => sum + bar.redirected, 0)
  const refused = bars.reduce((sum, bar) => sum + bar.refused, 0)
  return `${formatCount(redirected)} forwarded, ${formatCount(refused)} refused in the last ${bars.length} days.`
}

function Bars({ bars }: { bars: readonly Bar[] }) {
  const [box, width] = useWidth()
  return (
    <>
      <div ref={box} style={{ height: TOTAL }} aria-hidden="true">
        {width > 0 ? <Drawing bars={bars} width={width} /> : null}
      </div>
      <ChartKey
        marks={[
          ['good', 'forwarded'],
          ['failed', 'refused'],
        ]}
      />
    </>
  )
}

function Drawing({ bars, width }: { bars: readonly Bar[]; width: number }) {
  const hatch = useId()
  const most = Math.max(1, ...bars.flatMap(({ redirected, refused }) => [redirected, refused]))
  const step = width / bars.length
  const thick = Math.max(2, step * 0.36)
  const every = Math.max(1, Math.ceil(LABEL_WIDTH / step))
  const tall = (value: number) => (value / most) * (HEIGHT.bars - 14)
  return (
    <svg width={width} height={TOTAL} aria-hidden="true">
      <Hatch id={hatch} />
      <text x="0" y="10" className="fill-ink-3 text-xs">
        {formatCount(most)}
      </text>
      <line x1="0" x2={width} y1={HEIGHT.bars} y2={HEIGHT.bars} className="stroke-line" />
      {bars.map((bar, i) => {
        const middle = (i + 0.5) * step
        const [up, down] = [tall(bar.redirected), tall(bar.refused)]
        return (
          <g key={bar.day}>
            <title>{`${formatDay(bar)}: ${plural(bar.redirected, 'call')} forwarded, ${bar.refused} refused`}</title>
            <rect x={i * step} y="0" width={step} height={TOTAL} fill="transparent" />
            <rect
              x={middle - thick}
              y={HEIGHT.bars - up}
              width={thick}
              height={up}
              className="fill-accent"
            />
            <rect
              x={middle}
              y={HEIGHT.bars - down}
              width={thick}
              height={down}
              fill={`url(#${hatch})`}
            />
            {i % every === 0 && i * step + SHORTEST_LABEL < width ? (
              <text x={i * step} y={HEIGHT.bars + 15} className="fill-ink-3 text-xs">
                {formatDay(bar)}
              </text>
            ) : null}
          </g>
        )
      })}
    </svg>
  )
}

function BarTable({ bars }: { bars: readonly Bar[] }) {
  return (
    <section
      // biome-ignore lint/a11y/noNoninteractiveTabindex: scrolled by keyboard
      tabIndex={0}
      aria-label="Calls by day"
      className="max-h-60 overflow-y-auto"
    >
      <table className="w-full text-right">
        <thead className="sticky top-0 bg-surface">
          <tr className="text-xs text-ink-2">
            <th className="py-1 text-left font-medium">Day (UTC)</th>
            <th className="font-medium">Forwarded</th>
            <th className="font-medium">Refused</th>
          </tr>
        </thead>
        <tbody>
          {bars.toReversed().map((bar) => (
            <tr key={bar.day} className="border-t border-line">
              <td className="py-1 text-left">{formatDay(bar)}</td>
              <td>{formatCount(bar.redirected)}</td>
              <td>{formatCount(bar.refused)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}
