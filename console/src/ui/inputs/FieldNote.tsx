// A reviewer's note next to its field. After an edit, it shows that the field changed.

import { Check, TriangleAlert } from 'lucide-react'

export function FieldNote({ note, isChanged }: { note: string; isChanged: boolean }) {
  return (
    <div className="flex gap-2 self-start rounded-md bg-warn-soft px-3 py-2 text-sm">
      <TriangleAlert size={14} aria-hidden="true" className="mt-0.5 shrink-0 text-warn-ink" />
      <div className="min-w-0">
        <p className="wrap-anywhere">
          <span className="font-medium text-warn-ink">Reviewer: </span>
          {note}
        </p>
        {isChanged ? (
          <p className="mt-1 flex items-center gap-1 text-ok-ink">
            <Check size={14} aria-hidden="true" /> Changed
          </p>
        ) : null}
      </div>
    </div>
  )
}
