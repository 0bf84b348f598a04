// Creates, edits, or deletes a saved reply.

import { type FormEvent, useState } from 'react'
import type { SavedReply } from '../../../../generated/types.gen'
import { request } from '../../../api/request'
import { useAct } from '../../../lib/use-act'
import { Confirm, Dialog } from '../../../ui/feedback/Dialog'
import { ErrorNotice } from '../../../ui/feedback/Notice'
import { Button } from '../../../ui/inputs/Button'
import { Field, Input, TextArea } from '../../../ui/inputs/Field'

const NAME_MAX = 80
const BODY_MAX = 1_500

interface ReplyFormProps {
  /** Null: a new one. */
  reply: SavedReply | null
  onClose: () => void
}

export function ReplyForm({ reply, onClose }: ReplyFormProps) {
  const [name, setName] = useState(reply?.name ?? '')
  const [body, setBody] = useState(reply?.body ?? '')
  const act = useAct(
    async (key, text: { name: string; body: string }) => {
      if (!reply) await request('POST /v1/saved-reply/create', { body: text, key })
      else await request('PATCH /v1/saved-reply/{id}', { path: { id: reply.id }, body: text, key })
    },
    { onDone: onClose },
  )
  const blocked = !name.trim() ? 'Enter a name first' : !body.trim() ? 'Enter a text first' : null
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (!blocked) act.run({ name: name.trim(), body: body.trim() })
  }
  return (
    <Dialog title={reply ? 'Edit saved reply' : 'New saved reply'} onClose={onClose}>
      <form onSubmit={submit} className="flex flex-col gap-3">
        <Field label="Name" help="Only your team sees it.">
          {(tied) => (
            <Input
              {...tied}
              maxLength={NAME_MAX}
              value={name}
              onChange={(event) => setName(event.target.value)}
            />
          )}
        </Field>
        <Field
          label="Text"
          help="{{name}} becomes the name of the contact. A field of the contact, such as {{orderNumber}}, works too."
        >
          {(tied) => (
            <TextArea
              {...tied}
              rows={4}
              dir="auto"
              maxLength={BODY_MAX}
              value={body}
              onChange={(event) => setBody(event.target.value)}
            />
          )}
        </Field>
        {act.error ? <ErrorNotice error={act.error} isAnswer /> : null}
        <div className="flex flex-wrap justify-end gap-2">
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" look="filled" busy={act.isBusy && 'Saving…'} blocked={blocked}>
            Save
          </Button>
        </div>
      </form>
    </Dialog>
  )
}

export function DeleteReply({ reply, onClose }: { reply: SavedReply; onClose: () => void }) {
  const act = useAct(
    (key) => request('DELETE /v1/saved-reply/{id}', { path: { id: reply.id }, key }),
    { onDone: onClose },
  )
  return (
    <Confirm
      title={`Delete “${reply.name}”?`}
      consequence="It is deleted for everyone in the account. Messages that used it stay."
      verb="Delete saved reply"
      isDanger
      busy={act.isBusy && 'Deleting…'}
      error={act.error}
      onConfirm={() => act.run()}
      onClose={onClose}
    />
  )
}
