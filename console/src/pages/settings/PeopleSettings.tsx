// The people of the account: who has which role, open invitations, and how to invite, change, and remove someone.

import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { Trash2, UserCog } from 'lucide-react'
import { useState } from 'react'
import type { Invitation, Person } from '../../../generated/types.gen'
import { invitationsQuery, peopleQuery } from '../../api/people-queries'
import { request } from '../../api/request'
import { useSession } from '../../api/session'
import { ACCOUNT_ROLES, describeRole } from '../../lib/describe-role'
import { useAct } from '../../lib/use-act'
import { ApiRequestButton } from '../../ui/display/ApiRequest'
import { type Column, DataTable } from '../../ui/display/DataTable'
import { ListCard } from '../../ui/display/ListCard'
import { Time } from '../../ui/display/Time'
import { toast } from '../../ui/feedback/Toast'
import { Button } from '../../ui/inputs/Button'
import { Menu } from '../../ui/inputs/Menu'
import { Empty } from '../../ui/layout/Page'
import { actsColumn, ShortPerson, seenColumn } from '../people/person-rows'
import { ChangeRole, InvitePerson } from '../people/RoleDialogs'
import { RemovePerson } from './RemovePerson'
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
          roles={ACCOUNT_ROLES}
          first="agent"
          invite={(key, body) => request('POST /console/people/invitation', { body, key })}
          onClose={() => setInviting(false)}
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
              <ShortPerson title={person.name} text={`${roleOf(person)} · ${person.email}`}>
                {manages ? actsOf(person) : null}
              </ShortPerson>
            )}
          />
        )}
      </ListCard>
      {changing ? (
        <ChangeRole
          person={changing}
          roles={ACCOUNT_ROLES}
          change={(key, role) =>
            request('PATCH /console/people/{id}', {
              path: { id: changing.id },
              body: { role },
              key,
            })
          }
          onClose={() => setChanging(null)}
        />
      ) : null}
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
  seenColumn(),
]

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
              <ShortPerson
                title={one.email}
                text={`${describeRole(one.role).label} · by ${inviterOf(one)}`}
              >
                {actsOf(one)}
              </ShortPerson>
            )}
          />
        )}
      </ListCard>
    </div>
  )
}

/** The ID of a token means nothing to a person. */
function inviterOf({ invitedBy }: Invitation): string {
  return invitedBy.startsWith('tok_') ? 'an API token' : invitedBy
}

const INVITATION_COLUMNS: readonly Column<Invitation>[] = [
  { name: 'email', head: 'Email', isText: true, cell: ({ email }) => email },
  { name: 'role', head: 'Role', className: 'w-28', cell: ({ role }) => describeRole(role).label },
  { name: 'by', head: 'Invited by', isText: true, className: 'w-64', cell: inviterOf },
  {
    name: 'expires',
    head: 'Expires',
    className: 'w-32',
    cell: ({ expiresAt }) => <Time at={expiresAt} />,
  },
]
