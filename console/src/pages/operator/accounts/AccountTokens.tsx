// The access tokens of an account: created for its owner, shown once, revoked.

import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { OperatedAccount, Token } from '../../../../generated/types.gen'
import { accountTokensQuery } from '../../../api/operator-queries'
import { request } from '../../../api/request'
import { useAct } from '../../../lib/use-act'
import { Expiry, Time } from '../../../ui/display/Time'
import { Confirm, Dialog } from '../../../ui/feedback/Dialog'
import { ErrorNotice } from '../../../ui/feedback/Notice'
import { ShownOnce } from '../../../ui/feedback/ShownOnce'
import { toast } from '../../../ui/feedback/Toast'
import { Button } from '../../../ui/inputs/Button'
import { Checkbox, Field, Input } from '../../../ui/inputs/Field'
import { Skeleton } from '../../../ui/layout/Page'

type Scope = Token['scopes'][number]
const SCOPES: readonly Scope[] = ['read', 'send', 'manage', 'billing']

export function AccountTokens({ account }: { account: OperatedAccount }) {
  const [isNew, setNew] = useState(false)
  const { data, error, refetch } = useQuery(accountTokensQuery(account.id))
  return (
    <>
      {error ? <ErrorNotice error={error} onRetry={() => void refetch()} /> : null}
      {!data && !error ? <Skeleton rows={2} /> : null}
      {data?.tokens.length === 0 ? (
        <p className="text-ink-2">No tokens yet. The owner cannot use the API.</p>
      ) : null}
      <ul className="mb-3 divide-y divide-line">
        {data?.tokens.map((token) => (
          <TokenLine key={token.id} accountId={account.id} token={token} />
        ))}
      </ul>
      <Button onClick={() => setNew(true)}>Create token</Button>
      {isNew ? <NewToken account={account} onClose={() => setNew(false)} /> : null}
    </>
  )
}

function TokenLine({ accountId, token }: { accountId: string; token: Token }) {
  const [isAsking, setAsking] = useState(false)
  const name = token.name || token.id
  const revoke = useAct(
    (key) =>
      request('DELETE /operator/v1/account/{id}/token/{token}', {
        path: { id: accountId, token: token.id },
        key,
      }),
    { onDone: () => toast(`${name} revoked`) },
  )
  return (
    <li className="flex items-center gap-3 py-2">
      <div className="min-w-0 flex-1">
        <p className="truncate" dir="auto" title={token.id}>
          {name}
        </p>
        <p className="text-sm text-ink-2">
          {token.scopes.join(', ')} ·{' '}
          {token.lastUsedAt ? (
            <>
              last used <Time at={token.lastUsedAt} form="when" />
            </>
          ) : (
            'never used'
          )}
          {token.expiresAt ? (
            <>
              {' '}
              · <Expiry at={token.expiresAt} />
            </>
          ) : null}
        </p>
      </div>
      <Button onClick={() => setAsking(true)} aria-label={`Revoke ${name}`}>
        Revoke
      </Button>
      {isAsking ? (
        <Confirm
          title={`Revoke ${name}?`}
          consequence="Requests that use it will be refused within five seconds. This cannot be undone."
          verb="Revoke token"
          isDanger
          busy={revoke.isBusy && 'Revoking…'}
          error={revoke.error}
          onConfirm={() => revoke.run()}
          onClose={() => setAsking(false)}
        />
      ) : null}
    </li>
  )
}

function NewToken({ account, onClose }: { account: OperatedAccount; onClose: () => void }) {
  const [name, setName] = useState('')
  const [scopes, setScopes] = useState<readonly Scope[]>(SCOPES)
  const make = useAct((key) =>
    request('POST /operator/v1/account/{id}/token/create', {
      path: { id: account.id },
      body: { ...(name.trim() !== '' && { name: name.trim() }), scopes },
      key,
    }),
  )
  if (make.reply?.accessToken) {
    return (
      <ShownOnce
        title={`Token for ${account.name}`}
        help="Give it to the account’s owner."
        value={make.reply.accessToken}
        onClose={onClose}
      />
    )
  }
  return (
    <Dialog
      title={`Create token for ${account.name}`}
      onClose={onClose}
      actions={
        <Button
          look="filled"
          onClick={() => make.run()}
          busy={make.isBusy && 'Creating…'}
          blocked={scopes.length === 0 && 'Choose permissions first'}
        >
          Create token
        </Button>
      }
    >
      <Field label="Name" isOptional help="The program or person that uses it.">
        {(tied) => (
          <Input
            {...tied}
            maxLength={100}
            value={name}
            onChange={(event) => setName(event.target.value)}
          />
        )}
      </Field>
      <fieldset className="flex flex-wrap gap-4">
        <legend className="mb-1 font-medium">Permissions</legend>
        {SCOPES.map((scope) => (
          <Checkbox
            key={scope}
            label={scope}
            isChecked={scopes.includes(scope)}
            onChange={(isOn) =>
              setScopes(SCOPES.filter((one) => (one === scope ? isOn : scopes.includes(one))))
            }
          />
        ))}
      </fieldset>
      {make.error ? <ErrorNotice error={make.error} isAnswer /> : null}
    </Dialog>
  )
}
