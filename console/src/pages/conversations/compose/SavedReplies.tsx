// Saved replies: choose one for the composer, or create, edit, and delete them. Loaded on first use.

import { useQuery } from '@tanstack/react-query'
import { Pencil, Plus, Trash2 } from 'lucide-react'
import { useState } from 'react'
import type { Contact, SavedReply } from '../../../../generated/types.gen'
import { savedRepliesQuery } from '../../../api/inbox-queries'
import { fillReply } from '../../../lib/fill-reply'
import { Dialog } from '../../../ui/feedback/Dialog'
import { ErrorNotice } from '../../../ui/feedback/Notice'
import { Button } from '../../../ui/inputs/Button'
import { Input } from '../../../ui/inputs/Field'
import { Menu } from '../../../ui/inputs/Menu'
import { Empty, Skeleton } from '../../../ui/layout/Page'
import { DeleteReply, ReplyForm } from './ReplyForm'

interface SavedRepliesProps {
  /** Whose name and fields are filled in. */
  contact: Contact | null
  onInsert: (text: string) => void
  onClose: () => void
}

type Editing = { kind: 'form'; reply: SavedReply | null } | { kind: 'delete'; reply: SavedReply }

export default function SavedReplies({ contact, onInsert, onClose }: SavedRepliesProps) {
  const { data, error, refetch } = useQuery(savedRepliesQuery)
  const [text, setText] = useState('')
  const [editing, setEditing] = useState<Editing | null>(null)
  const stop = () => setEditing(null)
  if (editing?.kind === 'form') return <ReplyForm reply={editing.reply} onClose={stop} />
  if (editing?.kind === 'delete') return <DeleteReply reply={editing.reply} onClose={stop} />
  const typed = text.trim().toLowerCase()
  const replies = data?.savedReplies ?? []
  const found = replies.filter(({ name, body }) => `${name}\n${body}`.toLowerCase().includes(typed))
  const add = () => setEditing({ kind: 'form', reply: null })
  return (
    <Dialog
      title="Saved replies"
      onClose={onClose}
      actions={
        <Button onClick={add}>
          <Plus size={14} aria-hidden="true" />
          New saved reply
        </Button>
      }
    >
      {replies.length > 5 || text ? (
        <Input
          type="search"
          aria-label="Find a saved reply"
          placeholder="Find a saved reply"
          value={text}
          onChange={(event) => setText(event.target.value)}
          onKeyDown={(event) => {
            if (event.key === 'Enter' && found[0]) onInsert(fillReply(found[0].body, contact))
          }}
        />
      ) : null}
      {error ? (
        <ErrorNotice error={error} onRetry={() => void refetch()} />
      ) : !data ? (
        <Skeleton rows={3} height={56} />
      ) : found.length === 0 ? (
        <Empty title={typed ? 'No results' : 'No saved replies yet'}>
          {typed
            ? 'No saved reply has this text.'
            : 'Save texts that your team sends often. {{name}} becomes the name of the contact.'}
        </Empty>
      ) : (
        <ul className="-mx-2 flex min-h-0 flex-col overflow-y-auto">
          {found.map((reply) => (
            <li key={reply.id} className="flex items-start gap-1 rounded-md hover:bg-hover">
              <button
                type="button"
                onClick={() => onInsert(fillReply(reply.body, contact))}
                className="min-w-0 flex-1 cursor-pointer rounded-md px-2 py-2 text-left -outline-offset-2"
              >
                <span className="block truncate font-medium" dir="auto">
                  {reply.name}
                </span>
                <span className="line-clamp-2 text-sm text-ink-2 wrap-anywhere" dir="auto">
                  {fillReply(reply.body, contact)}
                </span>
              </button>
              <Menu
                label={`Actions for ${reply.name}`}
                items={[
                  {
                    label: 'Edit…',
                    icon: Pencil,
                    onSelect: () => setEditing({ kind: 'form', reply }),
                  },
                  {
                    label: 'Delete…',
                    icon: Trash2,
                    isDanger: true,
                    onSelect: () => setEditing({ kind: 'delete', reply }),
                  },
                ]}
              />
            </li>
          ))}
        </ul>
      )}
    </Dialog>
  )
}
