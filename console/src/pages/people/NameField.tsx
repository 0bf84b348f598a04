// The name of the person, where they join and in their profile.

import { Field, Input } from '../../ui/inputs/Field'

interface NameFieldProps {
  label: string
  value: string
  onChange: (name: string) => void
}

export function NameField({ label, value, onChange }: NameFieldProps) {
  return (
    <Field label={label} help="Your team sees it, and the audit log.">
      {(tied) => (
        <Input
          {...tied}
          autoComplete="name"
          maxLength={100}
          dir="auto"
          value={value}
          onChange={({ target }) => onChange(target.value)}
        />
      )}
    </Field>
  )
}
