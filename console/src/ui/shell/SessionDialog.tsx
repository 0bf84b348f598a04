// The session ended while someone was working: it asks for the password or the token in place, and the page continues where it
// was.

import { useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { refetchAll } from '../../api/changes'
import { request } from '../../api/request'
import { type Session, sessionQuery, setSessionEnded, signIn, useSession } from '../../api/session'
import { retryStream } from '../../api/stream'
import { useAct } from '../../lib/use-act'
import { PersonSignIn } from '../../pages/people/PersonSignIn'
import { Dialog } from '../feedback/Dialog'
import { ErrorNotice } from '../feedback/Notice'
import { Button } from '../inputs/Button'
import { Field, Input } from '../inputs/Field'

export default function SessionDialog() {
  const before = useSession()
  const client = useQueryClient()
  const resume = (session: Session): void => {
    // Another account must not see the previous one's pages: start over.
    if (session.account?.accountId !== before.account?.accountId) location.assign('/console/')
    client.setQueryData(sessionQuery.queryKey, session)
    refetchAll(client)
    setSessionEnded(false)
    retryStream()
  }
  if (!before.user) return <TokenDialog onDone={resume} />
  // A new session starts with the person's first account.
  const restore = async (): Promise<void> => {
    const accountId = before.account?.accountId
    if (accountId) await request('POST /console/session/account', { body: { accountId } })
    resume(await request('GET /console/session', {}))
  }
  return (
    <Dialog title="Your session has ended" onClose={() => {}}>
      <p className="text-ink-2">Sign in again to continue. What you typed is saved.</p>
      <PersonSignIn
        email={before.user.email}
        onDone={() => void restore().catch(() => location.assign('/console/'))}
      />
    </Dialog>
  )
}

function TokenDialog({ onDone }: { onDone: (session: Session) => void }) {
  const [token, setToken] = useState('')
  const act = useAct(() => signIn({ token: token.trim() }), { onDone })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (token.trim()) act.run()
  }
  return (
    <Dialog title="Your session has ended" onClose={() => {}}>
      <form onSubmit={submit} className="flex flex-col gap-3">
        <p className="text-ink-2">Sign in again to continue. What you typed is saved.</p>
        <Field label="Access token">
          {(tied) => (
            <Input
              {...tied}
              type="password"
              autoComplete="current-password"
              value={token}
              onChange={(event) => setToken(event.target.value)}
            />
          )}
        </Field>
        {act.error ? (
          <ErrorNotice error={act.error} hint="Tokens start with lc_." isAnswer />
        ) : null}
        <div className="flex justify-end gap-2">
          <Button onClick={() => location.assign('/console/sign-in')}>Leave</Button>
          <Button
            look="filled"
            type="submit"
            busy={act.isBusy && 'Signing in…'}
            blocked={token.trim() === '' && 'Paste a token first'}
          >
            Sign in
          </Button>
        </div>
      </form>
    </Dialog>
  )
}
