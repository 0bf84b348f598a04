// The balance of 30 days as steps, with a dashed forecast. Its sentence and table say the same for screen reader
// users, and the arrow keys move from day to day.

import { type KeyboardEvent, useState } from 'react'
import type { DayBalance } from '../../../generated/types.gen'
import type { Forecast } from '../../lib/forecast'
import { floorMoney, formatMoney } from '../../lib/format'
import { useWidth } from '../../lib/use-width'
import { ChartFigure } from '../../ui/display/ChartFigure'
import { type BalanceDay, daysOf, describeDay, sentenceOf } from './balance-days'

const HEIGHT = { plot: 160, labels: 20 }
const TOTAL = HEIGHT.plot + HEIGHT.labels
/** The distance between labels, wide enough for the longest (Nov 28). */
const LABEL_WIDTH = 64
const LABEL_TEXT = 44

interface ChartProps {
  past: readonly DayBalance[]
  forecast: Forecast
  lowMark: number | null
}

export function BalanceChart({ past, forecast, lowMark }: ChartProps) {
  const days = daysOf(past, forecast)
  return (
    <ChartFigure
      sentence={sentenceOf(past, forecast)}
      picture={
        <Picture days={days} forecast={forecast} lowMark={lowMark} pastCount={past.length} />
      }
      table={<DayTable days={days} />}
    />
  )
}

interface PictureProps {
  days: readonly BalanceDay[]
  pastCount: number
  forecast: Forecast
  lowMark: number | null
}

function Picture(props: PictureProps) {
  const { days, pastCount } = props
  const [box, width] = useWidth()
  const [cursor, setCursor] = useState<number | null>(null)
  const move = (event: KeyboardEvent): void => {
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key]
    if (!step) return
    event.preventDefault()
    const next = (cursor ?? pastCount - 1) + (cursor === null ? 0 : step)
    setCursor(Math.max(0, Math.min(days.length - 1, next)))
  }
  return (
    <>
      <div
        ref={box}
        role="slider"
        tabIndex={0}
        aria-label="Balance by day"
        aria-valuemin={1}
        aria-valuemax={days.length}
        aria-valuenow={(cursor ?? pastCount - 1) + 1}
        aria-valuetext={describeDay(days[cursor ?? pastCount - 1]!)}
        className="rounded-sm"
        style={{ height: TOTAL }}
        onKeyDown={move}
        onBlur={() => setCursor(null)}
        onPointerLeave={() => setCursor(null)}
        onPointerMove={({ clientX, currentTarget }) => {
          const { left } = currentTarget.getBoundingClientRect()
          const share = (clientX - left) / Math.max(1, width)
          setCursor(nearest(days, share))
        }}
      >
        {width > 0 ? <Drawing {...props} width={width} cursor={cursor} /> : null}
      </div>
      <p aria-hidden="true" className="mt-1 min-h-5 text-sm text-ink-2">
        {cursor === null ? '' : describeDay(days[cursor]!)}
      </p>
    </>
  )
}

function nearest(days: readonly BalanceDay[], share: number): number {
  const [first, last] = [days[0]!.at.getTime(), days.at(-1)!.at.getTime()]
  const at = first + share * (last - first)
  const distances = days.map((day) => Math.abs(day.at.getTime() - at))
  return distances.indexOf(Math.min(...distances))
}

interface DrawingProps extends PictureProps {
  width: number
  cursor: number | null
}

