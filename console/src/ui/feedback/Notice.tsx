// Notices, and failures with the API's own sentence first.

import { CircleAlert, CircleCheck, Info, OctagonX } from 'lucide-react'
import type { ReactNode } from 'react'
import { ApiFailure, NoConnection } from '../../api/request'
import { relabel } from '../../lib/field-name'
import { plural } from '../../lib/format'
import { TONE_SOFT, TONE_TEXT } from '../display/Badge'
import { Button } from '../inputs/Button'
import { CopyButton } from '../inputs/Copy'

type NoticeTone = 'ok' | 'go' | 'warn' | 'bad'

const ICONS = { ok: CircleCheck, go: Info, warn: CircleAlert, bad: OctagonX }

interface NoticeProps {
  tone: NoticeTone
  title: ReactNode
  children?: ReactNode
  /** Announced at once by screen readers: only for the result of a person's action. */
  isAnswer?: boolean
}

export function Notice({ tone, title, children, isAnswer }: NoticeProps) {
  const Icon = ICONS[tone]
  return (
    <div
      role={isAnswer ? 'alert' : undefined}
      className={`flex gap-2 rounded-md px-3 py-2 ${TONE_SOFT[tone]}`}
    >
      <Icon size={16} aria-hidden="true" className={`mt-0.5 shrink-0 ${TONE_TEXT[tone]}`} />
      <div className="min-w-0">
        <p className={`font-medium ${TONE_TEXT[tone]}`}>{title}</p>
        {children ? <div className="mt-0.5 text-ink-2">{children}</div> : null}
      </div>
    </div>
  )
}

interface ErrorNoticeProps {
  error: unknown
  /** What was saved and what to do, if the failure itself does not say it. */
  hint?: ReactNode
  onRetry?: () => void
  isAnswer?: boolean
}

export function ErrorNotice({ error, hint, onRetry, isAnswer }: ErrorNoticeProps) {
  const sentence = sentenceOf(error)
  const requestId = error instanceof ApiFailure ? error.requestId : null
  return (
    <Notice tone="bad" title={withStop(sentence)} isAnswer={isAnswer ?? false}>
      <p>{hint ?? hintOf(error)}</p>
      {requestId ? (
        <p className="flex items-center gap-1 text-sm text-ink-2">
          Request <span className="font-mono">{requestId}</span>
          <CopyButton text={requestId} label="request id" />
        </p>
      ) : null}
      {onRetry ? (
        <div className="mt-2">
          <Button onClick={onRetry}>Try again</Button>
        </div>
      ) : null}
    </Notice>
  )
}

/** The API's sentence, with the field named as people say it. */
function sentenceOf(error: unknown): string {
  if (!(error instanceof Error)) return 'Something went wrong.'
  const field = error instanceof ApiFailure ? error.details[0]?.field : undefined
  return field ? relabel(error.message, field) : error.message
}

function withStop(sentence: string): string {
  return /[.!?]$/.test(sentence) ? sentence : `${sentence}.`
}

function hintOf(error: unknown): ReactNode {
  if (error instanceof NoConnection) return 'Check that it is running. What you typed is saved.'
  if (!(error instanceof ApiFailure)) return null
  switch (error.status) {
    case 401:
      return 'Sign in again to continue. What you typed is saved.'
    case 402:
      return 'Ask your operator to add credit. In the sandbox: npx longcode credit ACCOUNT 100'
    case 403:
      return 'Sign in with a token that has this scope.'
    case 404:
      return 'It may belong to another account or have been deleted.'
    case 429:
      return `Try again in ${plural(error.retryAfterS ?? 1, 'second')}.`
    default:
      return error.status >= 500
        ? 'Retrying is safe. The same idempotency key is used, so nothing is sent or charged twice.'
        : null
  }
}
