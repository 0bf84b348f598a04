// The length and cost of a text while it is written, with at most one line of advice: the most important one. All
// numbers come from the service (lib/use-preview.ts).

import { Info, TriangleAlert } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import { ApiFailure, NoConnection } from '../../api/request'
import { formatCount } from '../../lib/format'
import {
  type Advice,
  adviceOf,
  countCharacters,
  describeFill,
  describeSize,
  drawSegments,
  isBlank,
  type Preview,
  removeCharacters,
  visible,
} from '../../lib/text-meter'
import type { Counted } from '../../lib/use-preview'
import { Button } from './Button'

interface MeterProps {
  body: string
  counted: Counted
  /** If the text is made from another, such as a template, that one is edited. */
  edited?: string
  /** For the button that removes characters. */
  onChange: (body: string) => void
  /** A first text of a marketing campaign: it should include opt-out instructions. */
  needsOptout?: boolean
  /** In a narrow place: one thin bar and one line of numbers. */
  isSmall?: boolean
}

export function SegmentMeter(props: MeterProps) {
  const { body, counted, edited = body, onChange, needsOptout, isSmall } = props
  const { preview, isCounting, error } = counted
  const advice = adviceOf({ body, preview, needsOptout: needsOptout ?? false })
  return (
    <div className="flex flex-col gap-1.5">
      <Bars preview={isBlank(body) ? null : preview} isSmall={isSmall ?? false} />
      <Figures body={body} preview={preview} isCounting={isCounting} isSmall={isSmall ?? false} />
      {error && advice?.kind !== 'long' ? <Paused error={error} /> : null}
      {advice && !error ? (
        <AdviceLine key={advice.kind} advice={advice} edited={edited} onChange={onChange} />
      ) : null}
      <Spoken text={spokenOf(preview, advice)} />
    </div>
  )
}

function Bars({ preview, isSmall }: { preview: Preview | null; isSmall: boolean }) {
  const { fills, more } = preview ? drawSegments(preview) : { fills: [0], more: 0 }
  return (
    <div className="meter flex items-center gap-1" aria-hidden="true">
      {fills.map((part, i) => (
        <span
          key={String(i)}
          className={`min-w-0 flex-1 overflow-hidden rounded-sm bg-line ${isSmall ? 'h-1' : 'h-2'}`}
        >
          <span
            className="block h-full bg-accent"
            style={{ width: `${Math.min(100, Math.max(part * 100, part > 0 ? 1 : 0))}%` }}
          />
        </span>
      ))}
      {more > 0 ? <span className="text-xs text-ink-2">+{more}</span> : null}
    </div>
  )
}

interface FiguresProps {
  body: string
  preview: Preview | null
  isCounting: boolean
  isSmall: boolean
}

function Figures({ body, preview, isCounting, isSmall }: FiguresProps) {
  const characters = countCharacters(body)
  return (
    <p className="flex min-h-5 flex-wrap justify-between gap-x-3 text-sm text-ink-2">
      <span className="font-medium text-ink">
        {preview ? describeSize(preview) : ''}
        {isCounting ? ' …' : ''}
      </span>
      <span className={isSmall ? 'max-sm:hidden' : ''}>
        {formatCount(characters)} {characters === 1 ? 'character' : 'characters'}
        {preview?.fill && !isSmall ? ` · ${describeFill(preview)}` : ''}
      </span>
    </p>
  )
}

function Paused({ error }: { error: unknown }) {
  // What is refused here would be refused when sent.
  if (error instanceof ApiFailure && error.status === 400) {
    return <p className="text-sm text-bad-ink">{error.message}.</p>
  }
  const why = error instanceof NoConnection ? 'no connection' : (error as Error).message
  return <p className="text-sm text-ink-2">Couldn’t count segments: {why}. You can still send.</p>
}

interface AdviceProps {
  advice: Advice
  edited: string
  onChange: (body: string) => void
}

function AdviceLine({ advice, edited, onChange }: AdviceProps) {
  const [isShown, setShown] = useState(false)
  const { kind, isWarning, text, removes, folds } = advice
  const without = removes ? removeCharacters(edited, removes.characters) : edited
  const Icon = isWarning ? TriangleAlert : Info
  const tone = kind === 'long' ? 'text-bad-ink' : isWarning ? 'text-warn-ink' : 'text-ink-2'
  return (
    <div className={`text-sm ${tone}`}>
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <p className="flex max-w-full min-w-0 items-start gap-1.5">
          <Icon size={14} aria-hidden="true" className="mt-0.75 shrink-0" />
          <span className="min-w-0 wrap-anywhere">{text}</span>
        </p>
        {removes && without !== edited ? (
          <Button onClick={() => onChange(without)}>{removes.label}</Button>
        ) : null}
        {folds ? (
          <Button look="quiet" aria-expanded={isShown} onClick={() => setShown(!isShown)}>
            {isShown ? 'Hide' : 'Show'}
          </Button>
        ) : null}
      </div>
      {folds && isShown ? <Folds folds={folds} /> : null}
    </div>
  )
}

function Folds({ folds }: { folds: Preview['folded'] }) {
  return (
    <ul className="mt-1 flex flex-wrap gap-x-4 gap-y-1 pl-5">
      {folds.map(({ from, to, count }) => (
        <li key={from}>
          <span className="font-mono">{visible(from)}</span> →{' '}
          <span className="font-mono">{visible(to)}</span> ({count})
        </li>
      ))}
    </ul>
  )
}

function spokenOf(preview: Preview | null, advice: Advice | null): string {
  if (advice?.kind === 'long') return advice.text
  if (!preview) return ''
  const words = [describeSize(preview).replaceAll(' · ', ', '), describeFill(preview)]
  return words.filter((part) => part !== '').join(', ')
}

const SPOKEN_EVERY_MS = 2_000

/** For screen readers: politely, and at most every two seconds. */
function Spoken({ text }: { text: string }) {
  const [announced, setAnnounced] = useState('')
  const lastAt = useRef(0)
  useEffect(() => {
    const wait = Math.max(0, lastAt.current + SPOKEN_EVERY_MS - Date.now())
    const timer = setTimeout(() => {
      lastAt.current = Date.now()
      setAnnounced(text)
    }, wait)
    return () => clearTimeout(timer)
  }, [text])
  return (
    <span role="status" className="sr-only">
      {announced}
    </span>
  )
}
