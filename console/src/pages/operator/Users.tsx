// The people of the installation: found by email or name, with their roles, and how to invite, recover, and delete them.

import { useInfiniteQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { KeyRound, Trash2, UserCog } from 'lucide-react'
import { useState } from 'react'
import type { User } from '../../../generated/types.gen'
import { type UserSearch, usersQuery } from '../../api/operator-queries'
import { request } from '../../api/request'
import { describeRole, INSTALLATION_ROLES } from '../../lib/describe-role'
import { plural } from '../../lib/format'
import { ApiRequestButton } from '../../ui/display/ApiRequest'
import { type Column, DataTable } from '../../ui/display/DataTable'
import { ListCard } from '../../ui/display/ListCard'
import { Button, ButtonLink } from '../../ui/inputs/Button'
import { Menu } from '../../ui/inputs/Menu'
import { SearchField } from '../../ui/inputs/SearchField'
import { Empty, Page } from '../../ui/layout/Page'
import { actsColumn, ShortPerson, seenColumn } from '../people/person-rows'
import { ChangeRole, InvitePerson } from '../people/RoleDialogs'
import { DeleteUser, RecoverUser } from './accounts/UserDialogs'

type Open = { what: 'role' | 'recover' | 'delete'; user: User }

export function Users() {
  const filter = useSearch({ from: '/operator/users' })
  const list = useInfiniteQuery(usersQuery(filter))
  const [isInviting, setInviting] = useState(false)
  const [open, setOpen] = useState<Open | null>(null)
  return (
    <Page
      title="Users"
      actions={
        <>
          <ApiRequestButton
            request={{ method: 'GET', path: '/operator/v1/user/list', query: { ...filter } }}
          />
          <Button look="filled" onClick={() => setInviting(true)}>
            Invite a person
          </Button>
        </>
      }
    >
      <ListCard
        list={list}
        rows={list.data?.pages.flatMap(({ users }) => users)}
        filters={<Filters filter={filter} />}
        empty={<Nothing isFiltered={filter.search !== undefined} />}
      >
        {(users) => <Table users={users} onOpen={setOpen} />}
      </ListCard>
      {isInviting ? (
        <InvitePerson
          roles={INSTALLATION_ROLES}
          first="support"
          invite={(key, body) => request('POST /operator/v1/user/invitation', { body, key })}
          onClose={() => setInviting(false)}
        />
      ) : null}
      {open ? <OpenDialog {...open} onClose={() => setOpen(null)} /> : null}
    </Page>
  )
}

function OpenDialog({ what, user, onClose }: Open & { onClose: () => void }) {
  if (what === 'recover') return <RecoverUser user={user} onClose={onClose} />
  if (what === 'delete') return <DeleteUser user={user} onClose={onClose} />
  return (
    <ChangeRole
      person={user}
      roles={[...INSTALLATION_ROLES, null]}
      change={(key, role) =>
        request('PATCH /operator/v1/user/{id}', { path: { id: user.id }, body: { role }, key })
      }
      onClose={onClose}
    />
  )
}

interface TableProps {
  users: readonly User[]
  onOpen: (open: Open) => void
}

function Table({ users, onOpen }: TableProps) {
  const actsOf = (user: User) => (
    <Menu
      label={`Actions for ${user.name}`}
      items={[
        { label: 'Change role…', icon: UserCog, onSelect: () => onOpen({ what: 'role', user }) },
        {
          label: 'Make a recovery link…',
          icon: KeyRound,
          onSelect: () => onOpen({ what: 'recover', user }),
        },
        {
          label: 'Delete…',
          icon: Trash2,
          isDanger: true,
          onSelect: () => onOpen({ what: 'delete', user }),
        },
      ]}
    />
  )
  return (
    <DataTable
      label="Users"
      rows={users}
      rowKey={({ id }) => id}
      columns={[...COLUMNS, actsColumn(actsOf)]}
      short={(user) => (
        <ShortPerson title={user.name} text={`${describeRole(user.role).label} · ${user.email}`}>
          {actsOf(user)}
        </ShortPerson>
      )}
    />
  )
}

const COLUMNS: readonly Column<User>[] = [
  { name: 'name', head: 'Name', isText: true, cell: ({ name }) => name },
  { name: 'email', head: 'Email', isText: true, className: 'w-72', cell: ({ email }) => email },
  {
    name: 'role',
    head: 'Installation role',
    className: 'w-36',
    cell: ({ role }) => describeRole(role).label,
  },
  {
    name: 'accounts',
    head: 'Accounts',
    className: 'w-32',
    cell: ({ accounts }) => plural(accounts.length, 'account'),
  },
  seenColumn(),
]

function Filters({ filter }: { filter: UserSearch }) {
  const navigate = useNavigate({ from: '/operator/users' })
  return (
    <search className="mb-3 flex flex-wrap gap-2">
      <SearchField
        label="Email, name, or ID"
        maxLength={254}
        value={filter.search}
        onSearch={(search) => void navigate({ search: { search }, replace: true })}
      />
      {filter.search === undefined ? null : (
        <ButtonLink look="quiet" to="/operator/users" search={{}}>
          Clear filters
        </ButtonLink>
      )}
    </search>
  )
}

function Nothing({ isFiltered }: { isFiltered: boolean }) {
  if (isFiltered) return <Empty title="No results">No people match this search.</Empty>
  return <Empty title="No people yet">Invite the people who run this installation.</Empty>
}
