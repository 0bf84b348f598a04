// Second factors: an authenticator app and passkeys. Each change needs the current password, if the person has one.

import { useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { encode } from 'uqr'
import type { Profile } from '../../../generated/types.gen'
import { addPasskey, hasPasskeys } from '../../api/people-queries'
import { request } from '../../api/request'
import { sessionQuery } from '../../api/session'
import { useAct } from '../../lib/use-act'
import { CodeBlock } from '../../ui/display/CodeBlock'
import { Time } from '../../ui/display/Time'
import { Dialog } from '../../ui/feedback/Dialog'
import { ErrorNotice } from '../../ui/feedback/Notice'
import { toast } from '../../ui/feedback/Toast'
import { Button } from '../../ui/inputs/Button'
import { Field, Input } from '../../ui/inputs/Field'
import { Card } from '../../ui/layout/Page'
import { CodeField, PasswordField } from './PersonSignIn'

type Change =
  | { kind: 'add app' | 'remove app' | 'add passkey' }
  | { kind: 'remove passkey'; id: string; name: string }

const TITLES: Record<Change['kind'], string> = {
  'add app': 'Add an authenticator app',
  'remove app': 'Remove the authenticator app',
  'add passkey': 'Add a passkey',
  'remove passkey': 'Remove a passkey',
}

export function Factors({ profile }: { profile: Profile }) {
  const [change, setChange] = useState<Change | null>(null)
  return (
    <Card title="Second factors">
      <ul className="mb-3 flex flex-col gap-2">
        <Row name="Authenticator app" text={profile.hasTotp ? 'Set up' : 'Not set up'}>
          <Button
            aria-label={profile.hasTotp ? 'Remove authenticator app' : 'Add authenticator app'}
            onClick={() => setChange({ kind: profile.hasTotp ? 'remove app' : 'add app' })}
          >
            {profile.hasTotp ? 'Remove' : 'Add'}
          </Button>
        </Row>
        {profile.passkeys.map(({ id, name, lastUsedAt }) => (
          <Row
            key={id}
            name={`Passkey: ${name}`}
            text={
              lastUsedAt ? (
                <>
                  Last used <Time at={lastUsedAt} />
                </>
              ) : (
                'Not used yet'
              )
            }
          >
            <Button
              aria-label={`Remove passkey ${name}`}
              onClick={() => setChange({ kind: 'remove passkey', id, name })}
            >
              Remove
            </Button>
          </Row>
        ))}
      </ul>
      {hasPasskeys() ? (
        <Button onClick={() => setChange({ kind: 'add passkey' })}>Add a passkey</Button>
      ) : (
        <p className="text-sm text-ink-2">
          Passkeys need HTTPS and a host name. In a sandbox, open the console at localhost.
        </p>
      )}
      {change ? (
        <ChangeFactor
          change={change}
          hasPassword={profile.hasPassword}
          onClose={() => setChange(null)}
        />
      ) : null}
    </Card>
  )
}

interface RowProps {
  name: string
  text: React.ReactNode
  children: React.ReactNode
}

function Row({ name, text, children }: RowProps) {
  return (
    <li className="flex items-center gap-2">
      <div className="min-w-0 flex-1">
        <div className="truncate font-medium" dir="auto">
          {name}
        </div>
        <div className="text-sm text-ink-2">{text}</div>
      </div>
      {children}
    </li>
  )
}

interface ChangeFactorProps {
  change: Change
  hasPassword: boolean
  onClose: () => void
}

function ChangeFactor({ change, hasPassword, onClose }: ChangeFactorProps) {
  const client = useQueryClient()
  const [current, setCurrent] = useState('')
  const [name, setName] = useState('')
  const [app, setApp] = useState<{ secret: string; uri: string } | null>(null)
  const finish = (text: string) => {
    void client.invalidateQueries({ queryKey: sessionQuery.queryKey })
    toast(text)
    onClose()
  }
  const act = useAct(
    async () => {
      const body = hasPassword ? { current } : {}
      if (change.kind === 'add passkey') return addPasskey(name.trim(), current)
      if (change.kind === 'remove app') return request('DELETE /console/profile/totp', { body })
      if (change.kind === 'remove passkey') {
        return request('DELETE /console/profile/passkey/{id}', { path: { id: change.id }, body })
      }
      return setApp(await request('POST /console/profile/totp/start', { body }))
    },
    {
      onDone: () => change.kind !== 'add app' && finish(`${TITLES[change.kind]}: done`),
    },
  )
  if (app)
    return (
      <ConfirmApp app={app} onDone={() => finish('Authenticator app added')} onClose={onClose} />
    )
  const isMissing =
    (hasPassword && current === '') || (change.kind === 'add passkey' && name.trim() === '')
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (!isMissing) act.run()
  }
  return (
    <Dialog title={TITLES[change.kind]} onClose={onClose}>
      <form onSubmit={submit} className="flex flex-col gap-4">
        {change.kind === 'remove passkey' ? <p className="text-ink-2">{change.name}</p> : null}
        {change.kind === 'add passkey' ? (
          <Field label="Name" help="Where it is, such as Laptop or Security key.">
            {(tied) => (
              <Input
                {...tied}
                maxLength={100}
                autoComplete="off"
                value={name}
                onChange={({ target }) => setName(target.value)}
              />
            )}
          </Field>
        ) : null}
        {hasPassword ? (
          <PasswordField label="Current password" value={current} onChange={setCurrent} />
        ) : null}
        {act.error ? <ErrorNotice error={act.error} isAnswer /> : null}
        <div className="flex justify-end gap-2">
          <Button onClick={onClose}>Cancel</Button>
          <Button
            look={change.kind.startsWith('remove') ? 'danger' : 'filled'}
            type="submit"
            busy={act.isBusy && 'One moment…'}
            blocked={isMissing && 'Fill in all fields first'}
          >
            {change.kind.startsWith('remove') ? 'Remove' : 'Continue'}
          </Button>
        </div>
      </form>
    </Dialog>
  )
}

