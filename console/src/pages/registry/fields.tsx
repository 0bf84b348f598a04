// The fields of such a form: help below the label, the reviewer's note next to it, the problem below it, and the
// lists of problems and open notes, which link to their fields.

import { OctagonX } from 'lucide-react'
import { type HTMLAttributes, type ReactNode, useEffect, useRef } from 'react'
import { Field, Input, Select, TextArea } from '../../ui/inputs/Field'
import { FieldNote } from '../../ui/inputs/FieldNote'
import type { Form, Problems } from './use-form'

type TextNames<Values> = {
  [Name in keyof Values]: Values[Name] extends string ? Name : never
}[keyof Values] &
  string

interface TextFieldProps<Values extends object> {
  form: Form<Values>
  name: TextNames<Values>
  label: string
  help?: ReactNode
  isOptional?: boolean
  /** More than one line. */
  rows?: number
  /** A select with these options instead of free text. */
  options?: readonly { value: string; label: string }[]
  maxLength?: number
  inputMode?: HTMLAttributes<HTMLInputElement>['inputMode']
  autoComplete?: string
  className?: string
  /** Grid columns, for fields that share a row. A note takes the whole row. */
  span?: string
  /** Reformats the text when the field loses focus. */
  normalize?: (text: string) => string
}

export function TextField<Values extends object>(props: TextFieldProps<Values>) {
  const { form, name, label, help, isOptional, span, ...rest } = props
  const { rows, options, normalize = trimmed, ...control } = rest
  const value = form.values[name] as string
  const write = (text: string) => form.set({ [name]: text } as Partial<Values>)
  const leave = () => {
    const normalized = normalize(value)
    if (normalized !== value) write(normalized)
    form.leave(name)
  }
  return (
    <FieldFrame
      form={form}
      name={name}
      label={label}
      help={help}
      isOptional={isOptional ?? false}
      span={span ?? ''}
    >
      {(tied) => {
        const shared = { ...tied, ...control, value, onBlur: leave }
        const change = ({ target }: { target: { value: string } }) => write(target.value)
        if (options) return <Select {...shared} options={options} onChange={change} />
        if (rows) return <TextArea {...shared} dir="auto" rows={rows} onChange={change} />
        return <Input {...shared} dir="auto" onChange={change} />
      }}
    </FieldFrame>
  )
}

const trimmed = (text: string) => text.trim()

interface FrameProps<Values extends object> {
  form: Form<Values>
  name: string
  label: string
  help?: ReactNode
  isOptional?: boolean
  span?: string
  children: Parameters<typeof Field>[0]['children']
}

/** Any control with its label and messages, under the id that the lists link to. */
function FieldFrame<Values extends object>(props: FrameProps<Values>) {
  const { form, name, label, help, isOptional = false, span = '', children } = props
  const note = form.noteOf(name)
  return (
    <div id={placeOf(name)} className={`scroll-mt-10 ${note ? 'col-span-full' : span}`}>
      <Field
        label={label}
        help={help}
        isOptional={isOptional}
        error={form.problems[name]}
        note={note ? <FieldNote {...note} /> : null}
      >
        {children}
      </Field>
    </div>
  )
}

const placeOf = (name: string) => `field-${name}`

export function FieldLink({ name, children }: { name: string; children: ReactNode }) {
  return (
    <a
      href={`#${placeOf(name)}`}
      className="inline-flex items-center text-accent-ink underline pointer-coarse:min-h-11"
      onClick={(event) => {
        event.preventDefault()
        focusField(name)
      }}
    >
      {children}
    </a>
  )
}

function focusField(name: string): void {
  const place = document.getElementById(placeOf(name))
  place?.scrollIntoView({ block: 'center' })
  place
    ?.querySelector<HTMLElement>('input, textarea, select, button')
    ?.focus({ preventScroll: true })
}

/** Above the form after a failed submit. Gets the focus each time, and each line links to its field. */
export function ProblemList({ problems, attempts }: { problems: Problems; attempts: number }) {
  const list = useRef<HTMLDivElement>(null)
  const entries = Object.entries(problems)
  const isShown = attempts > 0 && entries.length > 0
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs on each attempt, not on each change
  useEffect(() => {
    list.current?.focus()
    list.current?.scrollIntoView({ block: 'nearest' })
  }, [attempts])
  if (!isShown) return null
  return (
    <div
      ref={list}
      tabIndex={-1}
      role="alert"
      className="mb-4 flex gap-2 rounded-md bg-bad-soft px-3 py-2"
    >
      <OctagonX size={16} aria-hidden="true" className="mt-0.5 shrink-0 text-bad-ink" />
      <div className="min-w-0">
        <p className="font-medium text-bad-ink">
          {entries.length === 1
            ? '1 field needs attention'
            : `${entries.length} fields need attention`}
        </p>
        <ul>
          {entries.map(([name, text]) => (
            <li key={name} className="wrap-anywhere">
              <FieldLink name={name}>{text}</FieldLink>
            </li>
          ))}
        </ul>
      </div>
    </div>
  )
}

export function Section({
  title,
  hint,
  children,
}: {
  title: string
  hint?: string
  children: ReactNode
}) {
  return (
    <fieldset className="rounded-lg border border-line bg-surface p-4">
      <legend className="float-left mb-3 w-full text-lg font-semibold">
        {title}
        {hint ? <span className="ml-2 text-sm font-normal text-ink-2">{hint}</span> : null}
      </legend>
      <div className="clear-both flex flex-col gap-4">{children}</div>
    </fieldset>
  )
}
