// Numbers for sale, each with its location and price until the campaign renews. A row asks once before it buys. If
// someone else bought the number, other numbers are shown and the first one gets the focus.

import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Info } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import type { NumberForSale, SearchNumbersReply } from '../../../generated/types.gen'
import { accountQuery } from '../../api/queries'
import { ApiFailure } from '../../api/request'
import { isCanadianNumber } from '../../lib/canada'
import { floorMoney, formatMoney, formatPhone, plural } from '../../lib/format'
import { formatDate } from '../../lib/format-time'
import { useAct } from '../../lib/use-act'
import { ErrorNotice, Notice } from '../../ui/feedback/Notice'
import { Button } from '../../ui/inputs/Button'
import { buyNumber, digitsOf } from './number-acts'

const GONE = new Set(['number_taken', 'number_not_for_sale'])

interface ForSaleProps {
  campaign: string
  areaCode: number | null
  found: SearchNumbersReply
  onSearch: () => void
}

export function ForSale({ campaign, areaCode, found, onSearch }: ForSaleProps) {
  const [confirming, setConfirming] = useState<string | null>(null)
  const list = useRef<HTMLUListElement>(null)
  const buy = useAct((key, number: string) => buyNumber(campaign, number, key), {
    onDone: () => setConfirming(null),
  })
  const isGone = buy.error instanceof ApiFailure && GONE.has(buy.error.code ?? '')
  const [tried, setTried] = useState<string | null>(null)
  // A number that someone else bought is removed at once, before the new search completes.
  const numbers = isGone ? found.numbers.filter(({ number }) => number !== tried) : found.numbers
  const search = useRef(onSearch)
  search.current = onSearch
  useEffect(() => {
    if (!isGone) return
    setConfirming(null)
    search.current()
  }, [isGone])
  const first = numbers[0]?.number
  useEffect(() => {
    // Also when the first of the new numbers has loaded.
    if (isGone && first) list.current?.querySelector('button')?.focus()
  }, [isGone, first])
  return (
    <div className="flex flex-col gap-3 pt-4">
      {isGone ? (
        <Notice tone="warn" title="That number was just sold. Here are others." isAnswer />
      ) : null}
      {buy.reply ? (
        <Bought number={buy.reply.number.phoneNumber} charged={buy.reply.charged} />
      ) : null}
      {areaCode && found.numbers[0]?.distanceMiles !== undefined ? (
        <p className="text-ink-2">No numbers available in {areaCode}. Showing the nearest.</p>
      ) : null}
      <Made found={found} />
      <ul ref={list} aria-label="Numbers for sale">
        {numbers.map((one) => (
          <li
            key={one.number}
            className="flex min-h-12 flex-wrap items-center gap-x-4 gap-y-1 border-b border-line py-2 last:border-0"
          >
            {confirming === one.number ? (
              <Question
                number={one}
                isBusy={buy.isBusy}
                error={buy.error}
                onYes={() => {
                  setTried(one.number)
                  buy.run(one.number)
                }}
                onNo={() => {
                  setConfirming(null)
                  buy.reset()
                }}
              />
            ) : (
              <Offer
                number={one}
                onAsk={() => {
                  buy.reset()
                  setConfirming(one.number)
                }}
              />
            )}
          </li>
        ))}
      </ul>
    </div>
  )
}

function Offer({ number, onAsk }: { number: NumberForSale; onAsk: () => void }) {
  const { number: phone, location, distanceMiles, monthlyPrice, priceNow = 0 } = number
  return (
    <>
      <span className="flex min-w-0 flex-1 flex-wrap gap-x-4 max-sm:flex-col">
        <span className="w-32 font-medium whitespace-nowrap">{formatPhone(phone)}</span>
        <span className="min-w-0 flex-1 truncate text-ink-2">
          {location}
          {isCanadianNumber(phone) ? ', Canada' : ''}
          {distanceMiles === undefined ? '' : ` · ${distanceMiles} mi`}
        </span>
        <span className="whitespace-nowrap text-ink-2">{formatMoney(monthlyPrice)}/month</span>
      </span>
      <Button onClick={onAsk}>
        Buy · {formatMoney(priceNow)} now <span className="sr-only">{formatPhone(phone)}</span>
      </Button>
    </>
  )
}

interface QuestionProps {
  number: NumberForSale
  isBusy: boolean
  error: Error | null
  onYes: () => void
  onNo: () => void
}

function Question({ number: { number, priceNow = 0 }, isBusy, error, onYes, onNo }: QuestionProps) {
  const price = formatMoney(priceNow)
  const place = useRef<HTMLDivElement>(null)
  useEffect(() => place.current?.querySelector('button')?.focus(), [])
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset needs a legend, which is drawn into its border
    <div
      ref={place}
      role="group"
      aria-label={`Buy ${formatPhone(number)}?`}
      className="flex w-full flex-col gap-2"
      onKeyDown={({ key }) => key === 'Escape' && onNo()}
    >
      <div className="flex flex-wrap items-center gap-2">
        <span className="min-w-0 flex-1 font-medium">
          Buy {formatPhone(number)} for {price}?
        </span>
        <Button look="filled" onClick={onYes} busy={isBusy && 'Buying…'}>
          Buy · {price}
        </Button>
        <Button onClick={onNo} blocked={isBusy && 'Buying…'}>
          Cancel
        </Button>
      </div>
      {error ? <Failed error={error} price={price} /> : null}
    </div>
  )
}

function Failed({ error, price }: { error: Error; price: string }) {
  const { data } = useQuery(accountQuery)
  const isShort = error instanceof ApiFailure && error.status === 402 && data
  return (
    <ErrorNotice
      error={error}
      isAnswer
      {...(isShort && {
        hint: (
          <>
            This costs {price}. Your balance is {floorMoney(data.account.balance)}. Ask your
            operator to add credit. In the sandbox:{' '}
            <code className="font-mono wrap-anywhere">
              npx longcode credit {data.account.id} 100
            </code>
          </>
        ),
      })}
    />
  )
}

function Bought({ number, charged }: { number: string; charged: number }) {
  return (
    <Notice tone="go" title={`${formatPhone(number)} is yours.`} isAnswer>
      {formatMoney(charged)} was charged.{' '}
      <Link
        to="/numbers/$digits"
        params={{ digits: digitsOf(number) }}
        className="text-accent-ink underline"
      >
        View number
      </Link>
    </Notice>
  )
}

/** How the price is computed, once for all rows, using the first as an example. */
function Made({ found: { numbers, period } }: { found: SearchNumbersReply }) {
  const one = numbers[0]
  if (!one || !period) return null
  return (
    <p className="flex gap-2 text-sm text-ink-2">
      <Info size={14} aria-hidden="true" className="mt-0.5 shrink-0" />
      <span>
        You pay {formatMoney(one.priceNow ?? 0)} now for {period.daysLeft} of{' '}
        {plural(period.days, 'day')} at {formatMoney(one.monthlyPrice)}/month, rounded up to the
        next cent. This covers the number until {formatDate(new Date(period.until))}. After that, it
        renews with the campaign.
      </span>
    </p>
  )
}