interface ConfirmAppProps {
  app: { secret: string; uri: string }
  onDone: () => void
  onClose: () => void
}

function ConfirmApp({ app, onDone, onClose }: ConfirmAppProps) {
  const [code, setCode] = useState('')
  const act = useAct(() => request('POST /console/profile/totp', { body: { code } }), { onDone })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (code.trim()) act.run()
  }
  return (
    <Dialog title={TITLES['add app']} onClose={onClose}>
      <form onSubmit={submit} className="flex flex-col gap-4">
        <p className="text-ink-2">Scan this with your app, or enter the key.</p>
        <QrCode text={app.uri} />
        <CodeBlock text={app.secret} label="key" />
        <CodeField value={code} onChange={setCode} />
        {act.error ? <ErrorNotice error={act.error} isAnswer /> : null}
        <div className="flex justify-end gap-2">
          <Button onClick={onClose}>Cancel</Button>
          <Button
            look="filled"
            type="submit"
            busy={act.isBusy && 'Checking…'}
            blocked={code.trim() === '' && 'Enter the code first'}
          >
            Confirm
          </Button>
        </div>
      </form>
    </Dialog>
  )
}

/** Black on white in both themes: cameras expect it. */
function QrCode({ text }: { text: string }) {
  const { data, size } = encode(text, { border: 2 })
  const path = data
    .flatMap((row, y) => row.map((isDark, x) => (isDark ? `M${x} ${y}h1v1h-1z` : '')))
    .join('')
  return (
    <svg
      viewBox={`0 0 ${size} ${size}`}
      className="size-48 self-center rounded-md"
      role="img"
      aria-label="QR code for your authenticator app"
      shapeRendering="crispEdges"
    >
      <rect width={size} height={size} fill="#fff" />
      <path d={path} fill="#000" />
    </svg>
  )
}
