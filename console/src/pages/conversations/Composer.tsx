// The foot of a conversation: what is written, how many segments and how much it is by the service's own
// count; or why one may not write here.

import { useQuery } from '@tanstack/react-query'
import { type FormEvent, type KeyboardEvent, useEffect, useState } from 'react'
import { ApiFailure } from '../../api/call'
import { previewQuery } from '../../api/queries'
import { formatCount, formatMoney, formatPhone, plural } from '../../lib/format'
import { Button } from '../../ui/Button'
import { TextArea } from '../../ui/Field'
import { BubbleBody } from './Bubble'
import type { Letter } from './use-letter'

const LENGTH_MAX = 1_500
const PREVIEW_MS = 150

export function Composer({ letter, phone }: { letter: Letter; phone: string }) {
  const { body, write, send, isSending } = letter
  const length = [...body].length
  const price = usePrice(body)
  const blocked =
    body.trim() === '' ? 'Write something first' : length > LENGTH_MAX ? tooLong(length) : null
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
        aria-invalid={length > LENGTH_MAX}
        aria-describedby="composer-count"
        onChange={(event) => write(event.target.value)}
        onKeyDown={hear}
        className="max-h-40 resize-none field-sizing-content"
      />
      <div className="flex items-center gap-3">
        <p id="composer-count" className="min-w-0 flex-1 text-sm text-ink-2">
          {length > LENGTH_MAX ? (
            <span className="text-bad-ink">{tooLong(length)}</span>
          ) : (
            price.words
          )}
        </p>
        <kbd className="font-sans text-xs text-ink-3 max-md:hidden">Ctrl ⏎</kbd>
        <Button type="submit" look="filled" busy={isSending && 'Sending…'} blocked={blocked}>
          {price.label}
        </Button>
      </div>
    </form>
  )
}

function tooLong(length: number): string {
  return `${formatCount(length)} characters; the limit is ${formatCount(LENGTH_MAX)}. Remove ${formatCount(length - LENGTH_MAX)}.`
}

/** By the service, a moment after the last key; the last answer stays until the next one is there. */
function usePrice(body: string): { label: string; words: string } {
  const [asked, setAsked] = useState(body)
  useEffect(() => {
    const timer = setTimeout(() => setAsked(body), PREVIEW_MS)
    return () => clearTimeout(timer)
  }, [body])
  const isAsked = asked.trim() !== '' && [...asked].length <= LENGTH_MAX
  const { data, error } = useQuery({
    ...previewQuery(asked),
    enabled: isAsked,
    placeholderData: (known) => known,
  })
  if (body.trim() === '') return { label: 'Send', words: '' }
  if (error && !(error instanceof ApiFailure)) {
    return { label: 'Send', words: 'Count paused: no connection. Sending still works.' }
  }
  if (!data || !isAsked) return { label: 'Send', words: '…' }
  const { numSegments, encoding, price } = data
  const wait = asked === body ? '' : ' …'
  return {
    label: `Send · ${formatMoney(price)}`,
    words: `${plural(numSegments, 'segment')} · ${encoding}${wait}`,
  }
}

/** At the end of the thread: the text is never lost. */
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
  const sentence = error?.message ?? 'it was kept from before'
  return /[.!?]$/.test(sentence) ? sentence : `${sentence}.`
}

export function Closed({ reason }: { reason: string }) {
  return (
    <p role="status" className="border-t border-line bg-sunken p-3 text-center text-ink-2">
      You can’t write here: {reason}
    </p>
  )
}
