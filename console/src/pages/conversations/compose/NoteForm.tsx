// Writes an internal note. It is saved in this browser until it is added.

import type { FormEvent, KeyboardEvent } from 'react'
import { conversationPath } from '../../../api/inbox-queries'
import { request } from '../../../api/request'
import { useAct } from '../../../lib/use-act'
import { useDraft } from '../../../lib/use-draft'
import { ErrorNotice } from '../../../ui/feedback/Notice'
import { Button } from '../../../ui/inputs/Button'
import { TextArea } from '../../../ui/inputs/Field'
import { type ThreadKey, useMe } from '../use-conversation'

const NOTE_MAX = 2_000

export function NoteForm({ conversation: { campaignId, phone } }: { conversation: ThreadKey }) {
  const [{ body }, setFields, draft] = useDraft(`note:${campaignId}:${phone}`, { body: '' })
  const me = useMe()
  const act = useAct(
    (key, text: string) =>
      request('POST /v1/campaign/{id}/conversations/{number}/notes', {
        path: conversationPath(campaignId, phone),
        body: { body: text, ...(me && { author: me.name.slice(0, 100) }) },
        key,
      }),
    { onDone: () => draft.clear() },
  )
  const blocked = body.trim() === '' ? 'Write a note first' : null
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (!blocked) act.run(body.trim())
  }
  const hear = (event: KeyboardEvent) => {
    if (event.key === 'Enter' && (event.metaKey || event.ctrlKey)) submit(event)
    if (event.key === 'Escape') (event.target as HTMLElement).blur()
  }
  return (
    <form onSubmit={submit} className="flex flex-col gap-2">
      {act.error ? <ErrorNotice error={act.error} isAnswer /> : null}
      <TextArea
        aria-label="Note"
        placeholder="Only your team sees notes"
        rows={2}
        dir="auto"
        maxLength={NOTE_MAX}
        value={body}
        readOnly={act.isBusy}
        onChange={(event) => setFields({ body: event.target.value })}
        onKeyDown={hear}
        className="max-h-40 min-h-14! resize-none field-sizing-content"
      />
      <div className="flex items-center gap-3">
        <p className="min-w-0 flex-1 text-sm text-ink-2">Never sent to the recipient.</p>
        <kbd className="font-sans text-xs text-ink-2 max-md:hidden">Ctrl ⏎</kbd>
        <Button type="submit" look="filled" busy={act.isBusy && 'Adding…'} blocked={blocked}>
          Add note
        </Button>
      </div>
    </form>
  )
}
