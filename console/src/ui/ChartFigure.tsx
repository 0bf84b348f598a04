// The frame of every chart: a sentence made from its data, the picture, and the same as a table for whoever
// does not see it or wants the figures.

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
          {isTable ? 'Show the chart' : 'Show as a table'}
        </button>
      </div>
      {isTable ? table : picture}
    </figure>
  )
}
