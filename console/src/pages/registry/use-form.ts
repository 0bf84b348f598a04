// The state of a form that a reviewer reads: what was typed (saved in this browser), what is wrong (shown on leaving
// a field and on submit, never while typing), and which notes are not addressed yet.

import { useEffect, useRef, useState } from 'react'
import type { ReviewNote } from '../../../generated/types.gen'
import { ApiFailure } from '../../api/request'
import { relabel } from '../../lib/field-name'
import { type Draft, useDraft } from '../../lib/use-draft'

export type Problems = Readonly<Record<string, string>>

interface FormOptions<Values extends object> {
  /** Identifies what is edited, for the draft in this browser. */
  name: string
  initial: Values
  notes: readonly ReviewNote[]
  /** The name of each field on the page. */
  labels: Readonly<Record<string, string>>
  /** All problems by field. */
  findProblems: (values: Values) => Problems
  /** The service's last error. */
  failure: unknown
}

export interface Form<Values extends object> {
  values: Values
  set: (change: Partial<Values>) => void
  /** A field lost focus: from now on its problem is shown. */
  leave: (name: string) => void
  /** The problems to show, by field. */
  problems: Problems
  /** How many submits failed validation. */
  attempts: number
  /** On submit: shows all problems. True if there are none. */
  check: (find?: (values: Values) => Problems) => boolean
  noteOf: (name: string) => { note: string; isChanged: boolean } | null
  openNotes: readonly ReviewNote[]
  draft: Draft
  /** After a submit: clears the draft and the notes. */
  clear: () => void
}

export function useForm<Values extends object>(options: FormOptions<Values>): Form<Values> {
  const { name, initial, notes, labels, findProblems, failure } = options
  const [values, setValues, draft] = useDraft(name, initial)
  const noted = useNoted(name, initial, notes)
  const [checked, setChecked] = useState<ReadonlySet<string>>(new Set())
  const [touched, setTouched] = useState<ReadonlySet<string>>(new Set())
  const [attempts, setAttempts] = useState(0)
  const [reported, setReported] = useState<{ of: unknown; problems: Problems }>({
    of: null,
    problems: {},
  })
  // The service's error stays until the field is edited.
  if (failure !== reported.of) {
    const problems = problemsOf(failure, labels)
    setReported({ of: failure, problems })
    if (Object.keys(problems).length > 0) setAttempts(attempts + 1)
  }
  const found = findProblems(values)
  const own = Object.entries(found).filter(([field]) => checked.has(field))
  const isChanged = (field: string) =>
    JSON.stringify(valueAt(values, field)) !== JSON.stringify(valueAt(noted.values, field))
  return {
    values,
    set: (change) => {
      const fields = Object.keys(change)
      setValues({ ...values, ...change })
      setTouched(new Set([...touched, ...fields]))
      setChecked(new Set([...checked].filter((field) => !fields.includes(field))))
      setReported({ ...reported, problems: without(reported.problems, fields) })
    },
    leave: (field) => {
      if (touched.has(field) || valueAt(values, field)) setChecked(new Set([...checked, field]))
    },
    problems: inOrder({ ...reported.problems, ...Object.fromEntries(own) }, Object.keys(values)),
    attempts,
    check: (find = findProblems) => {
      const wrong = Object.keys(find(values))
      setChecked(new Set([...checked, ...wrong]))
      if (wrong.length > 0) setAttempts(attempts + 1)
      return wrong.length === 0
    },
    noteOf: (field) => {
      const about = notes.filter((one) => one.field === field)
      if (about.length === 0) return null
      return { note: about.map(({ note }) => note).join(' '), isChanged: isChanged(field) }
    },
    openNotes: notes.filter(({ field }) => !isChanged(field)),
    draft,
    clear: () => {
      noted.clear()
      draft.clear()
    },
  }
}

function valueAt(values: object, field: string): unknown {
  return (values as Record<string, unknown>)[field]
}

function without(problems: Problems, fields: readonly string[]): Problems {
  return Object.fromEntries(Object.entries(problems).filter(([field]) => !fields.includes(field)))
}

/** In form order, wherever they were found. */
function inOrder(problems: Problems, names: readonly string[]): Problems {
  const place = ([field]: [string, string]) => names.indexOf(field) + 1 || names.length + 1
  return Object.fromEntries(Object.entries(problems).sort((a, b) => place(a) - place(b)))
}

/** The service's sentences start with the API's field names. Here, they start with the labels on the page. */
function problemsOf(failure: unknown, labels: FormOptions<object>['labels']): Problems {
  if (!(failure instanceof ApiFailure)) return {}
  const { details, message } = failure
  // The first one uses the error's own sentence, which can be more precise.
  return Object.fromEntries(
    details.map(({ field, problem }, i) => [
      field,
      relabel(i === 0 ? message : `${field} ${problem}`, field, labels[field]),
    ]),
  )
}

/** The values the reviewer saw, so saving a draft in between does not reopen a note. */
function useNoted<Values extends object>(
  name: string,
  initial: Values,
  notes: readonly ReviewNote[],
): { values: Values; clear: () => void } {
  const text = JSON.stringify(notes)
  const begun = useRef({ notes: '', values: initial })
  const [seen, setSeen, draft] = useDraft(`${name}-noted`, begun.current)
  const isOver = useRef(false)
  useEffect(() => {
    if (text === '[]' || seen.notes === text || isOver.current) return
    setSeen({ notes: text, values: begun.current.values })
  }, [text, seen.notes, setSeen])
  return {
    values: seen.notes === text ? seen.values : initial,
    clear: () => {
      isOver.current = true
      draft.clear()
    },
  }
}
