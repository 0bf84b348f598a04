// Message prices, default or of one account: current, past, and future ones, and setting a price from a given
// time on.

import { useQuery } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import type { OperatorSetPriceBody, Price } from '../../../../generated/types.gen'
import { pricesQuery } from '../../../api/operator-queries'
import { ApiFailure, request } from '../../../api/request'
import { formatMoney } from '../../../lib/format'
import { momentOf } from '../../../lib/format-time'
import { useAct } from '../../../lib/use-act'
import { useDraft } from '../../../lib/use-draft'
import { ApiRequestButton } from '../../../ui/display/ApiRequest'
import { Time } from '../../../ui/display/Time'
import { Confirm } from '../../../ui/feedback/Dialog'
import { ErrorNotice } from '../../../ui/feedback/Notice'
import { toast } from '../../../ui/feedback/Toast'
import { Button } from '../../../ui/inputs/Button'
import { Field, Input, Select } from '../../../ui/inputs/Field'
import { Card, Skeleton } from '../../../ui/layout/Page'

const KINDS = {
  sms: 'SMS per segment',
  mms: 'MMS per message',
  call: 'Forwarded call',
} as const
const PER: Record<string, string> = { sms: 'Per segment.', mms: 'Per message.', call: 'Per call.' }
type Kind = keyof typeof KINDS

interface PriceCardProps {
  /** Null: default prices, for accounts without custom ones. */
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
                <dt className="text-sm text-ink-2">{KINDS[kind]}</dt>
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
        {account
          ? 'No custom prices. Default prices apply.'
          : 'No prices set. The configured prices apply.'}
      </p>
    )
  }
  return (
    <ul aria-label="Price history, newest first" className="mt-4 divide-y divide-line">
      {prices.map(({ kind, amount, effectiveAt }) => (
        <li key={`${kind} ${effectiveAt}`} className="flex min-h-10 items-center gap-3">
          <span className="w-12 uppercase">{kind}</span>
          <span className="flex-1">
            {amount === null ? describeFallback(account) : formatMoney(amount, 4)}
          </span>
          <span className="text-sm text-ink-2">
            from <Time at={effectiveAt} form="since" />
          </span>
        </li>
      ))}
    </ul>
  )
}

function describeFallback(account: string | null): string {
  return account ? 'default price' : 'configured price'
}

interface PriceFormProps {
  account: string | null
  isFirst: boolean
  prices: readonly Price[]
}

function PriceForm({ account, isFirst, prices }: PriceFormProps) {
  const [fields, setFields, draft] = useDraft(`price-${account ?? 'all'}`, {
    kind: 'sms' as OperatorSetPriceBody['kind'],
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
  const set = useAct((key) => request('POST /operator/v1/price/set', { body, key }), {
    onDone: () => {
      setAsking(false)
      draft.clear()
      toast('Price set')
    },
  })
  const details = set.error instanceof ApiFailure ? set.error.details : []
  const problemOf = (name: string) => details.find(({ field }) => field === name)?.problem
  const isOwn = prices.some((price) => price.kind === fields.kind && price.amount !== null)
  const blocked = (amount === null || !Number.isFinite(amount)) && 'Enter an amount first'
  const verb = amount === null ? 'Remove custom price' : 'Set price'
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (!blocked) setAsking(true)
  }
  const words = amount === null ? describeFallback(account) : formatMoney(amount, 4)
  const whom = account ? 'this account' : 'all accounts without a custom price'
  return (
    <form onSubmit={submit} className="flex flex-col gap-3">
      <div className="grid gap-3 sm:grid-cols-3">
        <Field label="Price for">
          {(tied) => (
            <Select
              {...tied}
              value={fields.kind}
              options={Object.entries(KINDS).map(([value, label]) => ({ value, label }))}
              onChange={({ target }) =>
                setFields({ ...fields, kind: target.value as OperatorSetPriceBody['kind'] })
              }
            />
          )}
        </Field>
        <Field label="Price in dollars" help={PER[fields.kind]} error={problemOf('amount')}>
          {(tied) => (
            <Input
              {...tied}
              inputMode="decimal"
              value={fields.amount}
              onChange={(event) => setFields({ ...fields, amount: event.target.value })}
            />
          )}
        </Field>
        <Field
          label="Effective from"
          isOptional
          help="Leave empty to apply now."
          error={problemOf('effectiveAt')}
        >
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
            Remove {fields.kind.toUpperCase()} price
          </Button>
        ) : null}
        <ApiRequestButton request={{ method: 'POST', path: '/operator/v1/price/set', body }} />
      </div>
      {isAsking ? (
        <Confirm
          title={`Set ${fields.kind.toUpperCase()} for ${whom} to ${words} ${from ? `from ${momentOf(from)}` : 'now'}?`}
          consequence="Past charges do not change. All nodes apply the price within three seconds."
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
