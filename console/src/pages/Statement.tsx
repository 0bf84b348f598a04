// A monthly statement to read and print: opening balance, credits and charges, closing balance.

import { useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { Printer } from 'lucide-react'
import type { ReactNode } from 'react'
import type { Statement as StatementRecord } from '../../generated/types.gen'
import { statementQuery } from '../api/account-queries'
import { formatCount, formatMoney, moneyDigits } from '../lib/format'
import { serviceNow } from '../lib/service-time'
import { ApiRequestButton } from '../ui/display/ApiRequest'
import { ErrorNotice } from '../ui/feedback/Notice'
import { Button, ButtonLink } from '../ui/inputs/Button'
import { Page, Skeleton } from '../ui/layout/Page'
import { CsvButton } from './billing/CsvButton'
import { REASONS } from './billing/describe-entry'
import { isMonth, monthAfter, monthOf, monthTitle } from './billing/months'

export function Statement() {
  const { month } = useParams({ from: '/shell/billing/statement/$month' })
  const { data, error, refetch } = useQuery(statementQuery(month))
  const title = isMonth(month) ? `Statement for ${monthTitle(month)}` : 'Statement'
  return (
    <Page title={title} actions={<Actions month={month} canPrint={Boolean(data)} />}>
      {error ? (
        <ErrorNotice error={error} onRetry={() => void refetch()} />
      ) : data ? (
        <Sheet statement={data.statement} />
      ) : (
        <Skeleton rows={10} />
      )}
    </Page>
  )
}

function Actions({ month, canPrint }: { month: string; canPrint: boolean }) {
  const path = `/v1/account/statement/${month}`
  return (
    <div className="flex flex-wrap items-center gap-2 print:hidden">
      <ApiRequestButton request={{ method: 'GET', path }} />
      {isMonth(month) ? <Neighbours month={month} /> : null}
      <CsvButton path={path} name={`statement-${month}.csv`} />
      <Button look="filled" onClick={() => print()} blocked={!canPrint && 'Not loaded yet'}>
        <Printer size={16} aria-hidden="true" /> Print
      </Button>
    </div>
  )
}

function Neighbours({ month }: { month: string }) {
  const [before, after] = [monthAfter(month, -1), monthAfter(month, 1)]
  return (
    <>
      <ButtonLink look="quiet" to="/billing/statement/$month" params={{ month: before }}>
        {monthTitle(before)}
      </ButtonLink>
      {after <= monthOf(serviceNow()) ? (
        <ButtonLink look="quiet" to="/billing/statement/$month" params={{ month: after }}>
          {monthTitle(after)}
        </ButtonLink>
      ) : null}
    </>
  )
}

function Sheet({ statement }: { statement: StatementRecord }) {
  const { account, isFinal, openingBalance, closingBalance, totals, lines } = statement
  const digits = moneyDigits([
    openingBalance,
    closingBalance,
    ...totals.map(({ amount }) => amount),
    ...lines.map(({ amount }) => amount),
  ])
  const money = (dollars: number) => formatMoney(dollars, digits)
  return (
    <article className="rounded-lg border border-line bg-surface p-4 sm:p-6 print:border-0 print:p-0">
      <p className="text-ink-2 wrap-anywhere">
        <span dir="auto">{account.name}</span> · {account.id}
      </p>
      <p className="mb-4 text-ink-2">
        Days are in UTC, amounts in US dollars.
        {isFinal ? '' : ' The month is not over, so this is preliminary.'}
      </p>
      <h2 className="mb-2 text-lg font-semibold">Summary</h2>
      <table className="w-full">
        <thead>
          <Head cells={['Description', 'Quantity', 'Amount']} />
        </thead>
        <tbody>
          <Row cells={['Opening balance', '', money(openingBalance)]} />
          {totals.map(({ reason, count, amount }) => (
            <Row
              key={reason}
              cells={[REASONS[reason] ?? reason, formatCount(count), money(amount)]}
            />
          ))}
        </tbody>
        <tfoot className="border-t-2 border-line-strong font-semibold">
          <Row cells={['Closing balance', '', money(closingBalance)]} />
        </tfoot>
      </table>
      <h2 className="mt-6 mb-2 text-lg font-semibold">Details</h2>
      {lines.length === 0 ? (
        <p className="text-ink-2">No charges or credits in this period.</p>
      ) : (
        <Details lines={lines} money={money} />
      )}
    </article>
  )
}

interface DetailsProps {
  lines: StatementRecord['lines']
  money: (dollars: number) => string
}

function Details({ lines, money }: DetailsProps) {
  return (
    <table className="w-full">
      <thead>
        <Head cells={['Description', 'Day', 'Amount']} />
      </thead>
      <tbody>
        {lines.map(({ date, description, campaignName, campaignId, amount }, i) => (
          <Row
            // biome-ignore lint/suspicious/noArrayIndexKey: a line has no id, and the list never changes
            key={i}
            cells={[
              <span key="what" dir="auto">
                {description}
                {campaignId ? (
                  <span className="block text-sm text-ink-2">{campaignName ?? campaignId}</span>
                ) : null}
              </span>,
              date?.slice(0, 10) ?? 'Whole month',
              money(amount),
            ]}
          />
        ))}
      </tbody>
    </table>
  )
}

function Head({ cells: [what, middle, amount] }: { cells: readonly [string, string, string] }) {
  return (
    <tr className="text-xs text-ink-2">
      <th className="pb-1 text-left font-medium">{what}</th>
      <th className="w-28 pb-1 pl-3 text-right font-medium">{middle}</th>
      <th className="w-28 pb-1 pl-3 text-right font-medium">{amount}</th>
    </tr>
  )
}

function Row({ cells: [what, middle, amount] }: { cells: readonly [ReactNode, string, string] }) {
  return (
    <tr className="break-inside-avoid border-t border-line align-top">
      <td className="py-1.5 wrap-anywhere">{what}</td>
      <td className="py-1.5 pl-3 text-right whitespace-nowrap">{middle}</td>
      <td className="py-1.5 pl-3 text-right whitespace-nowrap">{amount}</td>
    </tr>
  )
}
