// Signing in as a person, or with a token. The printed link needs no page: it is exchanged before anything is shown.

import { useQueryClient } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { type FormEvent, useState } from 'react'
import { useBrandName } from '../api/branding'
import { lastLinkFailure, sessionQuery, signIn, useSession } from '../api/session'
import { ErrorNotice, Notice } from '../ui/feedback/Notice'
import { Button } from '../ui/inputs/Button'
import { Field, Input } from '../ui/inputs/Field'
import { Frame } from './people/Frame'
import { PersonSignIn } from './people/PersonSignIn'

const PROBLEMS: Record<string, string> = {
  oidc_refused: 'The response of your company’s identity provider was not accepted. Start again.',
  oidc_role_absent: 'None of your company’s groups has access here. Ask an operator.',
  oidc_unavailable: 'Your company’s identity provider does not respond. Try again shortly.',
  sign_in_expired: 'This sign-in took too long. Start again.',
  sign_in_limited: 'Too many failed sign-ins. Try again in 15 minutes.',
}

export function SignIn() {
  const { problem } = useSearch({ from: '/sign-in' })
  const { mode } = useSession()
  const name = useBrandName()
  // A sandbox starts with a token. Elsewhere people come first.
  const [isToken, setToken] = useState(mode === 'sandbox' && !problem)
  return (
    <Frame title={`Sign in to ${name}`}>
      {problem && PROBLEMS[problem] ? (
        <Notice tone="bad" title={PROBLEMS[problem]} isAnswer />
      ) : null}
      {isToken ? <TokenSignIn /> : <AsPerson />}
      <Button look="quiet" onClick={() => setToken(!isToken)}>
        {isToken ? 'Use your email instead' : 'Use an access token instead'}
      </Button>
    </Frame>
  )
}

function AsPerson() {
  const { next } = useSearch({ from: '/sign-in' })
  // The console starts again, because everything that was loaded belongs to someone else or nobody.
  return <PersonSignIn onDone={() => location.assign(`/console${next ?? '/'}`)} />
}

function TokenSignIn() {
  const { next } = useSearch({ from: '/sign-in' })
  const [token, setToken] = useState('')
  const [error, setError] = useState<unknown>(lastLinkFailure)
  const [isBusy, setBusy] = useState(false)
  const client = useQueryClient()
  const navigate = useNavigate()
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    if (isBusy || token.trim() === '') return
    setBusy(true)
    setError(null)
    try {
      const before = client.getQueryData(sessionQuery.queryKey)
      const session = await signIn({ token: token.trim() })
      client.setQueryData(sessionQuery.queryKey, session)
      const isOperator = session.operator !== null && !before?.operator
      // It would lead back here without an explanation.
      if (next && !(next.startsWith('/operator') ? session.operator : session.account)) {
        throw new Error(`This token cannot access ${next}`)
      }
      await navigate({ to: next ?? (isOperator ? '/operator' : '/') })
    } catch (failure) {
      setError(failure)
    } finally {
      setBusy(false)
    }
  }
  return (
    <form onSubmit={(event) => void submit(event)} className="flex flex-col gap-4">
      <Field
        label="Access token"
        help={
          <>
            Paste an access token. <code className="font-mono">npm start</code> prints one.
            Operators create them with <code className="font-mono">longcode token create</code>.
          </>
        }
      >
        {(tied) => (
          <Input
            {...tied}
            type="password"
            name="token"
            autoComplete="current-password"
            spellCheck={false}
            value={token}
            onChange={(event) => setToken(event.target.value)}
          />
        )}
      </Field>
      {error ? (
        <ErrorNotice
          error={error}
          hint="Tokens start with lc_, operator tokens with lco_."
          isAnswer
        />
      ) : null}
      <Button
        look="filled"
        type="submit"
        busy={isBusy && 'Signing in…'}
        blocked={token.trim() === '' && 'Paste a token first'}
      >
        Sign in
      </Button>
    </form>
  )
}
