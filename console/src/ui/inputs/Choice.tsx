// A select that filters a list by one value, or by any.

import { Select } from './Field'

interface ChoiceProps {
  label: string
  value: string | undefined
  options: readonly { value: string; label: string }[]
  onChoose: (value: string) => void
  className: string
}

export function Choice({ label, value, options, onChoose, className }: ChoiceProps) {
  return (
    <div className={className}>
      <Select
        aria-label={label}
        value={value ?? ''}
        options={[{ value: '', label: `Any ${label.toLowerCase()}` }, ...options]}
        onChange={({ target }) => onChoose(target.value)}
      />
    </div>
  )
}
