// The numbers of a campaign: its default number, and what each costs.

import { useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { Star } from 'lucide-react'
import type { OwnedNumber } from '../../../generated/types.gen'
import { campaignNumbersQuery, campaignQuery } from '../../api/registry-queries'
import { request } from '../../api/request'
import { describeCampaign } from '../../lib/describe-status'
import { formatMoney, formatPhone } from '../../lib/format'
import { useAct } from '../../lib/use-act'
import { type Column, DataTable } from '../../ui/display/DataTable'
import { ListCard } from '../../ui/display/ListCard'
import { numberState } from '../../ui/display/states'
import { Time } from '../../ui/display/Time'
import { ErrorNotice } from '../../ui/feedback/Notice'
import { ButtonLink } from '../../ui/inputs/Button'
import { Phone } from '../../ui/inputs/Copy'
import { Menu } from '../../ui/inputs/Menu'
import { Empty } from '../../ui/layout/Page'

export function CampaignNumbers() {
  const { id } = useParams({ from: '/shell/campaigns/$id' })
  const { data: loaded } = useQuery(campaignQuery(id))
  const list = useQuery(campaignNumbersQuery(id))
  const status = loaded?.campaign.status
  const act = useAct((key, phone: string) =>
    request('POST /v1/number/{number}/default', {
      path: { number: phone.replace(/\D/g, '') },
      key,
    }),
  )
  return (
    <div className="flex flex-col gap-3">
      {act.error ? <ErrorNotice error={act.error} isAnswer /> : null}
      {status === 'ACTIVE' && list.data?.numbers.length ? (
        <div>
          <BuyLink id={id} />
        </div>
      ) : null}
      <ListCard
        list={list}
        rows={list.data?.numbers}
        loading={{ rows: 3 }}
        empty={
          <Empty title="No numbers yet" actions={status === 'ACTIVE' ? <BuyLink id={id} /> : null}>
            {status === 'ACTIVE'
              ? 'A campaign sends from its own numbers.'
              : status === 'ENDED'
                ? 'The campaign has ended, so you cannot buy numbers for it.'
                : `You can buy numbers once the campaign is active. ${status ? describeCampaign(status) : ''}`}
          </Empty>
        }
      >
        {(numbers) => <Table numbers={numbers} onDefault={act.run} />}
      </ListCard>
    </div>
  )
}

function BuyLink({ id }: { id: string }) {
  return (
    <ButtonLink look="filled" to="/numbers/buy" search={{ campaign: id }}>
      Buy a number
    </ButtonLink>
  )
}

interface TableProps {
  numbers: readonly OwnedNumber[]
  onDefault: (phone: string) => void
}

function Table({ numbers, onDefault }: TableProps) {
  const columns: Column<OwnedNumber>[] = [
    {
      name: 'number',
      head: 'Number',
      cell: ({ phoneNumber }) => <Phone phone={phoneNumber} />,
    },
    { name: 'default', head: 'Status', className: 'w-32', cell: (row) => <Use number={row} /> },
    { name: 'calls', head: 'Calls', cell: describeCalls },
    {
      name: 'price',
      head: 'Per month',
      className: 'w-28',
      align: 'right',
      cell: ({ monthlyPrice }) => formatMoney(monthlyPrice),
    },
    {
      name: 'bought',
      head: 'Purchased',
      className: 'w-34',
      align: 'right',
      cell: ({ purchasedAt }) => <Time at={purchasedAt} />,
    },
    {
      name: 'more',
      head: <span className="sr-only">Actions</span>,
      className: 'w-14',
      cell: (row) => <More number={row} onDefault={onDefault} />,
    },
  ]
  return (
    <DataTable
      label="Numbers"
      rows={numbers}
      rowKey={({ phoneNumber }) => phoneNumber}
      columns={columns}
      linkOf={({ phoneNumber }) => ({
        to: '/numbers/$digits',
        params: { digits: phoneNumber.replace(/\D/g, '') },
      })}
      short={(row) => (
        <>
          <span className="flex items-center gap-2">
            <span className="flex-1 font-medium">
              <Phone phone={row.phoneNumber} />
            </span>
            <Use number={row} />
          </span>
          <span className="truncate text-sm text-ink-2">
            {formatMoney(row.monthlyPrice)}/month · {describeCalls(row)}
          </span>
        </>
      )}
    />
  )
}

function Use({ number: { isDefault, status } }: { number: OwnedNumber }) {
  const state = status === 'ACTIVE' ? null : numberState({ status }).word
  if (!isDefault) return state
  return (
    <span className="inline-flex items-center gap-1 text-sm">
      <Star size={14} aria-hidden="true" className="text-accent-ink" />
      Default{state && ` · ${state}`}
    </span>
  )
}

function describeCalls({ forwardEnabled, forwardNumber }: OwnedNumber): string {
  return forwardEnabled && forwardNumber
    ? `Forwards to ${formatPhone(forwardNumber)}`
    : 'Not forwarded'
}

interface MoreProps {
  number: OwnedNumber
  onDefault: (phone: string) => void
}

function More({ number: { phoneNumber, isDefault }, onDefault }: MoreProps) {
  if (isDefault) return null
  return (
    <Menu
      label={`Actions for ${formatPhone(phoneNumber)}`}
      items={[{ label: 'Make default', icon: Star, onSelect: () => onDefault(phoneNumber) }]}
    />
  )
}
