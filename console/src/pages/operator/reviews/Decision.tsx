// The decision on a record: a approves, r sends it back with the notes; each asks once, in one line in place.
// Who was quicker is said, and the next record opens.

import { type ReactNode, useEffect, useRef, useState } from 'react'
import { ApiFailure } from '../../../api/call'
import { findLastAct, operate } from '../../../api/operator-queries'
import { plural } from '../../../lib/format'
import { useAct } from '../../../lib/use-act'
import { useKeys } from '../../../lib/use-keys'
import { Button } from '../../../ui/Button'
import { ErrorNotice } from '../../../ui/Notice'
import { toast } from '../../../ui/Toast'
import type { Notes } from './RecordFields'
import { useGoToNext } from './use-queue'

const WORDS = {
  brand: {
    approve: { path: 'verify', verb: 'Verify', done: 'Verified' },
    return: { path: 'refuse', verb: 'Refuse', done: 'Refused' },
  },
  campaign: {
    approve: { path: 'approve', verb: 'Approve', done: 'Approved' },
    return: { path: 'return', verb: 'Return', done: 'Returned' },
  },
} as const

const NO_NOTE = 'Write at least one note: the customer sees it beside the field.'

type Verdict = 'approve' | 'return'

interface DecisionProps {
  kind: 'brand' | 'campaign'
  id: string
  name: string
  notes: Notes
  /** What an approval means, in a sentence. */
  meaning: string
  /** Why nothing can be decided yet. */
  blocked?: ReactNode
  onDecided: () => void
}

export function Decision({ kind, id, name, notes, meaning, blocked, onDecided }: DecisionProps) {
  const [asking, setAsking] = useState<Verdict | null>(null)
  const [isHinting, setHinting] = useState(false)
  const goToNext = useGoToNext(id)
  const words = WORDS[kind]
  const given = Object.entries(notes).filter(([, note]) => note.trim() !== '')
  const decide = useAct((key, verdict: Verdict) => judge({ kind, id, verdict, given, key }), {
    onDone: (conflict, verdict) => {
      toast(conflict ?? `${words[verdict].done}: ${name}`)
      onDecided()
      void goToNext()
    },
  })
  const ask = (verdict: Verdict) => {
    if (blocked || decide.isBusy) return
    decide.reset()
    setHinting(verdict === 'return' && given.length === 0)
    if (verdict === 'approve' || given.length > 0) setAsking(verdict)
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
  const returnLabel = `${words.return.verb} with ${plural(given.length, 'note')}`
  if (blocked) return <Bar>{blocked}</Bar>
  return (
    <Bar>
      {decide.error ? (
        <ErrorNotice error={decide.error} hint="Your notes are kept in this browser." isAnswer />
      ) : null}
      {asking ? (
        <Asked
          sentence={
            asking === 'approve' ? meaning : `${returnLabel}: the customer reads them at once.`
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
          <Button onClick={() => ask('return')} blocked={given.length === 0 && NO_NOTE}>
            {given.length === 0 ? words.return.verb : returnLabel} <Key name="r" />
          </Button>
          <span role="status" className={`text-sm ${isHinting ? 'text-warn-ink' : 'text-ink-2'}`}>
            {given.length === 0 ? NO_NOTE : ''}
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
  verdict: Verdict
  given: readonly [string, string][]
  key: string
}

/** Null, or how it came that somebody else had decided before. */
async function judge({ kind, id, verdict, given, key }: ReviewInput): Promise<string | null> {
  const path = `/${kind}/${id}/${WORDS[kind][verdict].path}`
  const notes = given.map(([field, note]) => ({ field, note: note.trim() }))
  try {
    await operate('POST', path, { ...(verdict === 'return' && { body: { notes } }), key })
    return null
  } catch (error) {
    const isLate = error instanceof ApiFailure && error.code === `${kind}_state`
    const last = isLate ? await findLastAct(id).catch(() => null) : null
    const done = last && DONE[last.act]
    if (!done) throw error
    const at = new Date(last.at).toLocaleTimeString('en-GB', { hour: '2-digit', minute: '2-digit' })
    return `Already ${done} by ${last.actor.name} at ${at}.`
  }
}

const DONE: Record<string, string> = {
  'brand.verify': 'verified',
  'brand.vet': 'vetted',
  'brand.refuse': 'refused',
  'campaign.approve': 'approved',
  'campaign.return': 'returned',
}