function Drawing({ days, pastCount, forecast, lowMark, width, cursor }: DrawingProps) {
  const [first, last] = [days[0]!.at.getTime(), days.at(-1)!.at.getTime()]
  const most = Math.max(1, lowMark ?? 0, ...days.map(({ balance }) => balance)) * 1.12
  const x = (at: Date) => ((at.getTime() - first) / (last - first)) * width
  const y = (dollars: number) => HEIGHT.plot - (Math.max(0, dollars) / most) * (HEIGHT.plot - 4)
  const steps = days
    .slice(0, pastCount)
    .map(
      ({ at, balance }, i) => `${i === 0 ? 'M' : 'H'}${x(at)}${i === 0 ? ',' : 'V'}${y(balance)}`,
    )
  const ahead = forecast.points
    .filter(({ at }) => at.getTime() <= last)
    .concat({ at: new Date(last), balance: days.at(-1)!.balance })
    .map(({ at, balance }, i) => `${i === 0 ? 'M' : 'L'}${x(at)},${y(balance)}`)
  const shown = cursor === null ? null : days[cursor]!
  return (
    <svg width={width} height={TOTAL} aria-hidden="true">
      <Level y={y(0)} width={width} label="$0" />
      {lowMark === null ? null : (
        <Level y={y(lowMark)} width={width} label={`Alert at ${formatMoney(lowMark)}`} isMark />
      )}
      <path d={steps.join('')} fill="none" strokeWidth="2" className="stroke-accent" />
      <path
        d={ahead.join('')}
        fill="none"
        strokeWidth="2"
        strokeDasharray="5 4"
        className="stroke-wait-solid"
      />
      <NowLabel day={days[pastCount - 1]!} x={x} y={y} width={width} />
      <DayLabels days={days} x={x} width={width} />
      {shown ? (
        <>
          <line
            x1={x(shown.at)}
            x2={x(shown.at)}
            y1="0"
            y2={HEIGHT.plot}
            className="stroke-line-strong"
          />
          <circle cx={x(shown.at)} cy={y(shown.balance)} r="4" className="fill-accent" />
        </>
      ) : null}
    </svg>
  )
}

interface NowLabelProps {
  day: BalanceDay
  x: (at: Date) => number
  y: (dollars: number) => number
  width: number
}

function NowLabel({ day, x, y, width }: NowLabelProps) {
  const isLeft = x(day.at) > width / 2
  return (
    <text
      x={x(day.at) + (isLeft ? -6 : 6)}
      y={Math.max(12, y(day.balance) - 6)}
      textAnchor={isLeft ? 'end' : 'start'}
      className="fill-ink-2 text-xs"
    >
      {floorMoney(day.balance)} now
    </text>
  )
}

interface LevelProps {
  y: number
  width: number
  label: string
  isMark?: boolean
}

function Level({ y, width, label, isMark }: LevelProps) {
  return (
    <>
      <line
        x1="0"
        x2={width}
        y1={y}
        y2={y}
        strokeDasharray={isMark ? '2 3' : undefined}
        className={isMark ? 'stroke-warn-solid' : 'stroke-line'}
      />
      <text x="0" y={y - 4} className={`text-xs ${isMark ? 'fill-warn-ink' : 'fill-ink-3'}`}>
        {label}
      </text>
    </>
  )
}

interface LabelsProps {
  days: readonly BalanceDay[]
  x: (at: Date) => number
  width: number
}

function DayLabels({ days, x, width }: LabelsProps) {
  const every = Math.ceil(days.length / Math.max(1, Math.floor(width / LABEL_WIDTH)))
  return days.map(({ label, at }, i) =>
    i % every === 0 && x(at) <= width - LABEL_TEXT ? (
      <text key={label} x={x(at)} y={TOTAL - 4} className="fill-ink-3 text-xs">
        {label}
      </text>
    ) : null,
  )
}

function DayTable({ days }: { days: readonly BalanceDay[] }) {
  return (
    <div className="max-h-60 overflow-y-auto">
      <table className="w-full text-right">
        <thead className="sticky top-0 bg-surface">
          <tr className="text-xs text-ink-2">
            <th className="py-1 text-left font-medium">Day (UTC)</th>
            <th className="font-medium">Spent</th>
            <th className="font-medium">Added</th>
            <th className="font-medium">End-of-day balance</th>
          </tr>
        </thead>
        <tbody>
          {days.map(({ label, isToday, balance, spent, added }) => (
            <tr key={label} className="border-t border-line">
              <td className="py-1 text-left">{isToday ? `${label}, so far` : label}</td>
              <td>{spent === null ? 'forecast' : formatMoney(spent, 4)}</td>
              <td>{added === null ? '' : formatMoney(added, 2)}</td>
              <td>{spent === null ? formatMoney(balance, 2) : floorMoney(balance)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
