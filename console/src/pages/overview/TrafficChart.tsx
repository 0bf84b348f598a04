// Messages by hour or day: sent and failed from one baseline, received below it. Its sentence and table say the same
// for screen reader users.

import { useId } from 'react'
import type { MessageBucket } from '../../../generated/types.gen'
import { formatCount, plural } from '../../lib/format'
import { useWidth } from '../../lib/use-width'
import { ChartFigure } from '../../ui/display/ChartFigure'
import { ChartKey, Hatch } from '../../ui/display/chart-marks'

const HEIGHT = { sent: 130, received: 40, gap: 22 }
const LABEL_WIDTH = 56

interface Bar {
  start: Date
  label: string
  sent: number
  failed: number
  received: number
}

interface ChartProps {
  buckets: readonly MessageBucket[]
  isHourly: boolean
}

export function TrafficChart({ buckets, isHourly }: ChartProps) {
  const bars = buckets.map((bucket) => barOf(bucket, isHourly))
  return (
    <ChartFigure
      sentence={sentenceOf(bars, isHourly)}
      picture={<Bars bars={bars} />}
      table={<BarTable bars={bars} />}
    />
  )
}

function barOf({ start, outbound, inbound, statuses }: MessageBucket, isHourly: boolean): Bar {
  const at = new Date(start)
  const options: Intl.DateTimeFormatOptions = isHourly
    ? { hour: 'numeric', minute: '2-digit' }
    : { day: 'numeric', month: 'short', timeZone: 'UTC' }
  return {
    start: at,
    label: at.toLocaleString('en-US', options),
    sent: outbound,
    failed: statuses.FAILED + statuses.EXPIRED,
    received: inbound,
  }
}

function sentenceOf(bars: readonly Bar[], isHourly: boolean): string {
  const sum = (pick: (bar: Bar) => number) => bars.reduce((all, bar) => all + pick(bar), 0)
  const [sent, failed, received] = [
    sum((b) => b.sent),
    sum((b) => b.failed),
    sum((b) => b.received),
  ]
  const worst = bars.reduce((a, b) => (b.failed > a.failed ? b : a), bars[0]!)
  const when = `${isHourly ? 'at' : 'on'} ${worst.label}`
  const where = failed > 0 ? `, most failures ${when} (${formatCount(worst.failed)})` : ''
  return `${formatCount(sent)} sent, ${formatCount(failed)} failed, ${formatCount(received)} received${where}.`
}

function Bars({ bars }: { bars: readonly Bar[] }) {
  const [box, width] = useWidth()
  const height = HEIGHT.sent + HEIGHT.gap + HEIGHT.received + 4
  return (
    <>
      <div ref={box} style={{ height }} aria-hidden="true">
        {width > 0 ? <Drawing bars={bars} room={width} height={height} /> : null}
      </div>
      <ChartKey
        marks={[
          ['good', 'sent'],
          ['failed', 'failed'],
          ['other', 'received'],
        ]}
      />
    </>
  )
}

function Drawing({ bars, room, height }: { bars: readonly Bar[]; room: number; height: number }) {
  const hatch = useId()
  const most = Math.max(1, ...bars.map(({ sent }) => sent))
  const mostIn = Math.max(1, ...bars.map(({ received }) => received))
  const step = room / bars.length
  const width = Math.max(2, step * 0.7)
  const base = HEIGHT.sent
  const baseIn = HEIGHT.sent + HEIGHT.gap + HEIGHT.received
  const tall = (value: number, max: number, room: number) => (value / max) * (room - 12)
  const every = Math.max(1, Math.ceil(LABEL_WIDTH / step))
  return (
    <svg width={room} height={height} aria-hidden="true">
      <Hatch id={hatch} />
      <line x1="0" x2={room} y1={base} y2={base} className="stroke-line" />
      <line x1="0" x2={room} y1={baseIn} y2={baseIn} className="stroke-line" />
      <text x="0" y="10" className="fill-ink-3 text-xs">
        {formatCount(most)}
      </text>
      {bars.map(({ start, label, sent, failed, received }, i) => {
        const x = i * step + (step - width) / 2
        const [up, bad, down] = [
          tall(sent, most, HEIGHT.sent),
          tall(failed, most, HEIGHT.sent),
          tall(received, mostIn, HEIGHT.received),
        ]
        return (
          <g key={start.toISOString()}>
            <title>{`${label}: ${plural(sent, 'message')} sent, ${failed} failed, ${received} received`}</title>
            <rect x={i * step} y="0" width={step} height={baseIn} fill="transparent" />
            <rect x={x} y={base - up} width={width} height={up} className="fill-accent" />
            <rect x={x} y={base - bad} width={width} height={bad} fill={`url(#${hatch})`} />
            <rect x={x} y={baseIn - down} width={width} height={down} className="fill-plan-solid" />
            {i % every === 0 ? (
              <text x={i * step} y={base + 15} className="fill-ink-3 text-xs">
                {label}
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
    <div className="max-h-60 overflow-y-auto">
      <table className="w-full text-right">
        <thead className="sticky top-0 bg-surface">
          <tr className="text-xs text-ink-2">
            <th className="py-1 text-left font-medium">Time</th>
            <th className="font-medium">Sent</th>
            <th className="font-medium">Failed</th>
            <th className="font-medium">Received</th>
          </tr>
        </thead>
        <tbody>
          {bars.map(({ start, label, sent, failed, received }) => (
            <tr key={start.toISOString()} className="border-t border-line">
              <td className="py-1 text-left">{label}</td>
              <td>{formatCount(sent)}</td>
              <td>{formatCount(failed)}</td>
              <td>{formatCount(received)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
