// The decision on a record: a approves, r returns it with notes, each after one inline confirmation. If someone else
// decided first, that is shown and the next record opens.

import { type ReactNode, useEffect, useRef, useState } from 'react'
import { findLastAct } from '../../../api/operator-queries'
import { ApiFailure, request } from '../../../api/request'
import { plural } from '../../../lib/format'
import { formatWhen } from '../../../lib/format-time'
import { serviceNow } from '../../../lib/service-time'
import { useAct } from '../../../lib/use-act'
import { useKeys } from '../../../lib/use-keys'
import { ErrorNotice } from '../../../ui/feedback/Notice'
import { toast } from '../../../ui/feedback/Toast'
import { Button } from '../../../ui/inputs/Button'
import type { Notes } from './RecordFields'
import { useGoToNext } from './use-queue'

const WORDS = {
  brand: {
    approve: { verb: 'Verify', done: 'Verified' },
    return: { verb: 'Refuse', done: 'Refused' },
  },
  campaign: {
    approve: { verb: 'Approve', done: 'Approved' },
    return: { verb: 'Return', done: 'Returned' },
  },
} as const

const NO_NOTE = 'Write at least one note. The customer sees it next to the field.'

type Choice = 'approve' | 'return'

interface DecisionProps {
  kind: 'brand' | 'campaign'
  id: string
  name: string
  notes: Notes
  /** What an approval means, in one sentence. */
  meaning: string
  /** Why no decision is possible yet. */
  blocked?: ReactNode
  onDecided: () => void
}

export function Decision({ kind, id, name, notes, meaning, blocked, onDecided }: DecisionProps) {
  const [asking, setAsking] = useState<Choice | null>(null)
  const [isHinting, setHinting] = useState(false)
  const goToNext = useGoToNext(id)
  const words = WORDS[kind]
  const written = Object.entries(notes).filter(([, note]) => note.trim() !== '')
  const decide = useAct((key, choice: Choice) => decideReview({ kind, id, choice, written, key }), {
    onDone: (conflict, choice) => {
      toast(conflict ?? `${words[choice].done}: ${name}`)
      onDecided()
      void goToNext()
    },
  })
  const ask = (choice: Choice) => {
    if (blocked || decide.isBusy) return
    decide.reset()
    setHinting(choice === 'return' && written.length === 0)
    if (choice === 'approve' || written.length > 0) setAsking(choice)
  }
  useKeys({
    a: (event) => {
      event.preventDefault()
      ask('approve')
    },
    r: (event) => {
      event.preventDefault()
      ask('return')
    },
    ...(asking && {
      Escape: (event: KeyboardEvent) => {
        event.preventDefault()
        setAsking(null)
      },
    }),
  })
  const returnLabel = `${words.return.verb} with ${plural(written.length, 'note')}`
  if (blocked) return <Bar>{blocked}</Bar>
  return (
    <Bar>
      {decide.error ? (
        <ErrorNotice error={decide.error} hint="Your notes are saved in this browser." isAnswer />
      ) : null}
      {asking ? (
        <Asked
          sentence={
            asking === 'approve' ? meaning : `${returnLabel}? The customer sees them immediately.`
          }
          verb={asking === 'approve' ? words.approve.verb : returnLabel}
          isBusy={decide.isBusy}
          onConfirm={() => decide.run(asking)}
          onCancel={() => setAsking(null)}
        />
      ) : (
        <div className="flex flex-wrap items-center gap-2">
          <Button look="filled" onClick={() => ask('approve')}>
            {words.approve.verb} <Key name="a" />
          </Button>
          <Button onClick={() => ask('return')} blocked={written.length === 0 && NO_NOTE}>
            {written.length === 0 ? words.return.verb : returnLabel} <Key name="r" />
          </Button>
          <span role="status" className={`text-sm ${isHinting ? 'text-warn-ink' : 'text-ink-2'}`}>
            {written.length === 0 ? NO_NOTE : ''}
          </span>
        </div>
      )}
    </Bar>
  )
}

function Bar({ children }: { children: ReactNode }) {
  return (
    <div className="sticky bottom-14 -mx-4 mt-4 -mb-4 flex flex-col gap-2 rounded-b-lg border-t border-line bg-surface px-4 py-3 md:bottom-0">
      {children}
    </div>
  )
}

function Key({ name }: { name: string }) {
  return <kbd className="font-sans text-sm opacity-80 pointer-coarse:hidden">{name}</kbd>
}

interface AskedProps {
  sentence: string
  verb: string
  isBusy: boolean
  onConfirm: () => void
  onCancel: () => void
}

function Asked({ sentence, verb, isBusy, onConfirm, onCancel }: AskedProps) {
  const line = useRef<HTMLDivElement>(null)
  useEffect(() => {
    line.current?.querySelector('button')?.focus()
  }, [])
  return (
    <div ref={line} className="flex flex-wrap items-center gap-2">
      <p className="min-w-0 basis-full wrap-anywhere">{sentence}</p>
      <Button look="filled" onClick={onConfirm} busy={isBusy && 'Saving…'}>
        {verb} <Key name="⏎" />
      </Button>
      <Button look="quiet" onClick={onCancel}>
        Cancel <Key name="Esc" />
      </Button>
    </div>
  )
}

interface ReviewInput {
  kind: 'brand' | 'campaign'
  id: string
  choice: Choice
  written: readonly [string, string][]
  key: string
}

/** Null, or a message that someone else decided first. */
async function decideReview(review: ReviewInput): Promise<string | null> {
  const { kind, id } = review
  try {
    await sendDecision(review)
    return null
  } catch (error) {
    const isLate = error instanceof ApiFailure && error.code === `${kind}_state`
    const last = isLate ? await findLastAct(id).catch(() => null) : null
    const done = last && DONE[last.act]
    if (!done) throw error
    return `Already ${done} by ${last.actor.name} ${formatWhen(new Date(last.at), serviceNow())}.`
  }
}

function sendDecision({ kind, id, choice, written, key }: ReviewInput): Promise<unknown> {
  const path = { id }
  if (choice === 'approve') {
    return kind === 'brand'
      ? request('POST /operator/v1/brand/{id}/verify', { path, key })
      : request('POST /operator/v1/campaign/{id}/approve', { path, key })
  }
  // The form offers only fields of the record.
  const notes = written.map(([field, note]) => ({ field: field as never, note: note.trim() }))
  return kind === 'brand'
    ? request('POST /operator/v1/brand/{id}/refuse', { path, body: { notes }, key })
    : request('POST /operator/v1/campaign/{id}/return', { path, body: { notes }, key })
}

const DONE: Record<string, string> = {
  'brand.verify': 'verified',
  'brand.vet': 'vetted',
  'brand.refuse': 'refused',
  'campaign.approve': 'approved',
  'campaign.return': 'returned',
}
