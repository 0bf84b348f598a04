// What messages cost, for everybody or for one account: now, before and to come, and a new price from a
// given time on.

import { useQuery } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import type { Price } from '../../../../generated/types.gen'
import { ApiFailure } from '../../../api/call'
import { operate, pricesQuery } from '../../../api/operator-queries'
import { formatMoney } from '../../../lib/format'
import { useAct } from '../../../lib/use-act'
import { useDraft } from '../../../lib/use-draft'
import { ApiCallButton } from '../../../ui/ApiCall'
import { Button } from '../../../ui/Button'
import { Confirm } from '../../../ui/Dialog'
import { Field, Input, Select } from '../../../ui/Field'
import { ErrorNotice } from '../../../ui/Notice'
import { Card, Skeleton } from '../../../ui/Page'
import { Time } from '../../../ui/Time'
import { toast } from '../../../ui/Toast'

const KINDS = {
  sms: 'SMS, a segment',
  mms: 'MMS, a message',
  call: 'Forwarded call',
} as const
const PER: Record<string, string> = { sms: 'Per segment.', mms: 'Per message.', call: 'Per call.' }
type Kind = keyof typeof KINDS

interface PriceCardProps {
  /** Null: everybody who has no price of their own. */
  account: string | null
  title: string
  isFirst?: boolean
}

export function PriceCard({ account, title, isFirst }: PriceCardProps) {
  const { data, error, refetch } = useQuery(pricesQuery(account))
  return (
    <Card title={title}>
      {error ? <ErrorNotice error={error} onRetry={() => void refetch()} /> : null}
      {!data && !error ? <Skeleton rows={3} /> : null}
      {data ? (
        <>
          <dl className="mb-4 grid max-w-100 grid-cols-2 gap-3">
            {(Object.keys(KINDS) as Kind[]).map((kind) => (
              <div key={kind}>
                <dt className="text-sm text-ink-2">{KINDS[kind]}, now</dt>
                <dd className="text-lg font-semibold">{formatMoney(data.now[kind], 4)}</dd>
              </div>
            ))}
          </dl>
          <PriceForm account={account} isFirst={isFirst ?? false} prices={data.prices} />
          <Prices prices={data.prices} account={account} />
        </>
      ) : null}
    </Card>
  )
}

function Prices({ prices, account }: { prices: readonly Price[]; account: string | null }) {
  if (prices.length === 0) {
    return (
      <p className="mt-4 text-sm text-ink-2">
        {account ? 'It pays what everybody pays.' : 'No price was set: those of the settings hold.'}
      </p>
    )
  }
  return (
    <ul aria-label="Prices, the latest first" className="mt-4 divide-y divide-line">
      {prices.map(({ kind, amount, effectiveAt }) => (
        <li key={`${kind} ${effectiveAt}`} className="flex min-h-10 items-center gap-3">
          <span className="w-12 uppercase">{kind}</span>
          <span className="flex-1">
            {amount === null ? describeFallback(account) : formatMoney(amount, 4)}
          </span>
          <span className="text-sm text-ink-2">
            effective <Time at={effectiveAt} />
          </span>
        </li>
      ))}
    </ul>
  )
}

function describeFallback(account: string | null): string {
  return account ? 'as everybody' : 'as in the settings'
}

interface PriceFormProps {
  account: string | null
  isFirst: boolean
  prices: readonly Price[]
}

function PriceForm({ account, isFirst, prices }: PriceFormProps) {
  const [fields, setFields, draft] = useDraft(`price-${account ?? 'all'}`, {
    kind: 'sms' as string,
    amount: '',
    from: '',
  })
  const [isAsking, setAsking] = useState(false)
  const text = fields.amount.trim()
  const amount = text === '' ? null : Number(text)
  const from = fields.from === '' ? null : new Date(fields.from)
  const body = {
    ...(account && { account }),
    kind: fields.kind,
    amount,
    ...(from && { effectiveAt: from.toISOString() }),
  }
  const set = useAct((key) => operate('POST', '/price/set', { body, key }), {
    onDone: () => {
      setAsking(false)
      draft.clear()
      toast('Price set')
    },
  })
  const details = set.error instanceof ApiFailure ? set.error.details : []
  const problemOf = (name: string) => details.find(({ field }) => field === name)?.problem
  const isOwn = prices.some((price) => price.kind === fields.kind && price.amount !== null)
  const blocked = (amount === null || !Number.isFinite(amount)) && 'Give an amount in dollars first'
  const verb = amount === null ? 'Take the price back' : 'Set price'
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (!blocked) setAsking(true)
  }
  const words = amount === null ? describeFallback(account) : formatMoney(amount, 4)
  const whom = account ? 'this account' : 'everybody who has no price of their own'
  return (
    <form onSubmit={submit} className="flex flex-col gap-3">
      <div className="grid gap-3 sm:grid-cols-3">
        <Field label="Of" help="What is priced.">
          {(tied) => (
            <Select
              {...tied}
              value={fields.kind}
              options={Object.entries(KINDS).map(([value, label]) => ({ value, label }))}
              onChange={(event) => setFields({ ...fields, kind: event.target.value })}
            />
          )}
        </Field>
        <Field label="Dollars" help={PER[fields.kind]} error={problemOf('amount')}>
          {(tied) => (
            <Input
              {...tied}
              inputMode="decimal"
              value={fields.amount}
              onChange={(event) => setFields({ ...fields, amount: event.target.value })}
            />
          )}
        </Field>
        <Field label="From" isOptional help="Empty: at once." error={problemOf('effectiveAt')}>
          {(tied) => (
            <Input
              {...tied}
              type="datetime-local"
              value={fields.from}
              onChange={(event) => setFields({ ...fields, from: event.target.value })}
            />
          )}
        </Field>
      </div>
      <div className="flex flex-wrap gap-2">
        <Button look={isFirst ? 'filled' : 'plain'} type="submit" blocked={blocked}>
          Set price
        </Button>
        {isOwn ? (
          <Button
            onClick={() => {
              setFields({ ...fields, amount: '' })
              setAsking(true)
            }}
          >
            Take the {fields.kind.toUpperCase()} price back
          </Button>
        ) : null}
        <ApiCallButton call={{ method: 'POST', path: '/operator/v1/price/set', body }} />
      </div>
      {isAsking ? (
        <Confirm
          title={`${fields.kind.toUpperCase()} for ${whom}: ${words}, ${from ? `from ${from.toLocaleString('en-GB')}` : 'at once'}.`}
          consequence="What has been charged stays as it is. Every node follows within three seconds."
          verb={verb}
          busy={set.isBusy && 'Saving…'}
          error={set.error}
          onConfirm={() => set.run()}
          onClose={() => setAsking(false)}
        />
      ) : null}
    </form>
  )
}
