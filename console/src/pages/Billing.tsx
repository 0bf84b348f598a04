// Billing: where the money went, and how long the balance will last.

import { useQuery } from '@tanstack/react-query'
import { useSearch } from '@tanstack/react-router'
import { Info } from 'lucide-react'
import type { ReactNode } from 'react'
import type { Account, AccountPrices } from '../../generated/types.gen'
import { balancesQuery } from '../api/account-queries'
import { accountQuery, pricesQuery } from '../api/queries'
import { DAY_MS } from '../lib/durations'
import { floorMoney, formatMoney } from '../lib/format'
import { formatDate } from '../lib/format-time'
import { serviceNow } from '../lib/service-time'
import { describePace, type Outlook, useOutlook } from '../lib/use-outlook'
import { ApiRequestButton } from '../ui/display/ApiRequest'
import { ErrorNotice, Notice } from '../ui/feedback/Notice'
import { Card, Page, Skeleton } from '../ui/layout/Page'
import { BalanceChart } from './billing/BalanceChart'
import { describePeriod, sinceBeginning } from './billing/balance-days'
import { Ledger } from './billing/Ledger'
import { LowMark } from './billing/LowMark'
import { monthOf } from './billing/months'
import { Renewals } from './billing/Renewals'
import { UsageCard } from './billing/UsageCard'

export function Billing() {
  const search = useSearch({ from: '/shell/billing' })
  const { data, error, refetch } = useQuery(accountQuery)
  const prices = useQuery(pricesQuery).data?.prices
  return (
    <Page
      title="Billing"
      actions={<ApiRequestButton request={{ method: 'GET', path: '/v1/account/ledger' }} />}
    >
      {error && !data ? (
        <ErrorNotice error={error} onRetry={() => void refetch()} />
      ) : !data ? (
        <Skeleton rows={8} />
      ) : (
        <div className="flex flex-col gap-4">
          <LowNotice account={data.account} />
          <Outlooks account={data.account} />
          <div className="grid grid-cols-1 items-start gap-4 lg:grid-cols-2">
            <Card title="Next renewals">
              <Renewals />
            </Card>
            <UsageCard month={search.month} campaign={search.campaign} />
          </div>
          <Ledger
            search={search}
            first={monthOf(new Date(data.account.createdAt))}
            prices={prices ? describePrice(prices) : ''}
          />
        </div>
      )}
    </Page>
  )
}

function describePrice({
  sms,
  mms,
  inbound,
  campaignCreation,
  campaignMonthly,
}: AccountPrices): string {
  const received = inbound === 0 ? 'inbound is free' : `inbound ${formatMoney(inbound)}`
  return `SMS ${formatMoney(sms)} per segment, MMS ${formatMoney(mms)}, ${received}. Each campaign costs ${formatMoney(campaignCreation)} to create, then ${formatMoney(campaignMonthly)}/month.`
}

/** Calendar days (UTC) that the account exists, including today. */
function daysSince(createdAt: string): number {
  const dayOf = (at: number) => Math.floor(at / DAY_MS)
  return dayOf(serviceNow().getTime()) - dayOf(Date.parse(createdAt)) + 1
}

function LowNotice({ account: { balance, lowBalanceThreshold } }: { account: Account }) {
  if (balance <= 0) {
    return (
      <Notice
        tone="bad"
        title="You can’t send messages until credit is added. Ask your operator."
      />
    )
  }
  if (lowBalanceThreshold === null || balance >= lowBalanceThreshold) return null
  return <Notice tone="warn" title={`Your balance is below ${formatMoney(lowBalanceThreshold)}.`} />
}

function Outlooks({ account }: { account: Account }) {
  const outlook = useOutlook()
  return (
    <>
      <Figures account={account} outlook={outlook} />
      <Card title="Balance">
        <Curve account={account} outlook={outlook} />
      </Card>
    </>
  )
}

function Figures({ account, outlook }: { account: Account; outlook: Outlook | null }) {
  return (
    <dl className="grid grid-cols-2 gap-4 lg:grid-cols-4">
      <Figure name="Balance" value={floorMoney(account.balance)} />
      <Figure name="Spent this month" value={floorMoney(account.spentThisMonth)}>
        month to date (UTC)
      </Figure>
      <Figure name="Time left at this pace" isWide value={outlook ? describePace(outlook) : '–'}>
        {outlook ? <Pace outlook={outlook} since={account.createdAt} /> : null}
      </Figure>
      <div className="rounded-lg border border-line bg-surface p-4 max-lg:col-span-2">
        <dt className="text-sm text-ink-2">Low-balance alert</dt>
        <dd className="text-2xl font-semibold">
          <LowMark mark={account.lowBalanceThreshold} />
        </dd>
      </div>
    </dl>
  )
}

interface FigureProps {
  name: string
  value: string
  isWide?: boolean
  children?: ReactNode
}

function Figure({ name, value, isWide, children }: FigureProps) {
  return (
    <div
      className={`rounded-lg border border-line bg-surface p-4 ${isWide ? 'max-lg:col-span-2' : ''}`}
    >
      <dt className="text-sm text-ink-2">{name}</dt>
      <dd className="text-2xl font-semibold first-letter:uppercase">{value}</dd>
      <dd className="text-sm text-ink-2">{children}</dd>
    </div>
  )
}

function Pace({ outlook, since }: { outlook: Outlook; since: string }) {
  const { weekCost, forecast } = outlook
  const { perDay, endsAt } = forecast
  const days = daysSince(since)
  return (
    <span className="flex gap-1">
      <Info size={14} aria-hidden="true" className="mt-0.5 shrink-0" />
      <span>
        {endsAt ? `Lasts until ${formatDate(endsAt)}. ` : ''}Based on messages from{' '}
        {describePeriod(Math.min(days, 7))}, which cost {formatMoney(weekCost)}
        {days > 1 ? ` (${formatMoney(perDay)} per day)` : ''}. The estimate includes upcoming
        renewals but not one-time fees.
      </span>
    </span>
  )
}

function Curve({ account, outlook }: { account: Account; outlook: Outlook | null }) {
  const { data, error, refetch } = useQuery(balancesQuery)
  if (error) return <ErrorNotice error={error} onRetry={() => void refetch()} />
  if (!data || !outlook) return <Skeleton rows={6} />
  return (
    <BalanceChart
      past={sinceBeginning(data.days, account.createdAt)}
      forecast={outlook.forecast}
      lowMark={account.lowBalanceThreshold}
    />
  )
}
