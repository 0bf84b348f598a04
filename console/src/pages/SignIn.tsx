// Signing in with a token. The printed link needs no page: it is exchanged before anything is shown.

import { useQueryClient } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { type FormEvent, useEffect, useState } from 'react'
import { useBrandName } from '../api/branding'
import { lastLinkFailure, sessionQuery, signIn } from '../api/session'
import { brandName } from '../lib/brand-name'
import { ErrorNotice } from '../ui/feedback/Notice'
import { Button } from '../ui/inputs/Button'
import { Field, Input } from '../ui/inputs/Field'
import { Mark, SupportLine } from '../ui/shell/Mark'

export function SignIn() {
  const { next } = useSearch({ from: '/sign-in' })
  const [token, setToken] = useState('')
  const [error, setError] = useState<unknown>(lastLinkFailure)
  const [isBusy, setBusy] = useState(false)
  const name = useBrandName()
  const client = useQueryClient()
  const navigate = useNavigate()
  useEffect(() => {
    document.title = `Sign in · ${brandName()}`
  }, [])
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
      await navigate({ to: next ?? (isOperator ? '/operator/reviews' : '/') })
    } catch (failure) {
      setError(failure)
    } finally {
      setBusy(false)
    }
  }
  return (
    <main className="flex min-h-dvh items-center justify-center p-4">
      <form
        onSubmit={(event) => void submit(event)}
        className="flex w-full max-w-100 flex-col gap-4 rounded-lg border border-line bg-surface p-6"
      >
        <div className="flex items-center gap-2">
          <Mark size={28} />
          <h1 className="text-xl font-semibold">Sign in to {name}</h1>
        </div>
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
        <SupportLine />
      </form>
    </main>
  )
}
