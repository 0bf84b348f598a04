// Named views: filters that someone saved. The URL has the name and the filters, so a view can be shared as a link.

import { useNavigate } from '@tanstack/react-router'
import { type FormEvent, useState } from 'react'
import type { MessageSearch } from '../../api/queries'
import { useSession } from '../../api/session'
import { readViews, type SavedView, saveViews, withView } from '../../lib/saved-views'
import { Dialog } from '../../ui/feedback/Dialog'
import { Button } from '../../ui/inputs/Button'
import { Field, Input } from '../../ui/inputs/Field'
import { Menu, type MenuItem } from '../../ui/inputs/Menu'

interface ViewsProps {
  filter: MessageSearch
  /** The name in the URL. */
  view: string | undefined
}

const NAME_LENGTH_MAX = 60

export function Views({ filter, view }: ViewsProps) {
  const { account, user } = useSession()
  const owner = { accountId: account?.accountId ?? '', userId: user?.userId ?? null }
  const navigate = useNavigate()
  const [views, setViews] = useState(() => readViews(owner))
  const [isSaving, setSaving] = useState(false)
  const keep = (next: readonly SavedView[]) => {
    setViews(next)
    saveViews(owner, next)
  }
  const show = (saved: SavedView) =>
    void navigate({ to: '/messages', search: { ...saved.filter, viewName: saved.name } })
  const items: MenuItem[] = views.map((saved) => ({
    label: saved.name,
    onSelect: () => show(saved),
  }))
  if (Object.keys(filter).length > 0) {
    items.push({ label: 'Save this view…', onSelect: () => setSaving(true) })
  }
  if (view !== undefined && views.some(({ name }) => name === view)) {
    items.push({
      label: `Delete “${view}”`,
      isDanger: true,
      onSelect: () => {
        keep(views.filter(({ name }) => name !== view))
        void navigate({ to: '/messages', search: filter })
      },
    })
  }
  return (
    <>
      <Menu label={view ? `View: ${view}` : 'Views'} items={items} isNamed />
      {isSaving ? (
        <SaveDialog
          name={view ?? ''}
          onClose={() => setSaving(false)}
          onSave={(name) => {
            setSaving(false)
            keep(withView(views, { name, filter }))
            show({ name, filter })
          }}
        />
      ) : null}
    </>
  )
}

interface SaveDialogProps {
  name: string
  onSave: (name: string) => void
  onClose: () => void
}

function SaveDialog({ name, onSave, onClose }: SaveDialogProps) {
  const [text, setText] = useState(name)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (text.trim() !== '') onSave(text.trim())
  }
  return (
    <Dialog title="Save this view" onClose={onClose}>
      <form onSubmit={submit} className="flex flex-col gap-3">
        <Field
          label="Name"
          help="Saved in this browser until you sign out. To keep or share the view, copy its link."
        >
          {(tied) => (
            <Input
              {...tied}
              value={text}
              maxLength={NAME_LENGTH_MAX}
              onChange={({ target }) => setText(target.value)}
            />
          )}
        </Field>
        <div className="flex justify-end">
          <Button look="filled" type="submit" blocked={text.trim() === '' && 'Enter a name'}>
            Save view
          </Button>
        </div>
      </form>
    </Dialog>
  )
}
