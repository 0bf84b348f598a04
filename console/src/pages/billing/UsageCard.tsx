// Messages sent and their cost in a month, by campaign or by day.

import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { Usage } from '../../../generated/types.gen'
import { usageQuery } from '../../api/account-queries'
import { formatCount, formatMoney, moneyDigits } from '../../lib/format'
import { serviceNow } from '../../lib/service-time'
import { useCampaignNames } from '../../lib/use-campaign-names'
import { ErrorNotice } from '../../ui/feedback/Notice'
import { Button } from '../../ui/inputs/Button'
import { Card, Skeleton } from '../../ui/layout/Page'
import { CsvButton } from './CsvButton'
import { lastDayOf, monthOf, monthTitle } from './months'

interface Line {
  key: string
  name: string
  messages: number
  segments: number
  cost: number
}

interface UsageCardProps {
  month: string | undefined
  campaign: string | undefined
}

export function UsageCard({ month = monthOf(serviceNow()), campaign }: UsageCardProps) {
  const [isByDay, setByDay] = useState(false)
  const names = useCampaignNames()
  const range = { from: `${month}-01`, to: lastDayOf(month) }
  const { data, error, refetch } = useQuery(usageQuery(range.from, range.to))
  const rows = (data?.usage ?? []).filter((row) => !campaign || row.campaignId === campaign)
  const lines = sumBy(rows, isByDay ? ({ date }) => date : ({ campaignId }) => campaignId)
  const nameOf = (key: string) => (isByDay ? dayName(key) : names.nameOf(key))
  return (
    <Card title={`Usage in ${monthTitle(month)}`}>
      {error ? (
        <ErrorNotice error={error} onRetry={() => void refetch()} />
      ) : !data ? (
        <Skeleton rows={3} />
      ) : lines.length === 0 ? (
        <p className="text-ink-2">Nothing was sent in {monthTitle(month)}.</p>
      ) : (
        <LineTable
          head={isByDay ? 'Day (UTC)' : 'Campaign'}
          lines={lines.map((line) => ({ ...line, name: nameOf(line.key) }))}
        />
      )}
      <div className="mt-3 flex flex-wrap gap-2">
        <Button onClick={() => setByDay(!isByDay)} aria-pressed={isByDay}>
          {isByDay ? 'By campaign' : 'By day'}
        </Button>
        <CsvButton
          path="/v1/account/usage"
          query={range}
          name={`usage-${month}.csv`}
          label="Export CSV"
        />
      </div>
    </Card>
  )
}

function sumBy(rows: readonly Usage[], keyOf: (row: Usage) => string): Omit<Line, 'name'>[] {
  const lines = new Map<string, Omit<Line, 'name'>>()
  for (const row of rows) {
    const key = keyOf(row)
    const { messages, segments, cost } = lines.get(key) ?? { messages: 0, segments: 0, cost: 0 }
    lines.set(key, {
      key,
      messages: messages + row.messages,
      segments: segments + row.segments,
      cost: cost + row.cost,
    })
  }
  return [...lines.values()].sort((a, b) => b.key.localeCompare(a.key))
}

const day = new Intl.DateTimeFormat('en-US', { day: 'numeric', month: 'short', timeZone: 'UTC' })

function dayName(date: string): string {
  return day.format(new Date(`${date}T00:00:00Z`))
}

function LineTable({ head, lines }: { head: string; lines: readonly Line[] }) {
  const digits = moneyDigits(lines.map(({ cost }) => cost))
  return (
    <div className="max-h-72 overflow-y-auto">
      <table className="w-full table-fixed text-right">
        <thead className="sticky top-0 bg-surface">
          <tr className="text-xs text-ink-2">
            <th className="pb-1 text-left font-medium">{head}</th>
            <th className="w-20 pb-1 font-medium">Messages</th>
            <th className="w-20 pb-1 font-medium">Segments</th>
            <th className="w-24 pb-1 font-medium">Cost</th>
          </tr>
        </thead>
        <tbody>
          {lines.map(({ key, name, messages, segments, cost }) => (
            <tr key={key} className="h-10 border-t border-line">
              <td className="truncate text-left" dir="auto" title={name}>
                {name}
              </td>
              <td>{formatCount(messages)}</td>
              <td>{formatCount(segments)}</td>
              <td>{formatMoney(cost, digits)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
