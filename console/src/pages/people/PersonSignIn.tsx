// Signing in as a person: email and password, then a code or a passkey if the person has one.

import { type FormEvent, useState } from 'react'
import { hasPasskeys, signInWithPasskey } from '../../api/people-queries'
import { request } from '../../api/request'
import { useSession } from '../../api/session'
import { useAct } from '../../lib/use-act'
import { ErrorNotice } from '../../ui/feedback/Notice'
import { Button } from '../../ui/inputs/Button'
import { Field, Input } from '../../ui/inputs/Field'

interface PersonSignInProps {
  /** Fixed if an invitation names the person. */
  email?: string
  onDone: () => void
}

export function PersonSignIn({ email: known, onDone }: PersonSignInProps) {
  const [ticket, setTicket] = useState<{ text: string; hasApp: boolean } | null>(null)
  if (ticket) {
    return <SecondFactor ticket={ticket} onDone={onDone} onBack={() => setTicket(null)} />
  }
  return <FirstFactor known={known} onTicket={setTicket} onDone={onDone} />
}

interface FirstFactorProps {
  known: string | undefined
  onTicket: (ticket: { text: string; hasApp: boolean }) => void
  onDone: () => void
}

function FirstFactor({ known, onTicket, onDone }: FirstFactorProps) {
  const { company } = useSession()
  const [email, setEmail] = useState(known ?? '')
  const [password, setPassword] = useState('')
  const act = useAct(
    () => request('POST /console/session/password', { body: { email: email.trim(), password } }),
    {
      onDone: ({ ticket, factors }) => {
        if (ticket === null) onDone()
        else onTicket({ text: ticket, hasApp: factors.includes('totp') })
      },
    },
  )
  const passkey = useAct(signInWithPasskey, { onDone })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (email.trim() && password) act.run()
  }
  return (
    <form onSubmit={submit} className="flex flex-col gap-4">
      <Field label="Email">
        {(tied) => (
          <Input
            {...tied}
            type="email"
            name="email"
            autoComplete="username"
            readOnly={known !== undefined}
            maxLength={254}
            value={email}
            onChange={({ target }) => setEmail(target.value)}
          />
        )}
      </Field>
      <PasswordField label="Password" value={password} onChange={setPassword} />
      {(act.error ?? passkey.error) ? (
        <ErrorNotice
          error={act.error ?? passkey.error}
          hint="If you lost your password or phone, ask your operator for a recovery link."
          isAnswer
        />
      ) : null}
      <Button
        look="filled"
        type="submit"
        busy={act.isBusy && 'Signing in…'}
        blocked={(email.trim() === '' || password === '') && 'Enter email and password first'}
      >
        Sign in
      </Button>
      {hasPasskeys() ? (
        <Button onClick={() => passkey.run()} busy={passkey.isBusy && 'Waiting for your device…'}>
          Sign in with a passkey
        </Button>
      ) : null}
      {company ? (
        <Button onClick={() => location.assign('/console/session/company')}>
          Sign in with {company}
        </Button>
      ) : null}
    </form>
  )
}

interface PasswordFieldProps {
  label: string
  value: string
  onChange: (value: string) => void
  isNew?: boolean
  error?: string | null
}

export function PasswordField({ label, value, onChange, isNew, error }: PasswordFieldProps) {
  return (
    <Field
      label={label}
      error={error}
      {...(isNew && { help: 'At least 10 characters. Several words are easier to remember.' })}
    >
      {(tied) => (
        <Input
          {...tied}
          type="password"
          autoComplete={isNew ? 'new-password' : 'current-password'}
          maxLength={200}
          value={value}
          onChange={({ target }) => onChange(target.value)}
        />
      )}
    </Field>
  )
}

interface SecondFactorProps {
  ticket: { text: string; hasApp: boolean }
  onDone: () => void
  onBack: () => void
}

function SecondFactor({ ticket, onDone, onBack }: SecondFactorProps) {
  const [code, setCode] = useState('')
  const act = useAct(
    () => request('POST /console/session/code', { body: { ticket: ticket.text, code } }),
    { onDone },
  )
  const passkey = useAct(signInWithPasskey, { onDone })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (code.trim()) act.run()
  }
  const error = act.error ?? passkey.error
  return (
    <form onSubmit={submit} className="flex flex-col gap-4">
      {ticket.hasApp ? (
        <CodeField value={code} onChange={setCode} />
      ) : (
        <p className="text-ink-2">Your password is correct. Now use your passkey.</p>
      )}
      {error ? <ErrorNotice error={error} isAnswer /> : null}
      {ticket.hasApp ? (
        <Button
          look="filled"
          type="submit"
          busy={act.isBusy && 'Signing in…'}
          blocked={code.trim() === '' && 'Enter the code first'}
        >
          Continue
        </Button>
      ) : null}
      {hasPasskeys() ? (
        <Button onClick={() => passkey.run()} busy={passkey.isBusy && 'Waiting for your device…'}>
          Use a passkey
        </Button>
      ) : null}
      <Button look="quiet" onClick={onBack}>
        Back
      </Button>
    </form>
  )
}

export function CodeField(props: { value: string; onChange: (value: string) => void }) {
  return (
    <Field label="Code" help="The six digits that your authenticator app shows.">
      {(tied) => (
        <Input
          {...tied}
          inputMode="numeric"
          autoComplete="one-time-code"
          maxLength={6}
          value={props.value}
          onChange={({ target }) => props.onChange(target.value)}
        />
      )}
    </Field>
  )
}
