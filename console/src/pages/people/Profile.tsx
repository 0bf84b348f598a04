// My profile: name, password, second factors, sessions, and the accounts that I can switch to. It stands alone, because it
// also opens when everything else waits for a second factor.

import { useQuery, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import type { Profile as ProfileRecord } from '../../../generated/types.gen'
import { profileQuery } from '../../api/people-queries'
import { request } from '../../api/request'
import { sessionQuery, switchAccount, useSession, useSignOut } from '../../api/session'
import { describeRole } from '../../lib/describe-role'
import { useAct } from '../../lib/use-act'
import { ErrorNotice, Notice } from '../../ui/feedback/Notice'
import { toast } from '../../ui/feedback/Toast'
import { Button, ButtonLink } from '../../ui/inputs/Button'
import { Card, Page, Skeleton } from '../../ui/layout/Page'
import { Factors } from './Factors'
import { NameField } from './NameField'
import { PasswordField } from './PersonSignIn'
import { Sessions } from './Sessions'

export function Profile() {
  const { user, account, operator } = useSession()
  const { data, error, refetch } = useQuery(profileQuery)
  const signOut = useSignOut()
  const home = account ? '/' : operator ? '/operator' : null
  return (
    <main id="main">
      <Page
        title="My profile"
        actions={
          <>
            {home ? <ButtonLink to={home}>Back to the console</ButtonLink> : null}
            <Button onClick={() => void signOut()}>Sign out</Button>
          </>
        }
      >
        <div className="flex max-w-180 flex-col gap-4">
          {user?.needsSecondFactor ? (
            <Notice tone="warn" title="Add a second factor to continue.">
              This installation requires a passkey or an authenticator app.
            </Notice>
          ) : user?.accounts.length === 0 && !operator ? (
            <Notice tone="warn" title="You have no access to an account.">
              Ask an owner for an invitation.
            </Notice>
          ) : null}
          {data ? (
            <Cards profile={data.profile} />
          ) : error ? (
            <ErrorNotice error={error} onRetry={() => void refetch()} />
          ) : (
            <Skeleton rows={8} />
          )}
        </div>
      </Page>
    </main>
  )
}

function Cards({ profile }: { profile: ProfileRecord }) {
  return (
    <>
      <Accounts />
      <NameCard profile={profile} />
      <Factors profile={profile} />
      {profile.hasPassword ? <PasswordCard /> : null}
      <Sessions sessions={profile.sessions} />
    </>
  )
}

function Accounts() {
  const { user, account } = useSession()
  const accounts = user?.accounts ?? []
  if (accounts.length < 2 && account) return null
  if (accounts.length === 0) return null
  return (
    <Card title="Accounts">
      <ul className="flex flex-col gap-2">
        {accounts.map(({ accountId, name, role }) => (
          <li key={accountId} className="flex items-center gap-2">
            <span className="min-w-0 flex-1 truncate" dir="auto">
              {name} <span className="text-ink-2">· {describeRole(role).label}</span>
            </span>
            {accountId === account?.accountId ? (
              <span className="text-sm text-ink-2">Current</span>
            ) : (
              <Button
                onClick={() => void switchAccount(accountId)}
                aria-label={`Switch to ${name}`}
                blocked={user?.needsSecondFactor === true && 'Add a second factor first'}
              >
                Switch
              </Button>
            )}
          </li>
        ))}
      </ul>
    </Card>
  )
}

function NameCard({ profile }: { profile: ProfileRecord }) {
  const [name, setName] = useState(profile.name)
  const client = useQueryClient()
  const save = useAct(() => request('PATCH /console/profile', { body: { name: name.trim() } }), {
    onDone: () => {
      void client.invalidateQueries({ queryKey: sessionQuery.queryKey })
      toast('Name saved')
    },
  })
  const isSame = name.trim() === profile.name || name.trim() === ''
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (!isSame) save.run()
  }
  return (
    <Card title="You">
      <form onSubmit={submit} className="flex flex-col gap-3">
        <p className="text-ink-2 wrap-anywhere">{profile.email}</p>
        <NameField label="Name" value={name} onChange={setName} />
        {save.error ? <ErrorNotice error={save.error} isAnswer /> : null}
        <div>
          <Button
            type="submit"
            busy={save.isBusy && 'Saving…'}
            blocked={isSame && 'Change it first'}
          >
            Save name
          </Button>
        </div>
      </form>
    </Card>
  )
}

function PasswordCard() {
  const [current, setCurrent] = useState('')
  const [password, setPassword] = useState('')
  const save = useAct(
    () => request('POST /console/profile/password', { body: { current, password } }),
    {
      onDone: () => {
        setCurrent('')
        setPassword('')
        toast('Password changed. Your other sessions ended.')
      },
    },
  )
  const isMissing = current === '' || password === ''
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (!isMissing) save.run()
  }
  return (
    <Card title="Password">
      <form onSubmit={submit} className="flex flex-col gap-3">
        <PasswordField label="Current password" value={current} onChange={setCurrent} />
        <PasswordField label="New password" isNew value={password} onChange={setPassword} />
        {save.error ? <ErrorNotice error={save.error} isAnswer /> : null}
        <div>
          <Button
            type="submit"
            busy={save.isBusy && 'Saving…'}
            blocked={isMissing && 'Fill in both fields first'}
          >
            Change password
          </Button>
        </div>
      </form>
    </Card>
  )
}
