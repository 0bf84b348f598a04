// An internal note in the thread. It looks different from a message on purpose: the recipient never sees it.

import { StickyNote, X } from 'lucide-react'
import { useState } from 'react'
import type { ConversationNote } from '../../../generated/types.gen'
import { conversationPath } from '../../api/inbox-queries'
import { request } from '../../api/request'
import { clockOf, formatLocal, formatUtc } from '../../lib/format-time'
import { useAct } from '../../lib/use-act'
import { Confirm } from '../../ui/feedback/Dialog'
import { type ThreadKey, useMaySend } from './use-conversation'

interface NoteProps {
  note: ConversationNote
  conversation: ThreadKey
}

export function Note({ note, conversation }: NoteProps) {
  const { author, body, createdAt } = note
  const at = new Date(createdAt)
  const maySend = useMaySend()
  const [isDeleting, setDeleting] = useState(false)
  return (
    <li className="my-1 flex gap-2 self-stretch rounded-md border border-dashed border-warn-solid bg-warn-soft px-3 py-2">
      <StickyNote size={16} aria-hidden="true" className="mt-0.5 shrink-0 text-warn-ink" />
      <div className="min-w-0 flex-1">
        <p className="text-xs text-ink-2">
          <span className="font-medium text-warn-ink">Note</span>
          {author ? ` by ${author}` : ''} ·{' '}
          <time dateTime={createdAt} title={`${formatLocal(at)}\n${formatUtc(at)}`}>
            {clockOf(at)}
          </time>
        </p>
        <p dir="auto" className="wrap-anywhere whitespace-pre-wrap">
          {body}
        </p>
      </div>
      {maySend ? (
        <button
          type="button"
          onClick={() => setDeleting(true)}
          aria-label="Delete note"
          title="Delete note"
          className="-mt-1 -mr-2 inline-flex size-8 shrink-0 cursor-pointer items-center justify-center rounded-md text-ink-2 hover:bg-hover hover:text-ink pointer-coarse:size-11"
        >
          <X size={14} aria-hidden="true" />
        </button>
      ) : null}
      {isDeleting ? (
        <DeleteNote note={note} conversation={conversation} onClose={() => setDeleting(false)} />
      ) : null}
    </li>
  )
}

function DeleteNote({ note, conversation, onClose }: NoteProps & { onClose: () => void }) {
  const { campaignId, phone } = conversation
  const act = useAct(
    (key) =>
      request('DELETE /v1/campaign/{id}/conversations/{number}/notes/{noteId}', {
        path: { ...conversationPath(campaignId, phone), noteId: note.id },
        key,
      }),
    { onDone: onClose },
  )
  return (
    <Confirm
      title="Delete this note?"
      consequence="It is deleted for everyone. This cannot be undone."
      verb="Delete note"
      isDanger
      busy={act.isBusy && 'Deleting…'}
      error={act.error}
      onConfirm={() => act.run()}
      onClose={onClose}
    />
  )
}
