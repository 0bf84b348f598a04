// Magic numbers with special behavior: selecting one sends a test message and opens its phone next to the
// message's timeline.

import { useQuery } from '@tanstack/react-query'
import { Plus } from 'lucide-react'
import { type FormEvent, useState } from 'react'
import { numbersQuery, previewQuery } from '../../api/queries'
import { request } from '../../api/request'
import { formatMoney, readPhone } from '../../lib/format'
import { MAGIC_NUMBERS, magicPhone } from '../../lib/sandbox'
import { useAct } from '../../lib/use-act'
import { ErrorNotice } from '../../ui/feedback/Notice'
import { Button } from '../../ui/inputs/Button'
import { Field, Input } from '../../ui/inputs/Field'
import { Skeleton } from '../../ui/layout/Page'

const TEST_BODY = 'A test from Longcode. Reply STOP to opt out.'

interface Props {
  phones: readonly string[]
  /** The one that was selected last. */
  chosen: string | null
  onOpen: (phone: string, watch?: string) => void
  isFull: boolean
}

export function SpecialNumbers({ phones, chosen, onOpen, isFull }: Props) {
  const { data, isPending } = useQuery(numbersQuery)
  const { data: preview } = useQuery(previewQuery(TEST_BODY))
  const from = data?.numbers[0]?.phoneNumber
  const act = useAct(
    (key, to: string) =>
      request('POST /v1/message/send', {
        body: { ...(from && { from }), to, body: TEST_BODY },
        key,
      }),
    { onDone: ({ id }, to) => onOpen(to, id) },
  )
  const press = (phone: string) => {
    if (from) act.run(phone)
    else onOpen(phone)
  }
  // The label depends on the numbers, so it waits until they are loaded.
  if (isPending) return <Skeleton rows={8} height={32} />
  return (
    <>
      <p className="mb-2 text-sm text-ink-2">
        The last four digits of these phone numbers determine what happens to messages sent to them.{' '}
        {from && preview
          ? `Select one to send it a test message (${formatMoney(preview.price)}).`
          : 'Select one to open it.'}
      </p>
      <ul className="mb-3">
        {MAGIC_NUMBERS.map(({ ending, what }) => {
          const phone = magicPhone(ending)
          return (
            <li key={ending}>
              <button
                type="button"
                onClick={() => press(phone)}
                title={from ? `Send a test to …${ending}` : `Open …${ending}`}
                aria-pressed={phones.includes(phone)}
                className={`flex min-h-8 w-full cursor-pointer items-center gap-2 rounded-md px-2 text-left hover:bg-hover aria-pressed:bg-accent-soft pointer-coarse:min-h-11 ${phone === chosen ? 'shadow-[inset_3px_0_var(--color-accent)]' : ''}`}
              >
                <span className="font-medium">…{ending}</span>
                <span className="text-ink-2">{what}</span>
              </button>
            </li>
          )
        })}
      </ul>
      {act.error ? <ErrorNotice error={act.error} isAnswer /> : null}
      <p className="mb-3 text-sm text-ink-2">
        The last digit determines the carrier: 0–3 AT&amp;T, 4–6 T-Mobile, 7–9 Verizon.
      </p>
      <AddPhone onAdd={(phone) => onOpen(phone)} isFull={isFull} />
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
      setError('Enter 10 digits, such as (415) 555-0171.')
      return
    }
    setError(null)
    setText('')
    onAdd(phone)
  }
  return (
    <form onSubmit={submit} className="flex items-end gap-2">
      <div className="flex-1">
        <Field label="Add a phone" error={error}>
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
      <Button type="submit" title={isFull ? 'Replaces the oldest phone' : undefined}>
        <Plus size={16} aria-hidden="true" />
        Add
      </Button>
    </form>
  )
}
