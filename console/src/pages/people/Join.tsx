// A one-time link: an invitation, or a new password for someone who lost access. Nothing changes until the person submits.

import { useQuery, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import type { ShowInvitationReply } from '../../../generated/types.gen'
import { takenJoinCode } from '../../api/join-code'
import { request } from '../../api/request'
import { sessionQuery, useSession } from '../../api/session'
import { describeRole } from '../../lib/describe-role'
import { fieldProblem } from '../../lib/field-problem'
import { useAct } from '../../lib/use-act'
import { ErrorNotice, Notice } from '../../ui/feedback/Notice'
import { Button, ButtonLink } from '../../ui/inputs/Button'
import { Skeleton } from '../../ui/layout/Page'
import { Frame } from './Frame'
import { NameField } from './NameField'
import { PasswordField, PersonSignIn } from './PersonSignIn'

export function Join() {
  const code = takenJoinCode() ?? ''
  const invitation = useQuery({
    queryKey: ['invitation', code],
    queryFn: () => request('POST /console/invitation/show', { body: { code } }),
    enabled: code !== '',
    staleTime: Number.POSITIVE_INFINITY,
  })
  if (invitation.data) return <Accept code={code} invitation={invitation.data} />
  return (
    <Frame title="Join">
      {code === '' ? (
        <Notice tone="bad" title="This link is incomplete.">
          Copy the whole link from your invitation, or ask for a new one.
        </Notice>
      ) : invitation.error ? (
        <ErrorNotice error={invitation.error} hint="Ask the person who sent it for a new link." />
      ) : (
        <Skeleton rows={3} />
      )}
      {code === '' || invitation.error ? <ButtonLink to="/sign-in">Sign in</ButtonLink> : null}
    </Frame>
  )
}

interface AcceptProps {
  code: string
  invitation: ShowInvitationReply
}

function Accept({ code, invitation }: AcceptProps) {
  const { kind, email, accountName, role, invitedBy, hasUser } = invitation
  const isRecovery = kind === 'recovery'
  const title = isRecovery ? 'Set a new password' : `Join ${accountName ?? 'Longcode'}`
  return (
    <Frame title={title}>
      <p className="text-ink-2 wrap-anywhere">
        {isRecovery
          ? `For ${email}. Your passkeys, your authenticator app, and all sessions will be removed.`
          : `${nameOf(invitedBy)} invited ${email} as ${role ? describeRole(role).label : 'a person'}. ${role ? describeRole(role).help : ''}`}
      </p>
      {hasUser && !isRecovery ? (
        <JoinAsUser code={code} email={email} />
      ) : (
        <JoinAsNew code={code} isRecovery={isRecovery} />
      )}
    </Frame>
  )
}

/** An invitation by the API names a token, which means nothing to people. */
function nameOf(invitedBy: string): string {
  return invitedBy.startsWith('tok_') ? 'Your team' : invitedBy
}

/** Everything that was loaded belongs to nobody or to someone else, so the console starts again. */
function enterConsole(): void {
  location.assign('/console/')
}

function JoinAsUser({ code, email }: { code: string; email: string }) {
  const { user } = useSession()
  const client = useQueryClient()
  const act = useAct((key) => request('POST /console/invitation/accept', { body: { code }, key }), {
    onDone: enterConsole,
  })
  if (user?.email !== email) {
    const refresh = () => void client.invalidateQueries({ queryKey: sessionQuery.queryKey })
    return (
      <>
        <p className="text-ink-2">You already have a user here. Sign in to join.</p>
        <PersonSignIn email={email} onDone={refresh} />
      </>
    )
  }
  return (
    <>
      {act.error ? <ErrorNotice error={act.error} isAnswer /> : null}
      <Button look="filled" onClick={() => act.run()} busy={act.isBusy && 'Joining…'}>
        Join
      </Button>
    </>
  )
}

function JoinAsNew({ code, isRecovery }: { code: string; isRecovery: boolean }) {
  const [name, setName] = useState('')
  const [password, setPassword] = useState('')
  const act = useAct(
    () => {
      const own = isRecovery ? { code, password } : { code, name: name.trim(), password }
      return request('POST /console/invitation/accept', { body: own })
    },
    { onDone: enterConsole },
  )
  const isMissing = password === '' || (!isRecovery && name.trim() === '')
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (!isMissing) act.run()
  }
  const problem = fieldProblem(act.error, 'password')
  return (
    <form onSubmit={submit} className="flex flex-col gap-4">
      {isRecovery ? null : <NameField label="Your name" value={name} onChange={setName} />}
      <PasswordField
        label="New password"
        isNew
        value={password}
        onChange={setPassword}
        error={problem}
      />
      {act.error && !problem ? <ErrorNotice error={act.error} isAnswer /> : null}
      <Button
        look="filled"
        type="submit"
        busy={act.isBusy && 'One moment…'}
        blocked={isMissing && 'Fill in all fields first'}
      >
        {isRecovery ? 'Set password' : 'Join'}
      </Button>
    </form>
  )
}
