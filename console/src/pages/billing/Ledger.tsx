// The ledger: every change of the balance, exact to a millionth of a dollar, filtered by the URL.

import { useInfiniteQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { ChevronDown, ChevronRight } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import type { LedgerEntry } from '../../../generated/types.gen'
import { type LedgerFilter, type LedgerMessage, ledgerQuery } from '../../api/account-queries'
import { useMay } from '../../api/session'
import { formatCount, formatMoney, moneyDigits, plural } from '../../lib/format'
import { type CampaignNames, useCampaignNames } from '../../lib/use-campaign-names'
import type { BillingSearch } from '../../routes/account'
import { type Column, DataTable } from '../../ui/display/DataTable'
import { ListCard } from '../../ui/display/ListCard'
import { Stamp } from '../../ui/display/Time'
import { Empty } from '../../ui/layout/Page'
import { describeEntry, type EntryLookup, messageIdOf } from './describe-entry'
import { foldEntries, type LedgerRow } from './fold-entries'
import { LedgerFilters } from './LedgerFilters'
import { monthBounds } from './months'

interface LedgerProps {
  search: BillingSearch
  /** The month in which the account was created. */
  first: string
  /** Shown if nothing was ever charged. */
  prices: string
}

export function Ledger({ search, first, prices }: LedgerProps) {
  const names = useCampaignNames()
  const filter = filterOf(search)
  const list = useInfiniteQuery(ledgerQuery(filter))
  return (
    <ListCard
      title="Ledger"
      list={list}
      rows={list.data?.pages.flatMap(({ entries }) => entries)}
      loading={{ rows: 8 }}
      filters={<LedgerFilters search={search} first={first} names={names} filter={filter} />}
      empty={
        Object.keys(filter).length > 0 ? (
          <Empty title="No results">No entries match these filters.</Empty>
        ) : (
          <Empty title="No charges yet">{prices}</Empty>
        )
      }
    >
      {(entries) => (
        <Lines
          entries={entries}
          messages={list.data?.pages.flatMap((page) => page.messages) ?? []}
          names={names}
          hasMore={list.hasNextPage}
        />
      )}
    </ListCard>
  )
}

function filterOf({ reason, campaign, month }: BillingSearch): LedgerFilter {
  return {
    ...(reason && { reason }),
    ...(campaign && { campaign }),
    ...(month && monthBounds(month)),
  }
}

interface LinesProps {
  entries: readonly LedgerEntry[]
  messages: readonly LedgerMessage[]
  names: CampaignNames
  hasMore: boolean
}

function Lines({ entries, messages, names, hasMore }: LinesProps) {
  const [openIds, setOpenIds] = useState<ReadonlySet<string>>(new Set())
  const toggle = (id: string) => {
    const next = new Set(openIds)
    if (!next.delete(id)) next.add(id)
    setOpenIds(next)
  }
  const rows = foldEntries(entries, openIds)
  const lookup = { nameOf: names.nameOf, messages: new Map(messages.map((one) => [one.id, one])) }
  const isCut = (row: LedgerRow) => hasMore && row.entries.at(-1) === entries.at(-1)
  const what = (row: LedgerRow) => (
    <What
      row={row}
      lookup={lookup}
      isCut={isCut(row)}
      isOpen={openIds.has(row.id)}
      onToggle={toggle}
    />
  )
  const digits = {
    amount: moneyDigits(rows.map(({ amount }) => amount)),
    balance: moneyDigits(rows.map(({ balanceAfter }) => balanceAfter)),
  }
  return (
    <DataTable
      label="Ledger"
      rows={rows}
      rowKey={({ id }) => id}
      columns={columnsOf(what, digits)}
      short={(row) => <Short row={row} what={what(row)} digits={digits} />}
    />
  )
}

/** Decimals, the same for the whole column. */
interface Digits {
  amount: number
  balance: number
}

function columnsOf(
  what: (row: LedgerRow) => ReactNode,
  digits: Digits,
): readonly Column<LedgerRow>[] {
  return [
    {
      name: 'when',
      head: 'Date',
      className: 'w-44',
      cell: ({ entries }) => <Stamp at={entries[0]!.createdAt} />,
    },
    { name: 'what', head: 'Description', isText: true, cell: what },
    {
      name: 'amount',
      head: 'Amount',
      className: 'w-32',
      align: 'right',
      cell: ({ amount }) => <Amount dollars={amount} digits={digits.amount} />,
    },
    {
      name: 'balance',
      head: 'Balance',
      className: 'w-36',
      align: 'right',
      cell: ({ balanceAfter }) => formatMoney(balanceAfter, digits.balance),
    },
  ]
}

function Amount({ dollars, digits }: { dollars: number; digits: number }) {
  const text = formatMoney(dollars, digits)
  return <span className={dollars > 0 ? 'text-ok-ink' : ''}>{dollars > 0 ? `+${text}` : text}</span>
}

interface WhatProps {
  row: LedgerRow
  lookup: EntryLookup
  /** More of the same may follow on the next page. */
  isCut: boolean
  isOpen: boolean
  onToggle: (id: string) => void
}

function What({ row, lookup, isCut, isOpen, onToggle }: WhatProps) {
  const mayRead = useMay('read')
  const [entry] = row.entries as [LedgerEntry]
  if (row.isFolded) {
    const Icon = isOpen ? ChevronDown : ChevronRight
    const { length } = row.entries
    const count = isCut ? `${formatCount(length)} or more messages` : plural(length, 'message')
    return (
      <button
        type="button"
        data-row-link
        aria-expanded={isOpen}
        onClick={() => onToggle(row.id)}
        className="inline-flex min-h-6 cursor-pointer items-center gap-1 hover:underline pointer-coarse:min-h-11"
      >
        <Icon size={14} aria-hidden="true" />
        {count}
        {entry.reason === 'message_refund' ? ' refunded' : ''}
      </button>
    )
  }
  const id = mayRead ? messageIdOf(entry) : null
  const words = <span className={row.isInside ? 'pl-5' : ''}>{describeEntry(entry, lookup)}</span>
  if (id === null) return words
  return (
    <Link
      to="/messages/$id"
      params={{ id }}
      data-row-link
      className="hover:underline"
      title={describeEntry(entry, lookup)}
    >
      {words}
    </Link>
  )
}

interface ShortProps {
  row: LedgerRow
  what: ReactNode
  digits: Digits
}

function Short({ row: { entries, amount, balanceAfter }, what, digits }: ShortProps) {
  return (
    <>
      <span className="flex items-center gap-2">
        <span className="min-w-0 flex-1 truncate" dir="auto">
          {what}
        </span>
        <Amount dollars={amount} digits={digits.amount} />
      </span>
      <span className="flex gap-2 text-sm text-ink-2">
        <Stamp at={entries[0]!.createdAt} />
        <span className="ml-auto">{formatMoney(balanceAfter, digits.balance)}</span>
      </span>
    </>
  )
}
