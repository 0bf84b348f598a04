// Handset: phones on the screen that receive what the account sends and answer, what happens meanwhile, the
// numbers that behave in special ways, and the clock of the sandbox.

import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { Plus, X } from 'lucide-react'
import { type FormEvent, useState } from 'react'
import { numbersQuery } from '../api/queries'
import { useSession } from '../api/session'
import { formatPhone, readPhone } from '../lib/format'
import { FIRST_PHONE, MAGIC_NUMBERS, magicPhone } from '../lib/sandbox'
import { Button, ButtonLink } from '../ui/Button'
import { Field, Input } from '../ui/Field'
import { Notice } from '../ui/Notice'
import { Card, Empty, Page } from '../ui/Page'
import { PhoneScreen } from '../ui/Phone'
import { ClockBar } from './handset/ClockBar'
import { Happenings } from './handset/Happenings'

const PHONES_MAX = 4

export function Handset() {
  const { mode } = useSession()
  if (mode !== 'sandbox') {
    return (
      <Page title="Handset">
        <Empty title="The handset is part of the sandbox." />
      </Page>
    )
  }
  return <Phones />
}

function Phones() {
  const { phones: given } = useSearch({ from: '/house/handset' })
  const navigate = useNavigate({ from: '/handset' })
  const { data } = useQuery(numbersQuery)
  const phones = given && given.length > 0 ? given : [FIRST_PHONE]
  const show = (next: string[]) => void navigate({ search: { phones: next }, replace: true })
  const add = (phone: string) => {
    if (!phones.includes(phone)) show([...phones, phone].slice(-PHONES_MAX))
  }
  const ourNumber = data?.numbers[0]?.phoneNumber ?? null
  return (
    <Page title="Handset">
      <ClockBar />
      {data && ourNumber === null ? (
        <div className="mb-4">
          <Notice tone="warn" title="You have no number to text.">
            <p className="mb-2">Phones can answer as soon as a campaign has a number.</p>
            <ButtonLink to="/start">Finish the start</ButtonLink>
          </Notice>
        </div>
      ) : null}
      <div className="grid items-start gap-6 xl:grid-cols-[minmax(0,1fr)_22rem]">
        <div className="grid grid-cols-1 justify-items-center gap-4 sm:grid-cols-2 sm:justify-items-start lg:grid-cols-3">
          {phones.map((phone) => (
            <div key={phone} className="relative w-full max-w-75">
              <PhoneScreen phone={phone} ourNumber={ourNumber} />
              {phones.length > 1 ? (
                <button
                  type="button"
                  onClick={() => show(phones.filter((one) => one !== phone))}
                  aria-label={`Put ${formatPhone(phone)} away`}
                  className="absolute -top-2 -right-2 inline-flex size-6 cursor-pointer items-center justify-center rounded-full border border-line bg-surface text-ink-2 hover:bg-hover pointer-coarse:size-11"
                >
                  <X size={14} aria-hidden="true" />
                </button>
              ) : null}
            </div>
          ))}
        </div>
        <div className="flex flex-col gap-4">
          <Card title="What happened">
            <Happenings />
          </Card>
          <Card title="Special numbers">
            <Special phones={phones} onAdd={add} />
          </Card>
        </div>
      </div>
    </Page>
  )
}

function Special({ phones, onAdd }: { phones: string[]; onAdd: (phone: string) => void }) {
  return (
    <>
      <p className="mb-2 text-sm text-ink-2">
        What happens to texts for a phone is told by its end. Press one to open it.
      </p>
      <ul className="mb-3">
        {MAGIC_NUMBERS.map(({ ending, what }) => {
          const phone = magicPhone(ending)
          return (
            <li key={ending}>
              <button
                type="button"
                onClick={() => onAdd(phone)}
                aria-pressed={phones.includes(phone)}
                className="flex min-h-8 w-full cursor-pointer items-center gap-2 rounded-md px-2 text-left hover:bg-hover aria-pressed:bg-accent-soft pointer-coarse:min-h-11"
              >
                <span className="font-medium">…{ending}</span>
                <span className="text-ink-2">{what}</span>
              </button>
            </li>
          )
        })}
      </ul>
      <p className="mb-3 text-sm text-ink-2">
        The last digit names the carrier: 0 to 3 AT&amp;T, 4 to 6 T-Mobile, 7 to 9 Verizon.
      </p>
      <AddPhone onAdd={onAdd} isFull={phones.length >= PHONES_MAX} />
    </>
  )
}

function AddPhone({ onAdd, isFull }: { onAdd: (phone: string) => void; isFull: boolean }) {
  const [text, setText] = useState('')
  const [error, setError] = useState<string | null>(null)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    const phone = readPhone(text)
    if (!/^\+1\d{10}$/.test(phone)) {
      setError('Ten digits, such as 415 555 0171.')
      return
    }
    setError(null)
    setText('')
    onAdd(phone)
  }
  return (
    <form onSubmit={submit} className="flex items-end gap-2">
      <div className="flex-1">
        <Field label="Another phone" error={error}>
          {(tied) => (
            <Input
              {...tied}
              inputMode="tel"
              value={text}
              maxLength={20}
              onChange={(event) => setText(event.target.value)}
            />
          )}
        </Field>
      </div>
      <Button type="submit" title={isFull ? 'The oldest is put away' : undefined}>
        <Plus size={16} aria-hidden="true" />
        Add
      </Button>
    </form>
  )
}
