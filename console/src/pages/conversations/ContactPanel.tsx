// Who the recipient is: the name and the fields of the contact, for all campaigns.

import { Pencil, UserPlus } from 'lucide-react'
import { lazy, Suspense, useState } from 'react'
import { formatPhone } from '../../lib/format'
import { Button } from '../../ui/inputs/Button'
import { type ThreadKey, useConversation, useMaySend } from './use-conversation'

const ContactForm = lazy(() => import('./ContactForm'))

export function ContactPanel(key: ThreadKey) {
  const { contact, state } = useConversation(key)
  const maySend = useMaySend()
  const [isEditing, setEditing] = useState(false)
  const Icon = contact ? Pencil : UserPlus
  return (
    <section aria-label="Contact" className="flex flex-col items-start gap-1.5">
      <h3 className="font-semibold">Contact</h3>
      {contact ? (
        <>
          <p className="wrap-anywhere" dir="auto">
            {contact.name}
          </p>
          <p className="text-sm text-ink-2">{formatPhone(key.phone)}</p>
          <dl className="flex flex-col gap-1.5 text-sm empty:hidden">
            {Object.entries(contact.fields).map(([name, value]) => (
              <div key={name}>
                <dt className="text-xs text-ink-2 wrap-anywhere">{name}</dt>
                <dd className="wrap-anywhere" dir="auto">
                  {value}
                </dd>
              </div>
            ))}
          </dl>
        </>
      ) : (
        <p className="text-sm text-ink-2">No name for {formatPhone(key.phone)} yet.</p>
      )}
      {maySend && state ? (
        <Button onClick={() => setEditing(true)}>
          <Icon size={14} aria-hidden="true" />
          {contact ? 'Edit contact' : 'Add contact'}
        </Button>
      ) : null}
      <Suspense>
        {isEditing ? (
          <ContactForm phone={key.phone} contact={contact} onClose={() => setEditing(false)} />
        ) : null}
      </Suspense>
    </section>
  )
}
