// The last minutes: messages accepted in each, and how many of them still wait or failed, from one baseline. Its
// sentence and table say the same for screen reader users.

import { useId } from 'react'
import type { RecentMinute } from '../../../../generated/types.gen'
import { formatCount } from '../../../lib/format'
import { ChartFigure } from '../../../ui/display/ChartFigure'

const HEIGHT = 140
const FOOT = 20

export function MinutesChart({ minutes }: { minutes: readonly RecentMinute[] }) {
  return (
    <ChartFigure
      sentence={sentenceOf(minutes)}
      picture={<Drawing minutes={minutes} />}
      table={<MinuteTable minutes={minutes} />}
    />
  )
}

function sentenceOf(minutes: readonly RecentMinute[]): string {
  const sum = (of: 'accepted' | 'waiting' | 'failed') =>
    formatCount(minutes.reduce((all, minute) => all + minute[of], 0))
  return `${sum('accepted')} accepted in ${minutes.length} minutes: ${sum('waiting')} waiting, ${sum('failed')} failed.`
}

function labelOf({ start }: RecentMinute): string {
  return new Date(start).toLocaleTimeString('en-US', { hour: 'numeric', minute: '2-digit' })
}

function Drawing({ minutes }: { minutes: readonly RecentMinute[] }) {
  const hatch = useId()
  const most = Math.max(1, ...minutes.map(({ accepted }) => accepted))
  const step = 100 / minutes.length
  const tall = (value: number) => (value / most) * (HEIGHT - FOOT - 8)
  const bar = (i: number, value: number, inset: number, className: string, fill?: string) => {
    const height = value > 0 ? Math.max(2, tall(value)) : 0
    return (
      <rect
        x={`${i * step + inset * step}%`}
        width={`${step * (0.8 - 2 * inset)}%`}
        y={HEIGHT - FOOT - height}
        height={height}
        className={className}
        {...(fill && { fill })}
      />
    )
  }
  return (
    <div aria-hidden="true">
      <svg width="100%" height={HEIGHT} aria-hidden="true">
        <defs>
          {(['warn', 'bad'] as const).map((tone) => (
            <pattern
              key={tone}
              id={`${hatch}-${tone}`}
              width="6"
              height="6"
              patternUnits="userSpaceOnUse"
              patternTransform={`rotate(${tone === 'bad' ? 45 : -45})`}
            >
              <rect
                width="6"
                height="6"
                className={tone === 'bad' ? 'fill-bad-soft' : 'fill-warn-soft'}
              />
              <rect
                width="3"
                height="6"
                className={tone === 'bad' ? 'fill-bad-solid' : 'fill-warn-solid'}
              />
            </pattern>
          ))}
        </defs>
        {minutes.map((minute, i) => (
          <g key={minute.start}>
            {bar(i, minute.accepted, 0, 'fill-accent')}
            {bar(i, minute.waiting, 0.1, '', `url(#${hatch}-warn)`)}
            {bar(i, minute.failed, 0.25, '', `url(#${hatch}-bad)`)}
            {i % 5 === 0 || i === minutes.length - 1 ? (
              <text
                x={i === 0 ? '0' : i === minutes.length - 1 ? '100%' : `${(i + 0.4) * step}%`}
                y={HEIGHT - 4}
                textAnchor={i === 0 ? 'start' : i === minutes.length - 1 ? 'end' : 'middle'}
                className="fill-ink-3 text-xs"
              >
                {labelOf(minute)}
              </text>
            ) : null}
          </g>
        ))}
        <line
          x1="0"
          x2="100%"
          y1={HEIGHT - FOOT}
          y2={HEIGHT - FOOT}
          className="stroke-line-strong"
        />
      </svg>
      <p className="mt-2 flex flex-wrap gap-4 text-xs text-ink-2">
        <span className="flex items-center gap-1.5">
          <span className="size-3 bg-accent" /> accepted
        </span>
        <span className="flex items-center gap-1.5">
          <span className="size-3 bg-[repeating-linear-gradient(-45deg,var(--color-warn-solid)_0_2px,var(--color-warn-soft)_2px_4px)]" />
          waiting
        </span>
        <span className="flex items-center gap-1.5">
          <span className="size-3 bg-[repeating-linear-gradient(45deg,var(--color-bad-solid)_0_2px,var(--color-bad-soft)_2px_4px)]" />
          failed
        </span>
      </p>
    </div>
  )
}

const COLUMNS = ['accepted', 'sent', 'delivered', 'waiting', 'failed'] as const

function MinuteTable({ minutes }: { minutes: readonly RecentMinute[] }) {
  return (
    <div className="overflow-x-auto">
      <table className="w-full border-collapse">
        <thead>
          <tr className="text-left text-xs text-ink-2">
            <th className="py-1 font-medium">Minute</th>
            {COLUMNS.map((name) => (
              <th key={name} className="py-1 text-right font-medium capitalize">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {minutes.map((minute) => (
            <tr key={minute.start} className="border-t border-line">
              <td className="py-1">{labelOf(minute)}</td>
              {COLUMNS.map((name) => (
                <td key={name} className="py-1 text-right">
                  {formatCount(minute[name])}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
