// All accounts, found by name or id, with status and balance, and creating new ones.

import { useInfiniteQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import type { OperatedAccount } from '../../../generated/types.gen'
import { type AccountSearch, operatedAccountsQuery } from '../../api/operator-queries'
import { formatMoney } from '../../lib/format'
import { ApiRequestButton } from '../../ui/display/ApiRequest'
import { Badge } from '../../ui/display/Badge'
import { type Column, DataTable } from '../../ui/display/DataTable'
import { ListCard } from '../../ui/display/ListCard'
import { accountState } from '../../ui/display/operator-states'
import { Time } from '../../ui/display/Time'
import { Button, ButtonLink } from '../../ui/inputs/Button'
import { Select } from '../../ui/inputs/Field'
import { SearchField } from '../../ui/inputs/SearchField'
import { Empty, Page } from '../../ui/layout/Page'
import { NewAccount } from './accounts/NewAccount'

const COLUMNS: readonly Column<OperatedAccount>[] = [
  { name: 'name', head: 'Name', cell: ({ name }) => name, isText: true },
  {
    name: 'status',
    head: 'Status',
    cell: (account) => <Badge state={accountState(account)} />,
    className: 'w-36',
  },
  {
    name: 'balance',
    head: 'Balance',
    cell: ({ balance }) => formatMoney(balance, 4),
    align: 'right',
    className: 'w-40',
  },
  {
    name: 'created',
    head: 'Created',
    cell: ({ createdAt }) => <Time at={createdAt} />,
    align: 'right',
    className: 'w-40',
  },
]

export function Accounts() {
  const filter = useSearch({ from: '/operator/accounts' })
  const [isNew, setNew] = useState(false)
  const list = useInfiniteQuery(operatedAccountsQuery(filter))
  return (
    <Page
      title="Accounts"
      actions={
        <>
          <ApiRequestButton
            request={{ method: 'GET', path: '/operator/v1/account/list', query: { ...filter } }}
          />
          <Button look="filled" onClick={() => setNew(true)}>
            Create account
          </Button>
        </>
      }
    >
      <ListCard
        list={list}
        rows={list.data?.pages.flatMap(({ accounts }) => accounts)}
        filters={<Filters filter={filter} />}
        empty={<Nothing isFiltered={Object.keys(filter).length > 0} />}
      >
        {(accounts) => (
          <DataTable
            label="Accounts"
            rows={accounts}
            rowKey={({ id }) => id}
            columns={COLUMNS}
            linkOf={({ id }) => ({ to: '/operator/accounts/$id', params: { id } })}
            short={Short}
          />
        )}
      </ListCard>
      {isNew ? <NewAccount onClose={() => setNew(false)} /> : null}
    </Page>
  )
}

function Short(account: OperatedAccount) {
  return (
    <>
      <span className="flex items-center gap-2">
        <span className="min-w-0 flex-1 truncate font-medium" dir="auto">
          {account.name}
        </span>
        <span>{formatMoney(account.balance, 4)}</span>
      </span>
      <span className="flex items-center gap-2 text-sm text-ink-2">
        <Badge state={accountState(account)} />
        <span className="ml-auto">
          <Time at={account.createdAt} />
        </span>
      </span>
    </>
  )
}

const STATES = [
  { value: '', label: 'All except deleted' },
  { value: 'ACTIVE', label: 'Active' },
  { value: 'SUSPENDED', label: 'Suspended' },
  { value: 'DELETED', label: 'Deleted' },
]

function Filters({ filter }: { filter: AccountSearch }) {
  const navigate = useNavigate({ from: '/operator/accounts' })
  const set = (change: AccountSearch) =>
    void navigate({ search: (now) => ({ ...now, ...change }), replace: true })
  return (
    <search className="mb-3 flex flex-wrap gap-2">
      <SearchField
        label="Name or ID"
        maxLength={200}
        value={filter.search}
        onSearch={(search) => set({ search })}
      />
      <div className="w-52">
        <Select
          aria-label="Status"
          value={filter.status ?? ''}
          options={STATES}
          onChange={({ target }) => set({ status: target.value } as AccountSearch)}
        />
      </div>
      {Object.keys(filter).length > 0 ? (
        <ButtonLink look="quiet" to="/operator/accounts" search={{}}>
          Clear filters
        </ButtonLink>
      ) : null}
    </search>
  )
}

function Nothing({ isFiltered }: { isFiltered: boolean }) {
  if (isFiltered) {
    return <Empty title="No results">No accounts match these filters.</Empty>
  }
  return <Empty title="No accounts yet">Create one and give its owner the token.</Empty>
}
