// A reviewer's notes, field by field.

import type { ReviewNote } from '../../../generated/types.gen'

interface NoteListProps {
  notes: readonly ReviewNote[]
  labels: Record<string, string>
}

export function NoteList({ notes, labels }: NoteListProps) {
  if (notes.length === 0) return null
  return (
    <ul className="flex flex-col gap-1">
      {notes.map(({ field, note }) => (
        <li key={`${field} ${note}`} className="wrap-anywhere">
          <span className="font-medium">{labels[field] ?? field}</span>:{' '}
          <span dir="auto">{note}</span>
        </li>
      ))}
    </ul>
  )
}
