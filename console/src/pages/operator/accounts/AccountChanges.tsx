// The name of an account, and how long its messages, texts, and media are stored.

import type { FormEvent } from 'react'
import type { OperatedAccount } from '../../../../generated/types.gen'
import { ApiFailure, request } from '../../../api/request'
import { useAct } from '../../../lib/use-act'
import { useDraft } from '../../../lib/use-draft'
import { ApiRequestButton } from '../../../ui/display/ApiRequest'
import { ErrorNotice } from '../../../ui/feedback/Notice'
import { toast } from '../../../ui/feedback/Toast'
import { Button } from '../../../ui/inputs/Button'
import { Field, Input } from '../../../ui/inputs/Field'

export function AccountChanges({ account }: { account: OperatedAccount }) {
  const { id, name, messageRetentionDays, mediaRetentionDays, recordRetentionDays } = account
  const [fields, setFields, draft] = useDraft(`account-${id}`, {
    name,
    messageRetentionDays: String(messageRetentionDays ?? ''),
    mediaRetentionDays: String(mediaRetentionDays ?? ''),
    recordRetentionDays: String(recordRetentionDays ?? ''),
  })
  const body = {
    name: fields.name.trim(),
    messageRetentionDays: daysOf(fields.messageRetentionDays),
    mediaRetentionDays: daysOf(fields.mediaRetentionDays),
    recordRetentionDays: daysOf(fields.recordRetentionDays),
  }
  const save = useAct(
    (key) => request('PATCH /operator/v1/account/{id}', { path: { id }, body, key }),
    {
      onDone: () => toast('Saved'),
    },
  )
  const details = save.error instanceof ApiFailure ? save.error.details : []
  const field = (key: keyof typeof fields, label: string, help?: string) => (
    <Field
      label={label}
      help={help}
      error={details.find((problem) => problem.field === key)?.problem}
    >
      {(tied) => (
        <Input
          {...tied}
          maxLength={200}
          value={fields[key]}
          onChange={(event) => setFields({ ...fields, [key]: event.target.value })}
        />
      )}
    </Field>
  )
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (body.name !== '') save.run()
  }
  return (
    <form onSubmit={submit} className="flex flex-col gap-3">
      {field('name', 'Name')}
      <div className="grid gap-3 sm:grid-cols-2">
        {field(
          'messageRetentionDays',
          'Delete texts after (days)',
          'Leave empty to keep texts for as long as the account exists.',
        )}
        {field(
          'mediaRetentionDays',
          'Delete media after (days)',
          'Leave empty to keep media for as long as the account exists.',
        )}
        {field(
          'recordRetentionDays',
          'Delete messages after (days)',
          'Leave empty to keep messages for as long as the account exists. Charges are always kept.',
        )}
      </div>
      {save.error ? <ErrorNotice error={save.error} isAnswer /> : null}
      <div className="flex flex-wrap gap-2">
        <Button
          type="submit"
          busy={save.isBusy && 'Saving…'}
          blocked={body.name === '' ? 'Enter a name first' : !draft.isKept && 'No changes yet'}
        >
          Save
        </Button>
        <ApiRequestButton request={{ method: 'PATCH', path: `/operator/v1/account/${id}`, body }} />
      </div>
    </form>
  )
}

/** Invalid numbers go to the API unchanged, so its error explains what it expects. */
/** Text that is not a number becomes null in JSON without this. The service refuses it by name. */
function daysOf(text: string): number | null {
  if (text.trim() === '') return null
  const days = Number(text)
  return Number.isFinite(days) ? days : (text as unknown as number)
}
