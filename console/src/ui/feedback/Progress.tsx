// Progress of something that finishes automatically: a bar, and the same in words.

import { Progress as BaseProgress } from '@base-ui/react/progress'

interface ProgressProps {
  label: string
  value: number
  max: number
  /** Such as "30 of 37 done, 7 left". */
  text: string
}

export function Progress({ label, value, max, text }: ProgressProps) {
  return (
    <BaseProgress.Root
      value={Math.min(value, max)}
      max={Math.max(max, 1)}
      aria-valuetext={text}
      className="flex flex-wrap items-baseline gap-x-3 gap-y-1"
    >
      <BaseProgress.Label className="font-medium">{label}</BaseProgress.Label>
      <span aria-hidden="true" className="ml-auto text-ink-2">
        {text}
      </span>
      <BaseProgress.Track className="meter h-2 basis-full overflow-hidden rounded-sm bg-hover">
        <BaseProgress.Indicator className="block h-full bg-accent" />
      </BaseProgress.Track>
    </BaseProgress.Root>
  )
}
