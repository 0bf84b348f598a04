// Look-up: finds messages of any account, to answer "my text did not arrive". Each look-up is audited and visible to the
// customer, so nothing is requested before the button is pressed, and nothing twice.

import { useInfiniteQuery } from '@tanstack/react-query'
import { useSearch } from '@tanstack/react-router'
import { type FormEvent, useState } from 'react'
import type { FoundMessage } from '../../../generated/types.gen'
import { type LookupSearch, lookupQuery } from '../../api/lookup-queries'
import { readPhone } from '../../lib/format'
import { fromLocalInput } from '../../lib/local-time'
import { ApiRequestButton } from '../../ui/display/ApiRequest'
import { Badge } from '../../ui/display/Badge'
import { type Column, DataTable } from '../../ui/display/DataTable'
import { ListCard } from '../../ui/display/ListCard'
import { messageStatusState } from '../../ui/display/states'
import { Time } from '../../ui/display/Time'
import { Button } from '../../ui/inputs/Button'
import { Phone } from '../../ui/inputs/Copy'
import { Field, Input } from '../../ui/inputs/Field'
import { Card, Empty, Page } from '../../ui/layout/Page'

export function Lookup() {
  const { what = '' } = useSearch({ from: '/operator/messages' })
  const [lookup, setLookup] = useState<LookupSearch | null>(null)
  return (
    <Page
      title="Look up messages"
      actions={
        <ApiRequestButton
          request={{
            method: 'GET',
            path: '/operator/v1/message/search',
            query: { ...(lookup ?? { number: '14155550100' }) },
          }}
        />
      }
    >
      <div className="flex flex-col gap-4">
        <Card>
          <LookupForm key={what} what={what} onLookUp={setLookup} />
        </Card>
        {lookup ? <Results lookup={lookup} /> : null}
      </div>
    </Page>
  )
}

const EMPTY = { what: '', account: '', since: '', until: '', reason: '' }
const REASON_LENGTH_MAX = 255

interface LookupFormProps {
  /** From a link: nothing is looked up before the button is pressed. */
  what: string
  onLookUp: (lookup: LookupSearch) => void
}

function LookupForm({ what, onLookUp }: LookupFormProps) {
  const [fields, setFields] = useState({ ...EMPTY, what })
  const bind = (name: keyof typeof EMPTY) => ({
    value: fields[name],
    onChange: ({ target }: { target: { value: string } }) =>
      setFields({ ...fields, [name]: target.value }),
  })
  const isEmpty = fields.what.trim() === '' && fields.account.trim() === ''
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (!isEmpty) onLookUp(lookupOf(fields))
  }
  return (
    <form onSubmit={submit} className="grid gap-4 sm:grid-cols-2">
      <Field label="Message ID or phone number" help="A recipient, or one of your numbers.">
        {(tied) => (
          <Input {...tied} {...bind('what')} maxLength={64} autoComplete="off" spellCheck={false} />
        )}
      </Field>
      <Field label="Account ID" isOptional help="Only messages of this account.">
        {(tied) => <Input {...tied} {...bind('account')} maxLength={64} autoComplete="off" />}
      </Field>
      <Field label="From" isOptional help="Without a range: the last 7 days. At most 31 days.">
        {(tied) => <Input {...tied} {...bind('since')} type="datetime-local" />}
      </Field>
      <Field label="Until" isOptional help="Your local time.">
        {(tied) => <Input {...tied} {...bind('until')} type="datetime-local" />}
      </Field>
      <div className="sm:col-span-2">
        <Field
          label="Reason"
          isOptional
          help="Required to see texts, for example a ticket number. The customer can read it."
        >
          {(tied) => <Input {...tied} {...bind('reason')} maxLength={REASON_LENGTH_MAX} />}
        </Field>
      </div>
      <div className="flex flex-wrap items-center gap-3 sm:col-span-2">
        <Button
          look="filled"
          type="submit"
          blocked={isEmpty && 'Enter a message ID, a phone number, or an account ID'}
        >
          Look up
        </Button>
        <span className="text-sm text-ink-2">
          Every look-up is in the audit log, and the customer sees it.
        </span>
      </div>
    </form>
  )
}

function lookupOf({ what, account, since, until, reason }: typeof EMPTY): LookupSearch {
  const text = what.trim()
  const entries = {
    ...(text.startsWith('msg_') ? { id: text } : text && { number: readPhone(text) }),
    account: account.trim(),
    since: fromLocalInput(since)?.toISOString(),
    until: fromLocalInput(until)?.toISOString(),
    reason: reason.trim(),
  }
  return Object.fromEntries(Object.entries(entries).filter(([, value]) => value))
}

function Results({ lookup }: { lookup: LookupSearch }) {
  const list = useInfiniteQuery(lookupQuery(lookup))
  return (
    <ListCard
      list={list}
      rows={list.data?.pages.flatMap(({ messages }) => messages)}
      empty={
        <Empty title="No messages found">
          Check the number and the time range. Messages older than the account’s retention are gone.
        </Empty>
      }
    >
      {(messages) => (
        <DataTable
          label="Messages found"
          rows={messages}
          rowKey={({ id }) => id}
          columns={COLUMNS}
          linkOf={({ id }) => ({ to: '/operator/messages/$id', params: { id } })}
          short={(message) => <Short message={message} />}
        />
      )}
    </ListCard>
  )
}

const COLUMNS: readonly Column<FoundMessage>[] = [
  {
    name: 'status',
    head: 'Status',
    className: 'w-40',
    cell: (message) => <Status message={message} />,
  },
  { name: 'from', head: 'From', className: 'w-40', cell: ({ from }) => <Phone phone={from} /> },
  { name: 'to', head: 'To', className: 'w-40', cell: ({ to }) => <Phone phone={to} /> },
  {
    name: 'text',
    head: 'Text',
    isText: true,
    cell: ({ body }) => body ?? <span className="text-ink-3">Hidden</span>,
  },
  {
    name: 'account',
    head: 'Account',
    className: 'w-68',
    isText: true,
    cell: ({ accountId }) => <span className="font-mono text-sm">{accountId}</span>,
  },
  {
    name: 'time',
    head: 'Created',
    align: 'right',
    className: 'w-36',
    cell: ({ createdAt }) => <Time at={createdAt} />,
  },
]

function Status({ message: { status, errorCode } }: { message: FoundMessage }) {
  return (
    <span className="inline-flex items-center gap-1.5">
      <Badge state={messageStatusState(status)} />
      {errorCode}
    </span>
  )
}

function Short({ message }: { message: FoundMessage }) {
  return (
    <>
      <span className="flex items-center gap-2">
        <Status message={message} />
        <Phone phone={message.direction === 'INBOUND' ? message.from : message.to} />
        <span className="ml-auto text-sm text-ink-2">
          <Time at={message.createdAt} />
        </span>
      </span>
      <span className="truncate font-mono text-sm text-ink-2">{message.accountId}</span>
    </>
  )
}
