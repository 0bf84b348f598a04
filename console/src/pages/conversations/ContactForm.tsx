// Edits the name and the fields of a contact, or deletes it. Loaded on first use.

import { Plus, X } from 'lucide-react'
import { type FormEvent, useState } from 'react'
import type { Contact } from '../../../generated/types.gen'
import { request } from '../../api/request'
import { formatPhone } from '../../lib/format'
import { useAct } from '../../lib/use-act'
import { Confirm, Dialog } from '../../ui/feedback/Dialog'
import { ErrorNotice } from '../../ui/feedback/Notice'
import { Button } from '../../ui/inputs/Button'
import { Field, Input } from '../../ui/inputs/Field'

const NAME_MAX = 100
const FIELDS_MAX = 20
const FIELD_MAX = 500
const FIELD_NAME = /^[A-Za-z][A-Za-z0-9_]{0,39}$/

interface Pair {
  name: string
  value: string
}

interface ContactFormProps {
  phone: string
  contact: Contact | null
  onClose: () => void
}

export default function ContactForm({ phone, contact, onClose }: ContactFormProps) {
  const [name, setName] = useState(contact?.name ?? '')
  const [pairs, setPairs] = useState<readonly Pair[]>(
    Object.entries(contact?.fields ?? {}).map(([field, value]) => ({ name: field, value })),
  )
  const number = phone.replace(/\D/g, '')
  const put = useAct(
    (key, body: { name: string; fields: Record<string, string> }) =>
      request('PUT /v1/contact/{number}', { path: { number }, body, key }),
    { onDone: onClose },
  )
  const [isDeleting, setDeleting] = useState(false)
  const written = pairs.filter((pair) => pair.name.trim() !== '' || pair.value.trim() !== '')
  const problem = problemOf(written)
  const blocked = name.trim() === '' ? 'Enter a name first' : problem
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (blocked) return
    const fields = written.map((pair) => [pair.name.trim(), pair.value.trim()])
    put.run({ name: name.trim(), fields: Object.fromEntries(fields) })
  }
  if (isDeleting) return <DeleteContact number={number} onClose={onClose} />
  return (
    <Dialog title={`Contact ${formatPhone(phone)}`} onClose={onClose}>
      <form onSubmit={submit} className="flex flex-col gap-3">
        <Field label="Name">
          {(tied) => (
            <Input
              {...tied}
              maxLength={NAME_MAX}
              dir="auto"
              value={name}
              onChange={(event) => setName(event.target.value)}
            />
          )}
        </Field>
        <FieldPairs pairs={pairs} onChange={setPairs} />
        {problem ? <p className="text-sm text-bad-ink">{problem}</p> : null}
        {put.error ? <ErrorNotice error={put.error} isAnswer /> : null}
        <div className="flex flex-wrap justify-end gap-2">
          {contact ? (
            <span className="mr-auto">
              <Button look="quiet" onClick={() => setDeleting(true)}>
                Delete contact…
              </Button>
            </span>
          ) : null}
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" look="filled" busy={put.isBusy && 'Saving…'} blocked={blocked}>
            Save
          </Button>
        </div>
      </form>
    </Dialog>
  )
}

function DeleteContact({ number, onClose }: { number: string; onClose: () => void }) {
  const act = useAct((key) => request('DELETE /v1/contact/{number}', { path: { number }, key }), {
    onDone: onClose,
  })
  return (
    <Confirm
      title="Delete this contact?"
      consequence="The name and the fields are deleted for everyone. Messages and notes stay."
      verb="Delete contact"
      isDanger
      busy={act.isBusy && 'Deleting…'}
      error={act.error}
      onConfirm={() => act.run()}
      onClose={onClose}
    />
  )
}

interface FieldPairsProps {
  pairs: readonly Pair[]
  onChange: (pairs: readonly Pair[]) => void
}

function FieldPairs({ pairs, onChange }: FieldPairsProps) {
  const set = (index: number, part: Partial<Pair>) =>
    onChange(pairs.map((pair, i) => (i === index ? { ...pair, ...part } : pair)))
  return (
    <fieldset className="flex flex-col gap-2">
      <legend className="font-medium">
        Fields <span className="font-normal text-ink-3">(optional)</span>
      </legend>
      <p className="text-sm text-ink-2">Saved replies use them, for example {'{{orderNumber}}'}.</p>
      {pairs.map(({ name, value }, i) => (
        <div key={String(i)} className="flex items-center gap-1">
          <Input
            aria-label={`Field ${i + 1} name`}
            placeholder="orderNumber"
            maxLength={40}
            className="basis-2/5"
            value={name}
            onChange={(event) => set(i, { name: event.target.value })}
          />
          <Input
            aria-label={`Field ${i + 1} value`}
            placeholder="1042"
            maxLength={FIELD_MAX}
            dir="auto"
            value={value}
            onChange={(event) => set(i, { value: event.target.value })}
          />
          <Button
            look="quiet"
            className="px-2"
            aria-label={`Remove field ${i + 1}`}
            onClick={() => onChange(pairs.filter((_, other) => other !== i))}
          >
            <X size={16} aria-hidden="true" />
          </Button>
        </div>
      ))}
      {pairs.length < FIELDS_MAX ? (
        <span>
          <Button onClick={() => onChange([...pairs, { name: '', value: '' }])}>
            <Plus size={14} aria-hidden="true" />
            Add field
          </Button>
        </span>
      ) : null}
    </fieldset>
  )
}

function problemOf(pairs: readonly Pair[]): string | null {
  const names = pairs.map(({ name }) => name.trim())
  const wrong = names.find((name) => !FIELD_NAME.test(name))
  if (wrong !== undefined) {
    return 'A field name has letters, digits, and underscores, and starts with a letter.'
  }
  const twice = names.find((name, i) => names.indexOf(name) !== i)
  return twice ? `The field ${twice} is there twice.` : null
}
