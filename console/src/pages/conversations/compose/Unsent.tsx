// A message that was not sent. It stays at the end of the thread, so its text is never lost.

import { Button } from '../../../ui/inputs/Button'
import { BubbleBody } from '../Bubble'
import type { Letter } from './use-letter'

export function Unsent({ letter }: { letter: Letter }) {
  const { unsent, error, isSending, retry, edit } = letter
  if (!unsent) return null
  return (
    <li className="flex max-w-[85%] flex-col items-end gap-1 self-end">
      <div className="max-w-full rounded-lg outline-2 outline-offset-2 outline-bad-solid outline-dashed">
        <BubbleBody isOut body={unsent.body} urls={unsent.media} />
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
