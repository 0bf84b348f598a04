// A list of keywords: those required by law are locked, others can be removed, and custom ones added.

import { Lock, X } from 'lucide-react'
import { useId, useState } from 'react'
import { Button } from '../../ui/inputs/Button'
import { Input } from '../../ui/inputs/Field'
import { isLocked, isSameWord } from './keyword-values'

const WORDS_MAX = 30
const WORD_LENGTH_MAX = 30

interface ChipsProps {
  label: string
  words: readonly string[]
  isOptout: boolean
  problem: string | undefined
  onChange: (words: string[]) => void
}

export function KeywordChips({ label, words, isOptout, problem, onChange }: ChipsProps) {
  const id = useId()
  const [text, setText] = useState('')
  const word = text.trim()
  const isKnown = words.some((one) => isSameWord(one, word))
  const isFull = words.length >= WORDS_MAX
  const add = () => {
    if (word === '' || isKnown || isFull) return
    onChange([...words, word])
    setText('')
  }
  return (
    <div className="flex flex-col gap-2">
      <label htmlFor={id} className="font-medium">
        {label}
      </label>
      <ul className="flex flex-wrap gap-1.5" aria-label={label}>
        {words.map((one) => (
          <Chip
            key={one}
            word={one}
            isLocked={isOptout && isLocked(one)}
            isLast={words.length === 1}
            onRemove={() => onChange(words.filter((other) => other !== one))}
          />
        ))}
      </ul>
      {isOptout ? (
        <p className="flex items-start gap-1.5 text-sm text-ink-2">
          <Lock size={14} aria-hidden="true" className="mt-0.5 shrink-0" />
          US law (47 CFR 64.1200(a)(10)) requires these seven. They can’t be removed.
        </p>
      ) : null}
      <div className="flex gap-2">
        <Input
          id={id}
          className="max-w-56"
          value={text}
          maxLength={WORD_LENGTH_MAX}
          placeholder="Custom keyword"
          aria-invalid={Boolean(problem)}
          aria-describedby={`${id}-problem`}
          onChange={(event) => setText(event.target.value)}
          onKeyDown={(event) => {
            if (event.key !== 'Enter') return
            event.preventDefault()
            add()
          }}
        />
        <Button
          onClick={add}
          blocked={
            isFull
              ? `At most ${WORDS_MAX} keywords`
              : isKnown
                ? 'Already in the list'
                : word === '' && 'Enter a keyword first'
          }
        >
          Add
        </Button>
      </div>
      <p id={`${id}-problem`} className="text-sm text-bad-ink empty:hidden">
        {problem}
      </p>
    </div>
  )
}

interface ChipProps {
  word: string
  isLocked: boolean
  isLast: boolean
  onRemove: () => void
}

function Chip({ word, isLocked: isOfLaw, isLast, onRemove }: ChipProps) {
  return (
    <li className="inline-flex max-w-full min-h-7 items-center gap-1 rounded-sm bg-wait-soft pl-2 text-sm text-wait-ink">
      <span className="truncate py-1">{word}</span>
      {isOfLaw ? (
        <span className="px-1.5">
          <Lock size={12} aria-label="required by law" />
        </span>
      ) : isLast ? (
        <span className="pr-2" />
      ) : (
        <button
          type="button"
          aria-label={`Remove ${word}`}
          onClick={onRemove}
          className="inline-flex size-6 cursor-pointer items-center justify-center rounded-sm hover:bg-hover pointer-coarse:size-11"
        >
          <X size={12} aria-hidden="true" />
        </button>
      )}
    </li>
  )
}
