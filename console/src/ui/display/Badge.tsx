// A status as icon and word on a soft background of its tone.

import type { State, Tone } from './states'

export const TONE_TEXT: Record<Tone, string> = {
  ok: 'text-ok-ink',
  go: 'text-go-ink',
  wait: 'text-wait-ink',
  plan: 'text-plan-ink',
  warn: 'text-warn-ink',
  bad: 'text-bad-ink',
}
export const TONE_SOFT: Record<Tone, string> = {
  ok: 'bg-ok-soft',
  go: 'bg-go-soft',
  wait: 'bg-wait-soft',
  plan: 'bg-plan-soft',
  warn: 'bg-warn-soft',
  bad: 'bg-bad-soft',
}

export function Badge({ state, suffix }: { state: State; suffix?: string }) {
  const { tone, icon: Icon, word, meaning } = state
  return (
    <span
      className={`badge inline-flex items-center gap-1 rounded-sm px-1.5 py-0.5 text-sm font-medium whitespace-nowrap ${TONE_SOFT[tone]} ${TONE_TEXT[tone]}`}
      title={meaning}
    >
      <Icon size={14} aria-hidden="true" className="shrink-0" />
      {word}
      {suffix ? ` ${suffix}` : ''}
    </span>
  )
}
