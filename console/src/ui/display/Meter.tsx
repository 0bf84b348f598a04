// How much of a limit is used: a bar, and the same in words. It warns from 80% on and marks the limit by color and by
// words.

import { Meter as BaseMeter } from '@base-ui/react/meter'
import type { ReactNode } from 'react'

interface MeterProps {
  label: string
  value: number
  max: number
  /** The visible value, such as "182 / 240". */
  text: string
  /** The full text for screen readers: "182 of 240 segments in the last minute". */
  spoken?: string
  help?: ReactNode
}

export function Meter({ label, value, max, text, spoken, help }: MeterProps) {
  const share = max > 0 ? value / max : 0
  const tone = share >= 1 ? 'bg-bad-solid' : share >= 0.8 ? 'bg-warn-solid' : 'bg-accent'
  return (
    <BaseMeter.Root
      value={Math.min(value, max)}
      max={Math.max(max, 1)}
      aria-valuetext={spoken ?? text}
      className="grid grid-cols-[minmax(0,1fr)_auto] gap-x-3 gap-y-1"
    >
      <BaseMeter.Label className="font-medium">{label}</BaseMeter.Label>
      <span aria-hidden="true">{text}</span>
      <BaseMeter.Track className="meter col-span-2 h-2 overflow-hidden rounded-sm bg-hover">
        <BaseMeter.Indicator className={`block h-full ${tone}`} />
      </BaseMeter.Track>
      {help ? <div className="col-span-2 text-sm text-ink-2">{help}</div> : null}
    </BaseMeter.Root>
  )
}
