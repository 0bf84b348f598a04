// The operators' own tokens: one for each person and program, since the audit log names them by it.

import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { OperatorCreateOperatorTokenReply, OperatorToken } from '../../../generated/types.gen'
import { ApiFailure } from '../../api/call'
import { operate, operatorTokensQuery } from '../../api/operator-queries'
import { useSession } from '../../api/session'
import { useAct } from '../../lib/use-act'
import { ApiCallButton } from '../../ui/ApiCall'
import { Button } from '../../ui/Button'
import { Confirm, Dialog } from '../../ui/Dialog'
import { Field, Input } from '../../ui/Field'
import { ErrorNotice } from '../../ui/Notice'
import { Empty, Page, Skeleton } from '../../ui/Page'
import { ShownOnce } from '../../ui/ShownOnce'
import { Time } from '../../ui/Time'
import { toast } from '../../ui/Toast'

export function OperatorSettings() {
  const [isNew, setNew] = useState(false)
  const { data, error, refetch } = useQuery(operatorTokensQuery)
  return (
    <Page
      title="Operator tokens"
      actions={
        <>
          <ApiCallButton call={{ method: 'GET', path: '/operator/v1/token/list' }} />
          <Button look="filled" onClick={() => setNew(true)}>
            Make operator token
          </Button>
        </>
      }
    >
      <p className="mb-4 max-w-180 text-ink-2">
        Give each person and program a token of their own: the audit log names them by it.
        LONGCODE_OPERATOR_TOKEN is not listed; it lives in the environment, and who takes it out has
        revoked it.
      </p>
      <div className="rounded-lg border border-line bg-surface px-4">
        {error ? (
          <div className="py-3">
            <ErrorNotice error={error} onRetry={() => void refetch()} />
          </div>
        ) : null}
        {!data && !error ? <Skeleton rows={3} height={56} /> : null}
        {data?.tokens.length === 0 ? (
          <Empty title="No operator tokens yet.">
            Only the token of the environment opens these pages.
          </Empty>
        ) : null}
        <ul className="divide-y divide-line">
          {data?.tokens.map((token) => (
            <Line key={token.id} token={token} />
          ))}
        </ul>
      </div>
      {isNew ? <NewToken onClose={() => setNew(false)} /> : null}
    </Page>
  )
}

function Line({ token: { id, name, createdAt, lastUsedAt, expiresAt } }: { token: OperatorToken }) {
  const [isAsking, setAsking] = useState(false)
  const isOwn = useSession().operator?.name === name
  const revoke = useAct((key) => operate('DELETE', `/token/${id}`, { key }), {
    onDone: () => toast(`Revoked: ${name}`),
  })
  return (
    <li className="flex items-center gap-3 py-3">
      <div className="min-w-0 flex-1">
        <p className="truncate font-medium" dir="auto" title={id}>
          {name}
          {isOwn ? <span className="font-normal text-ink-2"> · the name you act under</span> : null}
        </p>
        <p className="text-sm text-ink-2">
          made <Time at={createdAt} /> ·{' '}
          {lastUsedAt ? (
            <>
              used <Time at={lastUsedAt} />
            </>
          ) : (
            'never used'
          )}
          {expiresAt ? (
            <>
              {' '}
              · ends <Time at={expiresAt} />
            </>
          ) : null}
        </p>
      </div>
      <Button onClick={() => setAsking(true)} aria-label={`Revoke ${name}`}>
        Revoke
      </Button>
      {isAsking ? (
        <Confirm
          title={`Revoke the token of ${name}?`}
          consequence={`It stops at once.${isOwn ? ' If it is the one you use, you are signed out.' : ''} There is no way back.`}
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
    operate<OperatorCreateOperatorTokenReply>('POST', '/token/create', {
      body: { name: name.trim() },
      key,
    }),
  )
  if (make.reply?.operatorToken) {
    return (
      <ShownOnce
        title={`The operator token of ${make.reply.token.name}`}
        help="It opens these pages and the operator’s API."
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
      title="Make an operator token"
      onClose={onClose}
      actions={
        <Button
          look="filled"
          onClick={() => make.run()}
          busy={make.isBusy && 'Making…'}
          blocked={name.trim() === '' && 'Say first who will use it'}
        >
          Make token
        </Button>
      }
    >
      <Field label="Who will use it" help="The audit log names them so." error={problem}>
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
