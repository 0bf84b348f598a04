// The composer of a conversation, with segments and price as counted by the service, or the reason why sending is
// not possible.

import type { FormEvent, KeyboardEvent } from 'react'
import { ApiFailure } from '../../api/request'
import { formatMoney, formatPhone } from '../../lib/format'
import { adviceOf, describeSize, isBlank } from '../../lib/text-meter'
import { type Counted, usePreview } from '../../lib/use-preview'
import { Button } from '../../ui/inputs/Button'
import { TextArea } from '../../ui/inputs/Field'
import { BubbleBody } from './Bubble'
import type { Letter } from './use-letter'

export function Composer({ letter, phone }: { letter: Letter; phone: string }) {
  const { body, write, send, isSending } = letter
  const counted = usePreview(body)
  const advice = adviceOf({ body, preview: counted.preview })
  const isLong = advice?.kind === 'long'
  const blocked = isBlank(body) ? 'Write a message first' : isLong ? advice.text : null
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (!blocked) send()
  }
  const hear = (event: KeyboardEvent) => {
    if (event.key !== 'Enter' || !(event.metaKey || event.ctrlKey) || blocked) return
    event.preventDefault()
    send()
  }
  return (
    <form onSubmit={submit} className="flex flex-col gap-2 border-t border-line p-3">
      <TextArea
        aria-label={`Message to ${formatPhone(phone)}`}
        placeholder="Write a message"
        rows={2}
        dir="auto"
        value={body}
        readOnly={isSending}
        aria-invalid={isLong}
        aria-describedby="composer-count"
        onChange={(event) => write(event.target.value)}
        onKeyDown={hear}
        className="max-h-40 resize-none field-sizing-content"
      />
      <div className="flex items-center gap-3">
        <p id="composer-count" className="min-w-0 flex-1 text-sm text-ink-2">
          {isLong ? <span className="text-bad-ink">{advice.text}</span> : wordsOf(counted)}
          {advice && !isLong ? (
            <span className={`block ${advice.isWarning ? 'text-warn-ink' : ''}`}>
              {advice.text}
            </span>
          ) : null}
        </p>
        <kbd className="font-sans text-xs text-ink-3 max-md:hidden">Ctrl ⏎</kbd>
        <Button type="submit" look="filled" busy={isSending && 'Sending…'} blocked={blocked}>
          {counted.preview ? `Send · ${formatMoney(counted.preview.price)}` : 'Send'}
        </Button>
      </div>
    </form>
  )
}

/** Counted by the service. The last answer stays until the next one arrives. */
function wordsOf({ preview, isCounting, error }: Counted): string {
  if (error && !(error instanceof ApiFailure)) {
    return 'Couldn’t count segments: no connection. You can still send.'
  }
  return preview ? `${describeSize(preview)}${isCounting ? ' …' : ''}` : isCounting ? '…' : ''
}

/** A message that was not sent stays at the end of the thread, so its text is never lost. */
export function Unsent({ letter }: { letter: Letter }) {
  const { unsent, error, isSending, retry, edit } = letter
  if (unsent === '') return null
  return (
    <li className="flex max-w-[85%] flex-col items-end gap-1 self-end">
      <div className="max-w-full rounded-lg outline-2 outline-offset-2 outline-bad-solid outline-dashed">
        <BubbleBody isOut body={unsent} />
      </div>
      <div role="alert" className="flex flex-wrap items-center justify-end gap-2 text-sm">
        <span className="font-medium text-bad-ink">
          {isSending ? 'Sending…' : `Not sent: ${reasonOf(error)}`}
        </span>
        <Button onClick={retry} busy={isSending && 'Sending…'}>
          Try again
        </Button>
        <Button look="quiet" onClick={edit}>
          Edit
        </Button>
      </div>
    </li>
  )
}

function reasonOf(error: Error | null): string {
  const sentence = error?.message ?? 'saved from an earlier session'
  return /[.!?]$/.test(sentence) ? sentence : `${sentence}.`
}

export function Closed({ reason }: { reason: string }) {
  return (
    <p role="status" className="border-t border-line bg-sunken p-3 text-center text-ink-2">
      You can’t send messages here. {reason}
    </p>
  )
}
