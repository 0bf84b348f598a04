// A form field: label above, help below it, the error below the control, all three linked to it for screen readers.
// Placeholders never serve as labels.

import { type InputHTMLAttributes, type ReactNode, type TextareaHTMLAttributes, useId } from 'react'

interface FieldProps {
  label: string
  help?: ReactNode
  error?: string | null | undefined
  isOptional?: boolean
  /** A reviewer's note, next to the field, or below it if there is no room. */
  note?: ReactNode
  children: (tied: { id: string; 'aria-describedby': string; 'aria-invalid': boolean }) => ReactNode
}

export function Field({ label, help, error, isOptional, note, children }: FieldProps) {
  const id = useId()
  return (
    <div className={note ? 'grid gap-x-4 gap-y-1 lg:grid-cols-[minmax(0,1fr)_16rem]' : ''}>
      <div className="flex flex-col gap-1">
        <label htmlFor={id} className="font-medium">
          {label}
          {isOptional ? <span className="font-normal text-ink-3"> (optional)</span> : null}
        </label>
        {help ? (
          <div id={`${id}-help`} className="text-sm text-ink-2">
            {help}
          </div>
        ) : null}
        {children({ id, 'aria-describedby': `${id}-help ${id}-error`, 'aria-invalid': !!error })}
        <div id={`${id}-error`} className="text-sm text-bad-ink empty:hidden">
          {error}
        </div>
      </div>
      {note}
    </div>
  )
}

const CONTROL =
  'w-full min-h-8 pointer-coarse:min-h-11 rounded-md border border-line-strong bg-surface px-2.5 py-1 text-base pointer-coarse:text-lg placeholder:text-ink-3 aria-invalid:border-bad-solid'

export function Input(props: InputHTMLAttributes<HTMLInputElement>) {
  return <input {...props} className={`${CONTROL} ${props.className ?? ''}`} />
}

export function TextArea(props: TextareaHTMLAttributes<HTMLTextAreaElement>) {
  return <textarea {...props} className={`${CONTROL} ${props.className ?? ''}`} />
}

interface SelectProps extends InputHTMLAttributes<HTMLSelectElement> {
  options: readonly { value: string; label: string; isOff?: boolean }[]
}

/** The browser's own select, because it works on every phone and with every screen reader. */
export function Select({ options, ...props }: SelectProps) {
  return (
    <select {...props} className={`${CONTROL} cursor-pointer ${props.className ?? ''}`}>
      {options.map(({ value, label, isOff }) => (
        <option key={value} value={value} disabled={isOff}>
          {label}
        </option>
      ))}
    </select>
  )
}

interface TickProps {
  label: ReactNode
  help?: ReactNode
  isChecked: boolean
  onChange: (isChecked: boolean) => void
  blocked?: boolean
}

export function Checkbox(props: TickProps) {
  return <Tick {...props} type="checkbox" />
}

/** A setting that applies at once, without a save button. Announced as a switch. */
export function Switch(props: TickProps) {
  return <Tick {...props} type="checkbox" role="switch" />
}

export function Radio({ name, ...props }: TickProps & { name: string }) {
  return <Tick {...props} type="radio" name={name} />
}

function Tick({
  label,
  help,
  isChecked,
  onChange,
  blocked,
  ...input
}: TickProps & { type: string; role?: string; name?: string }) {
  const id = useId()
  return (
    <div className="flex items-start gap-2">
      <input
        {...input}
        id={id}
        className="mt-0.5 size-4 shrink-0 cursor-pointer accent-accent pointer-coarse:size-6"
        checked={isChecked}
        disabled={blocked}
        aria-describedby={help ? `${id}-help` : undefined}
        onChange={(event) => onChange(event.target.checked)}
      />
      <div className="min-w-0 pointer-coarse:pt-1">
        <label htmlFor={id} className="cursor-pointer">
          {label}
        </label>
        {help ? (
          <div id={`${id}-help`} className="text-sm text-ink-2">
            {help}
          </div>
        ) : null}
      </div>
    </div>
  )
}
