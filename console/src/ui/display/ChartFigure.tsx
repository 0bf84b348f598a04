// The frame of every chart: a sentence computed from its data, the chart, and the same data as a table for screen
// reader users and for anyone who wants the numbers.

import { type ReactNode, useState } from 'react'

interface ChartFigureProps {
  sentence: string
  picture: ReactNode
  table: ReactNode
}

export function ChartFigure({ sentence, picture, table }: ChartFigureProps) {
  const [isTable, setTable] = useState(false)
  return (
    <figure>
      <div className="mb-2 flex flex-wrap items-center gap-x-4 gap-y-1">
        <figcaption className="text-ink-2">{sentence}</figcaption>
        <button
          type="button"
          onClick={() => setTable(!isTable)}
          aria-pressed={isTable}
          className="ml-auto min-h-6 cursor-pointer rounded-md px-2 text-sm text-accent-ink hover:bg-hover pointer-coarse:min-h-11"
        >
          {isTable ? 'Show chart' : 'Show table'}
        </button>
      </div>
      {isTable ? table : picture}
    </figure>
  )
}
