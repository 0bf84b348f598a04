// The contacts that a search by name found. Each leads to the conversations with that person.

import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { contactsNamedQuery } from '../../../api/inbox-queries'
import { formatPhone } from '../../../lib/format'
import { ErrorNotice } from '../../../ui/feedback/Notice'
import { Empty, Skeleton } from '../../../ui/layout/Page'

export function FoundContacts({ name }: { name: string }) {
  const { data, error, refetch } = useQuery(contactsNamedQuery(name))
  if (error) {
    return (
      <div className="p-3">
        <ErrorNotice error={error} onRetry={() => void refetch()} />
      </div>
    )
  }
  if (!data) {
    return (
      <div className="px-3">
        <Skeleton rows={4} height={56} />
      </div>
    )
  }
  if (data.contacts.length === 0) {
    return <Empty title="No contacts found">No contact’s name starts with “{name}”.</Empty>
  }
  return (
    <ul aria-label="Contacts">
      {data.contacts.map(({ phoneNumber, name: found }) => (
        <li key={phoneNumber} className="border-b border-line">
          <Link
            to="/conversations"
            search={{ view: 'all', number: phoneNumber }}
            className="flex min-h-14 flex-col justify-center px-3 py-2 -outline-offset-2 hover:bg-hover"
          >
            <span className="truncate font-medium" dir="auto">
              {found}
            </span>
            <span className="text-sm text-ink-2">{formatPhone(phoneNumber)}</span>
          </Link>
        </li>
      ))}
    </ul>
  )
}
