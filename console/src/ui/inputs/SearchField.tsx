// A search in a list: applied with Enter, or when the field is left. The URL has the text.

import { type FormEvent, useEffect, useState } from 'react'
import { Input } from './Field'

interface SearchFieldProps {
  label: string
  maxLength: number
  /** What the list shows now. */
  value: string | undefined
  onSearch: (text: string) => void
}

export function SearchField({ label, maxLength, value = '', onSearch }: SearchFieldProps) {
  const [text, setText] = useState(value)
  useEffect(() => setText(value), [value])
  const search = () => text.trim() !== value && onSearch(text.trim())
  const submit = (event: FormEvent) => {
    event.preventDefault()
    search()
  }
  return (
    <form onSubmit={submit} className="w-full sm:w-64">
      <Input
        type="search"
        aria-label={label}
        placeholder={label}
        maxLength={maxLength}
        value={text}
        onChange={({ target }) => setText(target.value)}
        onBlur={search}
      />
    </form>
  )
}
