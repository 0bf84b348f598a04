// The people of the account: who has which role, open invitations, and how to invite, change, and remove someone.

import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { Trash2, UserCog } from 'lucide-react'
import { useState } from 'react'
import type { Invitation, Person } from '../../../generated/types.gen'
import { invitationsQuery, peopleQuery } from '../../api/people-queries'
import { request } from '../../api/request'
import { useSession } from '../../api/session'
import { describeRole } from '../../lib/describe-role'
import { useAct } from '../../lib/use-act'
import { ApiRequestButton } from '../../ui/display/ApiRequest'
import { type Column, DataTable } from '../../ui/display/DataTable'
import { ListCard } from '../../ui/display/ListCard'
import { Time } from '../../ui/display/Time'
import { ShownOnce } from '../../ui/feedback/ShownOnce'
import { toast } from '../../ui/feedback/Toast'
import { Button } from '../../ui/inputs/Button'
import { Menu } from '../../ui/inputs/Menu'
import { Empty } from '../../ui/layout/Page'
import { ChangeRole, InvitePerson, RemovePerson } from './PersonDialogs'
import { SettingsPage } from './SettingsPage'

/** Owners and admins, and tokens with every scope, manage people. */
function useManages(): boolean {
  const { user, account } = useSession()
  const role = user?.accounts.find(({ accountId }) => accountId === account?.accountId)?.role
  return user ? role === 'owner' || role === 'admin' : account?.scopes.length === 4
}

export function PeopleSettings() {
  const manages = useManages()
  const [isInviting, setInviting] = useState(false)
  const [made, setMade] = useState<{ email: string; url: string } | null>(null)
  return (
    <SettingsPage
      title="people"
      actions={
        <>
          <ApiRequestButton request={{ method: 'GET', path: '/console/people' }} />
          {manages ? (
            <Button look="filled" onClick={() => setInviting(true)}>
              Invite a person
            </Button>
          ) : null}
        </>
      }
    >
      <People manages={manages} />
      {manages ? <Invitations /> : null}
      {isInviting ? (
        <InvitePerson
          onClose={() => setInviting(false)}
          onMade={(email, url) => {
            setInviting(false)
            setMade({ email, url })
          }}
        />
      ) : null}
      {made ? (
        <ShownOnce
          title={`Invitation for ${made.email}`}
          help="Send this link to the person. It works once, for seven days."
          value={made.url}
          onClose={() => setMade(null)}
        />
      ) : null}
    </SettingsPage>
  )
}

function People({ manages }: { manages: boolean }) {
  const list = useInfiniteQuery(peopleQuery)
  const [changing, setChanging] = useState<Person | null>(null)
  const [removing, setRemoving] = useState<Person | null>(null)
  const actsOf = (person: Person) => (
    <Menu
      label={`Actions for ${person.name}`}
      items={[
        { label: 'Change role…', icon: UserCog, onSelect: () => setChanging(person) },
        { label: 'Remove…', icon: Trash2, isDanger: true, onSelect: () => setRemoving(person) },
      ]}
    />
  )
  return (
    <>
      <ListCard
        list={list}
        rows={list.data?.pages.flatMap(({ people }) => people)}
        loading={{ rows: 4 }}
        empty={
          <Empty title="No people yet">
            This account is used with access tokens only. Invite the people who work with it.
          </Empty>
        }
      >
        {(people) => (
          <DataTable
            label="People"
            rows={people}
            rowKey={({ id }) => id}
            columns={manages ? [...COLUMNS, actsColumn(actsOf)] : COLUMNS}
            short={(person) => (
              <Short title={person.name} text={`${roleOf(person)} · ${person.email}`}>
                {manages ? actsOf(person) : null}
              </Short>
            )}
          />
        )}
      </ListCard>
      {changing ? <ChangeRole person={changing} onClose={() => setChanging(null)} /> : null}
      {removing ? <RemovePerson person={removing} onClose={() => setRemoving(null)} /> : null}
    </>
  )
}

const roleOf = ({ role }: Pick<Person, 'role'>): string => describeRole(role).label

const COLUMNS: readonly Column<Person>[] = [
  { name: 'name', head: 'Name', isText: true, cell: ({ name }) => name },
  { name: 'email', head: 'Email', isText: true, className: 'w-64', cell: ({ email }) => email },
  { name: 'role', head: 'Role', className: 'w-28', cell: roleOf },
  {
    name: 'factor',
    head: 'Second factor',
    className: 'w-32',
    cell: ({ hasSecondFactor }) => (hasSecondFactor ? 'Yes' : 'No'),
  },
  {
    name: 'seen',
    head: 'Last seen',
    className: 'w-32',
    cell: ({ lastSeenAt }) =>
      lastSeenAt ? <Time at={lastSeenAt} /> : <span className="text-ink-3">Never</span>,
  },
]

function actsColumn<Row>(cell: Column<Row>['cell']): Column<Row> {
  return {
    name: 'acts',
    head: <span className="sr-only">Actions</span>,
    className: 'w-14',
    cell,
  }
}

interface ShortProps {
  title: string
  text: string
  children: React.ReactNode
}

function Short({ title, text, children }: ShortProps) {
  return (
    <div className="flex items-center gap-2">
      <div className="min-w-0 flex-1">
        <div className="truncate font-medium" dir="auto">
          {title}
        </div>
        <div className="truncate text-sm text-ink-2">{text}</div>
      </div>
      {children}
    </div>
  )
}

function Invitations() {
  const list = useQuery(invitationsQuery)
  const withdraw = useAct(
    (key, { id }: Invitation) =>
      request('DELETE /console/people/invitation/{id}', { path: { id }, key }),
    { onDone: (_reply, { email }) => toast(`Invitation for ${email} withdrawn`) },
  )
  const actsOf = (invitation: Invitation) => (
    <Menu
      label={`Actions for the invitation of ${invitation.email}`}
      items={[
        {
          label: 'Withdraw',
          icon: Trash2,
          isDanger: true,
          onSelect: () => withdraw.run(invitation),
        },
      ]}
    />
  )
  if (list.data?.invitations.length === 0) return null
  return (
    <div className="mt-6">
      <ListCard
        title="Open invitations"
        list={list}
        rows={list.data?.invitations}
        loading={{ rows: 1 }}
        empty={null}
      >
        {(invitations) => (
          <DataTable
            label="Open invitations"
            rows={invitations}
            rowKey={({ id }) => id}
            columns={[...INVITATION_COLUMNS, actsColumn(actsOf)]}
            short={(one) => (
              <Short
                title={one.email}
                text={`${describeRole(one.role).label} · by ${one.invitedBy}`}
              >
                {actsOf(one)}
              </Short>
            )}
          />
        )}
      </ListCard>
    </div>
  )
}

const INVITATION_COLUMNS: readonly Column<Invitation>[] = [
  { name: 'email', head: 'Email', isText: true, cell: ({ email }) => email },
  { name: 'role', head: 'Role', className: 'w-28', cell: ({ role }) => describeRole(role).label },
  { name: 'by', head: 'Invited by', isText: true, className: 'w-64', cell: (one) => one.invitedBy },
  {
    name: 'expires',
    head: 'Expires',
    className: 'w-32',
    cell: ({ expiresAt }) => <Time at={expiresAt} />,
  },
]
