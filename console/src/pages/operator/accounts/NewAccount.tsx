// Creates an account with its first credit, then a token for its owner, shown once.

import { useNavigate } from '@tanstack/react-router'
import { type FormEvent, useState } from 'react'
import type { OperatorCreateAccountBody } from '../../../../generated/types.gen'
import { ApiFailure, request } from '../../../api/request'
import { formatMoney } from '../../../lib/format'
import { useAct } from '../../../lib/use-act'
import { useDraft } from '../../../lib/use-draft'
import { ApiRequestButton } from '../../../ui/display/ApiRequest'
import { Dialog } from '../../../ui/feedback/Dialog'
import { ErrorNotice } from '../../../ui/feedback/Notice'
import { ShownOnce } from '../../../ui/feedback/ShownOnce'
import { Button } from '../../../ui/inputs/Button'
import { Checkbox, Field, Input } from '../../../ui/inputs/Field'

interface Opened {
  id: string
  name: string
  /** Null if no token was requested. */
  token: string | null
}

export function NewAccount({ onClose }: { onClose: () => void }) {
  const navigate = useNavigate()
  const [fields, setFields, draft] = useDraft('operator-account', { name: '', credit: '' })
  const [withToken, setWithToken] = useState(true)
  const [opened, setOpened] = useState<Opened | null>(null)
  const toAccount = (id: string) => {
    onClose()
    void navigate({ to: '/operator/accounts/$id', params: { id } })
  }
  const credit = fields.credit.trim()
  const amount = Number(credit)
  const body = { name: fields.name.trim(), ...(credit !== '' && { credit: amount }) }
  const open = useAct((key) => openAccount(key, body, withToken), {
    onDone: (account) => {
      draft.clear()
      if (account.token === null) toAccount(account.id)
      else setOpened(account)
    },
  })
  if (opened?.token) {
    return (
      <ShownOnce
        title={`First token for ${opened.name}`}
        help="Give it to the account’s owner. It has full access to the account."
        value={opened.token}
        onClose={() => toAccount(opened.id)}
      />
    )
  }
  const details = open.error instanceof ApiFailure ? open.error.details : []
  const problemOf = (name: string) => details.find(({ field }) => field === name)?.problem
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (body.name !== '') open.run()
  }
  return (
    <Dialog title="Create account" onClose={onClose}>
      <form onSubmit={submit} className="flex flex-col gap-3">
        <Field label="Name" error={problemOf('name')}>
          {(tied) => (
            <Input
              {...tied}
              maxLength={200}
              value={fields.name}
              onChange={(event) => setFields({ ...fields, name: event.target.value })}
            />
          )}
        </Field>
        <Field
          label="Credit in dollars"
          isOptional
          help="Starting balance."
          error={problemOf('credit')}
        >
          {(tied) => (
            <Input
              {...tied}
              inputMode="decimal"
              value={fields.credit}
              onChange={(event) => setFields({ ...fields, credit: event.target.value })}
            />
          )}
        </Field>
        <Checkbox
          label="Create a token for the owner"
          help="It has every scope and is shown once."
          isChecked={withToken}
          onChange={setWithToken}
        />
        {draft.isKept ? <p className="text-sm text-ink-3">Draft saved in this browser</p> : null}
        {open.error ? <ErrorNotice error={open.error} isAnswer /> : null}
        <div className="flex justify-end gap-2">
          <ApiRequestButton
            request={{ method: 'POST', path: '/operator/v1/account/create', body }}
          />
          <Button
            look="filled"
            type="submit"
            busy={open.isBusy && 'Creating…'}
            blocked={body.name === '' && 'Enter a name first'}
          >
            Create account{amount > 0 ? ` with ${formatMoney(amount)}` : ''}
          </Button>
        </div>
      </form>
    </Dialog>
  )
}

/** Pressed again after a failure, it continues where it stopped: each request has its own key. */
async function openAccount(
  key: string,
  body: OperatorCreateAccountBody,
  withToken: boolean,
): Promise<Opened> {
  const { account } = await request('POST /operator/v1/account/create', { body, key })
  if (!withToken) return { ...account, token: null }
  const { accessToken } = await request('POST /operator/v1/account/{id}/token/create', {
    path: { id: account.id },
    body: { name: 'first token' },
    key: `${key}-token`,
  })
  return { ...account, token: accessToken }
}
