// Operator tokens: one for each person and program, since the audit log identifies them by it.

import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { OperatorToken } from '../../../generated/types.gen'
import { operatorTokensQuery } from '../../api/operator-queries'
import { ApiFailure, request } from '../../api/request'
import { useSession } from '../../api/session'
import { useAct } from '../../lib/use-act'
import { ApiRequestButton } from '../../ui/display/ApiRequest'
import { ListCard } from '../../ui/display/ListCard'
import { Expiry, Time } from '../../ui/display/Time'
import { Confirm, Dialog } from '../../ui/feedback/Dialog'
import { ErrorNotice } from '../../ui/feedback/Notice'
import { ShownOnce } from '../../ui/feedback/ShownOnce'
import { toast } from '../../ui/feedback/Toast'
import { Button } from '../../ui/inputs/Button'
import { Field, Input } from '../../ui/inputs/Field'
import { Empty, Page } from '../../ui/layout/Page'

export function OperatorSettings() {
  const [isNew, setNew] = useState(false)
  const list = useQuery(operatorTokensQuery)
  return (
    <Page
      title="Operator tokens"
      actions={
        <>
          <ApiRequestButton request={{ method: 'GET', path: '/operator/v1/token/list' }} />
          <Button look="filled" onClick={() => setNew(true)}>
            Create operator token
          </Button>
        </>
      }
    >
      <p className="mb-4 max-w-180 text-ink-2">
        Create one token per person and program: the audit log identifies them by it.
        LONGCODE_OPERATOR_TOKEN is not listed, because it is never stored. To revoke it, remove it
        from the environment.
      </p>
      <ListCard
        list={list}
        rows={list.data?.tokens}
        loading={{ rows: 3, height: 56 }}
        empty={
          <Empty title="No operator tokens yet">
            Only LONGCODE_OPERATOR_TOKEN can sign in to these pages.
          </Empty>
        }
      >
        {(tokens) => (
          <ul className="divide-y divide-line">
            {tokens.map((token) => (
              <Line key={token.id} token={token} />
            ))}
          </ul>
        )}
      </ListCard>
      {isNew ? <NewToken onClose={() => setNew(false)} /> : null}
    </Page>
  )
}

function Line({ token: { id, name, createdAt, lastUsedAt, expiresAt } }: { token: OperatorToken }) {
  const [isAsking, setAsking] = useState(false)
  const isOwn = useSession().operator?.name === name
  const revoke = useAct((key) => request('DELETE /operator/v1/token/{id}', { path: { id }, key }), {
    onDone: () => toast(`Token “${name}” revoked`),
  })
  return (
    <li className="flex items-center gap-3 px-4 py-3">
      <div className="min-w-0 flex-1">
        <p className="truncate font-medium" dir="auto" title={id}>
          {name}
          {isOwn ? <span className="font-normal text-ink-2"> · you</span> : null}
        </p>
        <p className="text-sm text-ink-2">
          created <Time at={createdAt} form="when" /> ·{' '}
          {lastUsedAt ? (
            <>
              last used <Time at={lastUsedAt} form="when" />
            </>
          ) : (
            'never used'
          )}
          {expiresAt ? (
            <>
              {' '}
              · <Expiry at={expiresAt} />
            </>
          ) : null}
        </p>
      </div>
      <Button onClick={() => setAsking(true)} aria-label={`Revoke ${name}`}>
        Revoke
      </Button>
      {isAsking ? (
        <Confirm
          title={`Revoke token “${name}”?`}
          consequence={`It stops working immediately.${isOwn ? ' If you are using it now, you are signed out.' : ''} This cannot be undone.`}
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

function NewToken({ onClose }: { onClose: () => void }) {
  const [name, setName] = useState('')
  const make = useAct((key) =>
    request('POST /operator/v1/token/create', { body: { name: name.trim() }, key }),
  )
  if (make.reply?.operatorToken) {
    return (
      <ShownOnce
        title={`Operator token for ${make.reply.token.name}`}
        help="It gives access to these pages and the operator API."
        value={make.reply.operatorToken}
        onClose={onClose}
      />
    )
  }
  const problem =
    make.error instanceof ApiFailure
      ? make.error.details.find(({ field }) => field === 'name')?.problem
      : null
  return (
    <Dialog
      title="Create operator token"
      onClose={onClose}
      actions={
        <Button
          look="filled"
          onClick={() => make.run()}
          busy={make.isBusy && 'Creating…'}
          blocked={name.trim() === '' && 'Enter a name first'}
        >
          Create token
        </Button>
      }
    >
      <Field
        label="Name"
        help="The person or program that uses it, as shown in the audit log."
        error={problem}
      >
        {(tied) => (
          <Input
            {...tied}
            maxLength={100}
            value={name}
            onChange={(event) => setName(event.target.value)}
          />
        )}
      </Field>
      {make.error ? <ErrorNotice error={make.error} isAnswer /> : null}
    </Dialog>
  )
}
