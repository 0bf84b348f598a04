// The fields of a record under review, each with pre-check findings, changes since the last review, and the
// reviewer's note.

import { Check, Pencil, TriangleAlert } from 'lucide-react'
import { useRef, useState } from 'react'
import type { CampaignWarning, LastReturn } from '../../../../generated/types.gen'
import { Button } from '../../../ui/inputs/Button'
import { TextArea } from '../../../ui/inputs/Field'
import type { ReviewField } from './fields'
import { frequentNotes } from './frequent-notes'

export type Notes = Record<string, string>

interface RecordFieldsProps {
  fields: readonly ReviewField[]
  warnings?: readonly CampaignWarning[]
  lastReturn: LastReturn | null
  notes: Notes
  /** Null if there is nothing to decide. */
  onNote: ((field: string, note: string) => void) | null
}

export function RecordFields({
  fields,
  warnings = [],
  lastReturn,
  notes,
  onNote,
}: RecordFieldsProps) {
  return (
    <dl className="divide-y divide-line border-y border-line">
      {fields.map(({ field, label, value }) => (
        <FieldRow
          key={field}
          field={field}
          label={label}
          value={value}
          warnings={warnings.filter((warning) => warning.field === field)}
          previous={lastReturn?.changes?.find((change) => change.field === field)?.before ?? null}
          previousNote={lastReturn?.notes.find((note) => note.field === field)?.note ?? null}
          note={notes[field] ?? ''}
          onNote={onNote && ((note) => onNote(field, note))}
        />
      ))}
    </dl>
  )
}

interface FieldRowProps {
  field: string
  label: string
  value: string
  warnings: readonly CampaignWarning[]
  previous: string | null
  /** What a reviewer asked for last time. */
  previousNote: string | null
  note: string
  onNote: ((note: string) => void) | null
}

function FieldRow(props: FieldRowProps) {
  const { field, label, value, warnings, previous, previousNote, note, onNote } = props
  const [isOpen, setOpen] = useState(false)
  const isWriting = isOpen || note !== ''
  return (
    <div className="grid gap-x-3 gap-y-1 py-2 sm:grid-cols-[9rem_minmax(0,1fr)_auto]">
      <dt className="text-sm text-ink-2">{label}</dt>
      <dd className="min-w-0">
        {previous === null ? <Value value={value} /> : <Change before={previous} after={value} />}
        {previousNote !== null ? (
          <p className="mt-1 text-sm text-ink-2 wrap-anywhere">
            <span className="font-medium">Previous note:</span> {previousNote}
          </p>
        ) : null}
        {warnings.map(({ problem, remedy }) => (
          <p key={problem} className="mt-1 flex gap-1.5 text-sm text-warn-ink">
            <TriangleAlert size={14} aria-hidden="true" className="mt-0.5 shrink-0" />
            <span>
              {label} {problem}. <span className="text-ink-2">{remedy}</span>
            </span>
          </p>
        ))}
        {isWriting && onNote ? (
          <NoteEditor
            field={field}
            label={label}
            note={note}
            isNew={isOpen}
            onNote={onNote}
            onClose={() => setOpen(false)}
          />
        ) : null}
      </dd>
      {onNote && !isWriting ? (
        <dd className="-my-1.5 max-sm:-ml-3">
          <Button look="quiet" onClick={() => setOpen(true)} aria-label={`Add note on ${label}`}>
            <Pencil size={14} aria-hidden="true" /> Add note
          </Button>
        </dd>
      ) : null}
    </div>
  )
}

function Value({ value }: { value: string }) {
  if (value === '') return <span className="text-ink-3">none</span>
  if (/^https?:\/\/\S+$/.test(value)) {
    return (
      <a
        href={value}
        target="_blank"
        rel="noreferrer noopener"
        className="text-accent-ink wrap-anywhere underline"
      >
        {value}
      </a>
    )
  }
  return (
    <span dir="auto" className="block wrap-anywhere whitespace-pre-wrap">
      {value}
    </span>
  )
}

function Change({ before, after }: { before: string; after: string }) {
  return (
    <div className="flex flex-col gap-1">
      <ChangedLine sign="−" label="before" text={before} look="bg-bad-soft text-bad-ink" />
      <ChangedLine sign="+" label="now" text={after} look="bg-ok-soft text-ok-ink" />
    </div>
  )
}

function ChangedLine(props: { sign: string; label: string; text: string; look: string }) {
  const { sign, label, text, look } = props
  return (
    <p className={`flex gap-2 rounded-sm px-1.5 py-0.5 ${look}`}>
      <span aria-hidden="true">{sign}</span>
      <span className="sr-only">{label}: </span>
      <span dir="auto" className="min-w-0 wrap-anywhere whitespace-pre-wrap">
        {text === '' ? 'none' : text}
      </span>
    </p>
  )
}

const NOTE_LENGTH_MAX = 1000

interface NoteEditorProps {
  field: string
  label: string
  note: string
  isNew: boolean
  onNote: (note: string) => void
  onClose: () => void
}

function NoteEditor({ field, label, note, isNew, onNote, onClose }: NoteEditorProps) {
  const editor = useRef<HTMLDivElement>(null)
  const offered = frequentNotes(field).filter((text) => !note.includes(text))
  return (
    <div ref={editor} className="mt-2 flex flex-col gap-2 rounded-md bg-warn-soft p-2">
      <TextArea
        aria-label={`Note on ${label}`}
        rows={2}
        maxLength={NOTE_LENGTH_MAX}
        autoFocus={isNew}
        value={note}
        onChange={(event) => onNote(event.target.value)}
        onKeyDown={(event) => {
          if (event.key !== 'Escape') return
          event.preventDefault()
          event.currentTarget.blur()
          onClose()
        }}
      />
      {offered.length > 0 ? (
        <ul aria-label={`Frequent notes on ${label}`} className="flex flex-col items-start gap-1">
          {offered.map((text) => (
            <li key={text}>
              <button
                type="button"
                onClick={() => {
                  onNote(note === '' ? text : `${note} ${text}`)
                  editor.current?.querySelector('textarea')?.focus() // ready to edit
                }}
                className="min-h-6 cursor-pointer text-left text-sm text-accent-ink hover:underline pointer-coarse:min-h-11"
              >
                + {text}
              </button>
            </li>
          ))}
        </ul>
      ) : null}
      <div className="flex items-center justify-between gap-2 text-sm text-ink-2">
        <span className="flex items-center gap-1">
          {note === '' ? null : <Check size={14} aria-hidden="true" />}
          {note === '' ? 'The customer sees it next to the field.' : 'Saved in this browser.'}
        </span>
        <Button
          look="quiet"
          onClick={() => {
            onNote('')
            onClose()
          }}
        >
          Remove note
        </Button>
      </div>
    </div>
  )
}
