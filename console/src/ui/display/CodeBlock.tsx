// Code with a copy button. JSON has three tints, so names and values stand out.

import type { ReactNode } from 'react'
import { CopyButton } from '../inputs/Copy'

interface CodeBlockProps {
  text: string
  /** What is copied, for screen readers. */
  label: string
  language?: 'json' | 'text'
}

export function CodeBlock({ text, label, language = 'text' }: CodeBlockProps) {
  return (
    <div className="flex items-start gap-1 rounded-md bg-sunken p-2">
      <pre className="min-w-0 flex-1 font-mono text-sm wrap-anywhere whitespace-pre-wrap">
        {language === 'json' ? tintJson(text) : text}
      </pre>
      <CopyButton text={text} label={label} />
    </div>
  )
}

const TOKEN =
  /("(?:[^"\\]|\\[\s\S])*(?:"|\\?$))(\s*:)?|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/g
/** Longer code is not highlighted, because it would slow down the browser. */
const TINTED_CHARACTERS = 50_000

function tintJson(text: string): ReactNode[] {
  if (text.length > TINTED_CHARACTERS) return [text]
  const parts: ReactNode[] = []
  let end = 0
  for (const match of text.matchAll(TOKEN)) {
    const [whole, quoted, colon] = match
    parts.push(text.slice(end, match.index))
    const tint = quoted ? (colon ? 'text-accent-ink' : 'text-ok-ink') : 'text-plan-ink'
    parts.push(
      <span key={match.index} className={tint}>
        {quoted ?? whole}
      </span>,
      colon ?? '',
    )
    end = match.index + whole.length
  }
  parts.push(text.slice(end))
  return parts
}
