// Numbers for sale: how many there are by area code, importing more, and withdrawing them. Also the call forwarding of
// a customer's number.

import { useQuery } from '@tanstack/react-query'
import type { StockedAreaCode } from '../../../generated/types.gen'
import { stockQuery } from '../../api/operator-queries'
import { formatCount, formatMoney } from '../../lib/format'
import { ApiRequestButton } from '../../ui/display/ApiRequest'
import { type Column, DataTable } from '../../ui/display/DataTable'
import { ListCard } from '../../ui/display/ListCard'
import { Card, Empty, Page } from '../../ui/layout/Page'
import { ImportNumbers } from './numbers/ImportNumbers'
import { StopForwarding } from './numbers/StopForwarding'
import { WithdrawNumbers } from './numbers/WithdrawNumbers'

const COLUMNS: readonly Column<StockedAreaCode>[] = [
  { name: 'code', head: 'Area code', cell: ({ areaCode }) => areaCode, className: 'w-28' },
  { name: 'place', head: 'Location', cell: ({ location }) => location || '–', isText: true },
  {
    name: 'sale',
    head: 'For sale',
    cell: ({ forSale }) => formatCount(forSale),
    align: 'right',
    className: 'w-28',
  },
  {
    name: 'taken',
    head: 'In use',
    cell: ({ taken }) => formatCount(taken),
    align: 'right',
    className: 'w-24',
  },
  { name: 'price', head: 'Monthly from', cell: describePrice, align: 'right', className: 'w-32' },
]

function describePrice({ monthlyPriceFrom }: StockedAreaCode): string {
  return monthlyPriceFrom === null ? '–' : formatMoney(monthlyPriceFrom)
}

export function Inventory() {
  const list = useQuery(stockQuery)
  const { data } = list
  return (
    <Page
      title="Numbers"
      meta={
        data ? (
          <span className="text-ink-2">
            {formatCount(data.forSale)} for sale · {formatCount(data.taken)} in use
          </span>
        ) : null
      }
      actions={<ApiRequestButton request={{ method: 'GET', path: '/operator/v1/number/count' }} />}
    >
      <div className="grid grid-cols-1 items-start gap-4 lg:grid-cols-[minmax(0,1fr)_24rem]">
        <div className="max-lg:order-last">
          <ListCard
            list={list}
            rows={data?.areaCodes}
            empty={
              <Empty title="No numbers for sale">Import numbers to offer them to customers.</Empty>
            }
          >
            {(areaCodes) => (
              <DataTable
                label="Numbers by area code"
                rows={areaCodes}
                rowKey={({ areaCode }) => areaCode}
                columns={COLUMNS}
                short={Short}
              />
            )}
          </ListCard>
        </div>
        <div className="flex flex-col gap-4">
          <Card title="Add numbers for sale">
            <ImportNumbers />
          </Card>
          <Card title="Withdraw numbers">
            <WithdrawNumbers />
          </Card>
          <Card title="Call forwarding">
            <StopForwarding />
          </Card>
        </div>
      </div>
    </Page>
  )
}

function Short(area: StockedAreaCode) {
  return (
    <>
      <span className="flex gap-2">
        <span className="font-medium">{area.areaCode}</span>
        <span className="min-w-0 flex-1 truncate text-ink-2" dir="auto">
          {area.location}
        </span>
        {describePrice(area)}
      </span>
      <span className="text-sm text-ink-2">
        {formatCount(area.forSale)} for sale, {formatCount(area.taken)} in use
      </span>
    </>
  )
}
