// A new token: its name, scopes, and expiry. Its scopes never exceed those of this session's token.

import { useState } from 'react'
import type { CreateTokenReply, Token } from '../../../generated/types.gen'
import { request } from '../../api/request'
import { useSession } from '../../api/session'
import { DAY_MS } from '../../lib/durations'
import { fieldProblem } from '../../lib/field-problem'
import { serviceNow } from '../../lib/service-time'
import { useAct } from '../../lib/use-act'
import { useDraft } from '../../lib/use-draft'
import { FormDialog } from '../../ui/feedback/FormDialog'
import { Checkbox, Field, Input, Select } from '../../ui/inputs/Field'

type Scope = Token['scopes'][number]

const SCOPES: Record<Scope, string> = {
  read: 'View brands, campaigns, numbers, messages, and webhooks.',
  send: 'Send and cancel messages.',
  manage: 'Manage brands, campaigns, numbers, webhooks, and tokens.',
  billing: 'View the ledger, usage, and statements. Set the low-balance alert.',
}

const ENDS = [
  { value: '', label: 'Never' },
  { value: '7', label: 'In 7 days' },
  { value: '30', label: 'In 30 days' },
  { value: '90', label: 'In 90 days' },
  { value: '365', label: 'In 1 year' },
]

interface Fields {
  name: string
  scopes: readonly Scope[]
  /** Days from now. Empty: never. */
  days: string
}

interface NewTokenProps {
  onMade: (name: string, text: string) => void
  onClose: () => void
}

export function NewToken({ onMade, onClose }: NewTokenProps) {
  const { account } = useSession()
  const own = (account?.scopes ?? []) as readonly Scope[]
  const [fields, setFields, draft] = useDraft<Fields>('token-new', {
    name: '',
    scopes: own.filter((scope) => scope === 'read' || scope === 'send'),
    days: '',
  })
  // Computed once, so pressing again after a failure sends the same request.
  const [openedAt] = useState(serviceNow)
  const make = useAct((key) => create(fields, openedAt, key), {
    onDone: ({ accessToken }) => {
      draft.clear()
      onMade(fields.name.trim(), accessToken ?? '')
    },
  })
  return (
    <FormDialog
      title="Create token"
      verb="Create token"
      busy={make.isBusy && 'Creating…'}
      blocked={fields.scopes.length === 0 && 'Choose a scope first'}
      error={make.error}
      onSubmit={() => make.run()}
      onClose={onClose}
    >
      <Field
        label="Name"
        help="The program or person that uses it."
        isOptional
        error={fieldProblem(make.error, 'name')}
      >
        {(tied) => (
          <Input
            {...tied}
            maxLength={100}
            autoComplete="off"
            dir="auto"
            value={fields.name}
            onChange={({ target }) => setFields({ ...fields, name: target.value })}
          />
        )}
      </Field>
      <Scopes
        own={own}
        chosen={fields.scopes}
        onChoose={(scopes) => setFields({ ...fields, scopes })}
      />
      <Field label="Expires" error={fieldProblem(make.error, 'expiresAt')}>
        {(tied) => (
          <Select
            {...tied}
            value={fields.days}
            options={ENDS}
            onChange={({ target }) => setFields({ ...fields, days: target.value })}
          />
        )}
      </Field>
      <p className="min-h-5 text-sm text-ink-3">
        {draft.isKept ? 'Draft saved in this browser' : ''}
      </p>
    </FormDialog>
  )
}

function create(
  { name, scopes, days }: Fields,
  openedAt: Date,
  key: string,
): Promise<CreateTokenReply> {
  const end = new Date(openedAt.getTime() + Number(days) * DAY_MS)
  return request('POST /v1/token/create', {
    body: {
      ...(name.trim() && { name: name.trim() }),
      scopes,
      ...(days && { expiresAt: end.toISOString() }),
    },
    key,
  })
}

interface ScopesProps {
  own: readonly Scope[]
  chosen: readonly Scope[]
  onChoose: (scopes: readonly Scope[]) => void
}

function Scopes({ own, chosen, onChoose }: ScopesProps) {
  return (
    <fieldset className="flex flex-col gap-2">
      <legend className="mb-1 font-medium">Scopes</legend>
      {(Object.keys(SCOPES) as Scope[]).map((scope) => {
        const isOwn = own.includes(scope)
        return (
          <Checkbox
            key={scope}
            label={scope}
            help={
              isOwn
                ? SCOPES[scope]
                : `${SCOPES[scope]} Not available: your session’s token lacks it.`
            }
            isChecked={chosen.includes(scope)}
            blocked={!isOwn}
            onChange={(isOn) =>
              onChoose(isOn ? [...chosen, scope] : chosen.filter((one) => one !== scope))
            }
          />
        )
      })}
    </fieldset>
  )
}
