// Marks that charts share: failures are hatched, because color never stands alone, and a legend explains them.

const MARKS = {
  good: 'size-3 bg-accent',
  failed:
    'size-3 bg-[repeating-linear-gradient(45deg,var(--color-bad-solid)_0_2px,var(--color-bad-soft)_2px_4px)]',
  other: 'size-3 bg-plan-solid',
  line: 'h-0.5 w-3 bg-plan-solid',
}

/** Placed inside the drawing. Bars are filled with `url(#id)`. */
export function Hatch({ id }: { id: string }) {
  return (
    <pattern
      id={id}
      width="5"
      height="5"
      patternUnits="userSpaceOnUse"
      patternTransform="rotate(45)"
    >
      <rect width="5" height="5" className="fill-bad-soft" />
      <rect width="2.5" height="5" className="fill-bad-solid" />
    </pattern>
  )
}

export function ChartKey({
  marks,
}: {
  marks: readonly (readonly [mark: keyof typeof MARKS, word: string])[]
}) {
  return (
    <p aria-hidden="true" className="mt-1 flex flex-wrap gap-4 text-xs text-ink-2">
      {marks.map(([mark, word]) => (
        <span key={word} className="flex items-center gap-1.5">
          <span className={MARKS[mark]} /> {word}
        </span>
      ))}
    </p>
  )
}
