// The opt-outs of a campaign: found by number, added by hand, and reverted only by recorded consent.

import { useInfiniteQuery } from '@tanstack/react-query'
import { useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { Download } from 'lucide-react'
import { type FormEvent, useEffect, useState } from 'react'
import type { Optout } from '../../../generated/types.gen'
import { optoutsQuery } from '../../api/registry-queries'
import { csvOf, downloadFile } from '../../lib/csv-file'
import { formatPhone, plural, readPhone } from '../../lib/format'
import { ApiRequestButton } from '../../ui/display/ApiRequest'
import { type Column, DataTable } from '../../ui/display/DataTable'
import { ListCard } from '../../ui/display/ListCard'
import { Time } from '../../ui/display/Time'
import { Button } from '../../ui/inputs/Button'
import { Phone } from '../../ui/inputs/Copy'
import { Input } from '../../ui/inputs/Field'
import { Empty } from '../../ui/layout/Page'
import { AddOptout } from './AddOptout'
import { OptoutPanel } from './OptoutPanel'

const FROM = '/shell/campaigns/$id/optouts'

export function CampaignOptouts() {
  const { id } = useParams({ from: '/shell/campaigns/$id' })
  const { number = null, digits = '' } = useSearch({ from: FROM })
  const list = useInfiniteQuery(optoutsQuery(id))
  const [isAdding, setAdding] = useState(false)
  const all = list.data?.pages.flatMap((page) => page.optouts) ?? []
  const shown = all.filter(({ recipient }) => recipient.includes(digits))
  const { hasNextPage, isFetchingNextPage, fetchNextPage } = list
  // A partial number can be on any page.
  useEffect(() => {
    if (digits !== '' && hasNextPage && !isFetchingNextPage) void fetchNextPage()
  }, [digits, hasNextPage, isFetchingNextPage, fetchNextPage])
  return (
    <>
      <search className="mb-3 flex flex-wrap items-center gap-2">
        <NumberSearch digits={digits} />
        <Button look="filled" onClick={() => setAdding(true)}>
          Add opt-out
        </Button>
        <Button
          onClick={() => saveFile(id, shown)}
          blocked={shown.length === 0 && 'Nothing to export'}
        >
          <Download size={16} aria-hidden="true" /> Export {plural(shown.length, 'row')}
        </Button>
        <ApiRequestButton request={{ method: 'GET', path: `/v1/campaign/${id}/optouts` }} />
      </search>
      {isAdding ? <AddOptout campaignId={id} onClose={() => setAdding(false)} /> : null}
      <div className={number ? 'grid items-start gap-4 lg:grid-cols-[minmax(0,1fr)_22rem]' : ''}>
        <ListCard
          list={{ ...list, hasNextPage: hasNextPage && shown.length > 0 }}
          rows={list.data && shown}
          loading={{ rows: 4 }}
          moreLabel="Show more"
          empty={
            all.length === 0 ? (
              <Empty title="No opt-outs yet">
                People who text STOP to one of this campaign’s numbers are listed here and get no
                more messages.
              </Empty>
            ) : (
              <Empty title="No results">
                {hasNextPage ? 'Searching…' : 'No opt-outs match these digits.'}
              </Empty>
            )
          }
        >
          {(optouts) => <Table optouts={optouts} openId={number} />}
        </ListCard>
        {number ? <OptoutPanel key={number} campaignId={id} recipient={number} /> : null}
      </div>
    </>
  )
}

/** A complete number opens its history, opted out or not. A partial one filters the list. */
function NumberSearch({ digits }: { digits: string }) {
  const navigate = useNavigate({ from: '/campaigns/$id/optouts' })
  const [text, setText] = useState(digits)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    const phone = readPhone(text)
    const part = text.replace(/\D/g, '')
    const search = /^\+1\d{10}$/.test(phone) ? { number: phone } : part ? { digits: part } : {}
    void navigate({ search, replace: true })
  }
  return (
    <form onSubmit={submit} className="flex w-full gap-2 sm:w-auto">
      <Input
        type="search"
        inputMode="tel"
        aria-label="Full or partial number"
        placeholder="Full or partial number"
        maxLength={30}
        value={text}
        onChange={(event) => setText(event.target.value)}
      />
      <Button type="submit">Search</Button>
    </form>
  )
}

function saveFile(campaignId: string, optouts: readonly Optout[]): void {
  const head = ['recipient', 'optedOutAt', 'keyword', 'number', 'reason', 'messageId']
  const rows = optouts.map((one) => [
    one.recipient,
    one.optedOutAt,
    one.keyword ?? '',
    one.number ?? '',
    one.reason ?? '',
    one.messageId ?? '',
  ])
  downloadFile(`opt-outs-${campaignId}.csv`, csvOf([head, ...rows]))
}

interface TableProps {
  optouts: readonly Optout[]
  openId: string | null
}

function Table({ optouts, openId }: TableProps) {
  const columns: Column<Optout>[] = [
    {
      name: 'number',
      head: 'Number',
      className: 'w-40',
      cell: (row) => <Phone phone={row.recipient} />,
    },
    { name: 'how', head: 'Source', isText: true, cell: describeReason },
    {
      name: 'to',
      head: 'Texted to',
      className: 'w-40',
      cell: ({ number }) => (number ? formatPhone(number) : '–'),
    },
    {
      name: 'when',
      head: 'Date',
      className: 'w-34',
      align: 'right',
      cell: ({ optedOutAt }) => <Time at={optedOutAt} />,
    },
  ]
  return (
    <DataTable
      label="Opt-outs"
      rows={optouts}
      rowKey={({ recipient }) => recipient}
      columns={columns}
      linkOf={({ recipient }) => ({
        to: '.',
        search: (now: object) => ({ ...now, number: recipient }),
      })}
      short={(row) => (
        <>
          <span className="flex items-center gap-2">
            <span className="flex-1 font-medium">
              <Phone phone={row.recipient} />
            </span>
            <span className="text-sm text-ink-2">
              <Time at={row.optedOutAt} />
            </span>
          </span>
          <span dir="auto" className="truncate text-sm text-ink-2">
            {describeReason(row)}
          </span>
        </>
      )}
      openId={openId}
    />
  )
}

function describeReason({ keyword, reason }: Optout): string {
  if (keyword) return `Texted “${keyword}”`
  return reason ? `Added by you: ${reason}` : 'Added by you'
}
