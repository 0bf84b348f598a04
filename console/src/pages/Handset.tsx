// Handset: sandbox phones that receive what the account sends and can reply, an activity log, magic numbers, and
// the sandbox clock.

import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { X } from 'lucide-react'
import { useRef, useState } from 'react'
import { numbersQuery } from '../api/queries'
import { useSession } from '../api/session'
import { formatPhone } from '../lib/format'
import { FIRST_PHONE } from '../lib/sandbox'
import { PhoneScreen } from '../ui/display/Phone'
import { Notice } from '../ui/feedback/Notice'
import { ButtonLink } from '../ui/inputs/Button'
import { Switch } from '../ui/inputs/Field'
import { Card, Empty, Page } from '../ui/layout/Page'
import { ClockBar } from './handset/ClockBar'
import { EventLog } from './handset/EventLog'
import { SpecialNumbers } from './handset/SpecialNumbers'
import { useArrivals } from './handset/use-arrivals'
import { Watched } from './handset/Watched'

const PHONES_MAX = 4
const TITLE = 'Handset'

export function Handset() {
  const { mode } = useSession()
  if (mode !== 'sandbox') {
    return (
      <Page title={TITLE}>
        <Empty title="The handset is available only in the sandbox" />
      </Page>
    )
  }
  return <Phones />
}

function Phones() {
  const { phones: listed, watch } = useSearch({ from: '/shell/handset' })
  const navigate = useNavigate({ from: '/handset' })
  const { data } = useQuery(numbersQuery)
  const { isLoud, setLoud, arrive } = useArrivals(TITLE)
  const phones = listed
    ? String(listed)
        .split(',')
        .map((digits) => `+${digits}`)
    : [FIRST_PHONE]
  const show = (next: string[], message = watch) => {
    const digits = next.map((phone) => phone.slice(1)).join(',')
    const search = { phones: digits, ...(message && { watch: message }) }
    void navigate({ search, replace: true, resetScroll: false })
  }
  const [chosen, setChosen] = useState<string | null>(null)
  const open = (phone: string, message?: string) => {
    setChosen(phone)
    const next = phones.includes(phone) ? phones : [...phones, phone].slice(-PHONES_MAX)
    show(next, message)
  }
  const ourNumbers = (data?.numbers ?? []).map(({ phoneNumber }) => phoneNumber)
  return (
    <Page title={TITLE} actions={<Switch label="Sound" isChecked={isLoud} onChange={setLoud} />}>
      <ClockBar />
      {data && ourNumbers.length === 0 ? <NoNumber /> : null}
      <div className="grid items-start gap-6 xl:grid-cols-[minmax(0,1fr)_23rem]">
        <PhoneRow
          phones={phones}
          chosen={chosen ?? phones[0]!}
          onChoose={setChosen}
          ourNumbers={ourNumbers}
          onShow={show}
          onArrive={arrive}
        />
        <div className="flex min-w-0 flex-col gap-4">
          {watch ? (
            <Card title="Test message">
              <Watched key={watch} id={watch} />
            </Card>
          ) : null}
          <Card title="Activity">
            <EventLog />
          </Card>
          <Card title="Magic numbers">
            <SpecialNumbers
              phones={phones}
              chosen={chosen}
              onOpen={open}
              isFull={phones.length >= PHONES_MAX}
            />
          </Card>
        </div>
      </div>
    </Page>
  )
}

function NoNumber() {
  return (
    <div className="mb-4">
      <Notice tone="warn" title="You have no number to text">
        <p className="mb-2">Phones can reply once a campaign has a number.</p>
        <ButtonLink to="/start">Continue setup: step 3</ButtonLink>
      </Notice>
    </div>
  )
}

interface PhoneRowProps {
  phones: readonly string[]
  /** The phone that was opened or used last. */
  chosen: string
  onChoose: (phone: string) => void
  ourNumbers: readonly string[]
  onShow: (phones: string[]) => void
  onArrive: () => void
}

/** Side by side. If only one fits, the others are a swipe or a tap away. */
function PhoneRow(props: PhoneRowProps) {
  const { phones, chosen, onChoose, ourNumbers, onShow, onArrive } = props
  const row = useRef<HTMLUListElement>(null)
  const isOneOfMany = phones.length > 1
  const bring = (index: number) =>
    row.current?.children[index]?.scrollIntoView({ inline: 'center', block: 'nearest' })
  // On a small screen, the phone in view is the chosen one.
  const swiped = () => {
    const { current } = row
    if (!current || current.scrollWidth <= current.clientWidth) return
    const index = Math.round(current.scrollLeft / (current.clientWidth || 1))
    const phone = phones[Math.min(index, phones.length - 1)]
    if (phone && phone !== chosen) onChoose(phone)
  }
  return (
    <div className="min-w-0">
      {isOneOfMany ? (
        <div className="mb-2 flex flex-wrap justify-center gap-1 sm:hidden">
          {phones.map((phone, index) => (
            <button
              key={phone}
              type="button"
              onClick={() => {
                onChoose(phone)
                bring(index)
              }}
              aria-pressed={phone === chosen}
              aria-label={`Show ${formatPhone(phone)}`}
              className="min-h-8 cursor-pointer rounded-md border border-line px-2 text-sm text-ink-2 hover:bg-hover aria-pressed:border-accent aria-pressed:bg-accent-soft aria-pressed:font-medium aria-pressed:text-ink pointer-coarse:min-h-11"
            >
              …{phone.slice(-4)}
            </button>
          ))}
        </div>
      ) : null}
      <ul
        ref={row}
        onScroll={swiped}
        aria-label="Phones"
        className="flex gap-4 overflow-x-auto pt-2 pr-2 max-sm:snap-x max-sm:snap-mandatory sm:flex-wrap sm:overflow-visible"
      >
        {phones.map((phone) => (
          <li
            key={phone}
            onFocusCapture={() => onChoose(phone)}
            aria-current={isOneOfMany && phone === chosen ? 'true' : undefined}
            className="relative flex shrink-0 justify-center max-sm:w-full max-sm:snap-center sm:w-58"
          >
            <PhoneScreen
              phone={phone}
              isChosen={isOneOfMany && phone === chosen}
              ourNumbers={ourNumbers}
              emptyText={`Send a message to ${formatPhone(phone)}, or text your number from here.`}
              onArrive={onArrive}
            />
            {isOneOfMany ? (
              <button
                type="button"
                onClick={() => onShow(phones.filter((one) => one !== phone))}
                aria-label={`Close ${formatPhone(phone)}`}
                className="absolute -top-2 -right-2 inline-flex size-6 cursor-pointer items-center justify-center rounded-full border border-line bg-surface text-ink-2 hover:bg-hover pointer-coarse:size-11"
              >
                <X size={14} aria-hidden="true" />
              </button>
            ) : null}
          </li>
        ))}
      </ul>
    </div>
  )
}
