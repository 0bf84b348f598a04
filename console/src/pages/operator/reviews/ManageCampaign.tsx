// A campaign after its review, as the operator manages it: limits set manually or by the brand's score, suspending,
// resuming, and ending it.

import { type FormEvent, useState } from 'react'
import type { Limits, ReviewedCampaign } from '../../../../generated/types.gen'
import { ApiFailure, request } from '../../../api/request'
import { useAct } from '../../../lib/use-act'
import { useDraft } from '../../../lib/use-draft'
import { ErrorNotice, Notice } from '../../../ui/feedback/Notice'
import { toast } from '../../../ui/feedback/Toast'
import { Button } from '../../../ui/inputs/Button'
import { Field, Input } from '../../../ui/inputs/Field'
import { ReasonConfirm } from '../ReasonConfirm'

export function ManageCampaign({ campaign }: { campaign: ReviewedCampaign }) {
  const { status, suspendedFor } = campaign
  if (status === 'DRAFT') return null
  return (
    <div className="mt-4 flex flex-col gap-4">
      {status === 'SUSPENDED' ? (
        <Notice tone="warn" title={STOPPED[suspendedFor ?? 'operator']}>
          New messages are refused.
        </Notice>
      ) : null}
      {status === 'ENDED' ? (
        <Notice tone="go" title="This campaign has ended">
          Its numbers were released or moved. It can no longer be changed.
        </Notice>
      ) : (
        <>
          <LimitsForm campaign={campaign} />
          <Acts campaign={campaign} />
        </>
      )}
    </div>
  )
}

const STOPPED = {
  operator: 'Suspended by an operator',
  registry: 'Suspended by The Campaign Registry',
  renewal: 'Suspended: renewal unpaid',
}

const LIMITS: readonly { name: keyof Limits; label: string; help: string }[] = [
  { name: 'smsTpmAtt', label: 'AT&T, SMS', help: 'Segments per minute' },
  { name: 'mmsTpmAtt', label: 'AT&T, MMS', help: 'Messages per minute' },
  { name: 'dailyTmoCap', label: 'T-Mobile', help: 'Segments per day' },
]

function LimitsForm({
  campaign: { id, limits, limitsSetByOperator },
}: {
  campaign: ReviewedCampaign
}) {
  const texts = (from: Limits) =>
    Object.fromEntries(LIMITS.map(({ name }) => [name, String(from[name] ?? '')]))
  const [fields, setFields, draft] = useDraft<Record<string, string>>(`limits-${id}`, texts(limits))
  const save = useAct(
    (key, values: Limits) =>
      request('PUT /operator/v1/campaign/{id}/limits', { path: { id }, body: values, key }),
    {
      onDone: () => {
        draft.clear()
        toast('Limits saved')
      },
    },
  )
  const follow = useAct(
    (key) => request('DELETE /operator/v1/campaign/{id}/limits', { path: { id }, key }),
    {
      onDone: () => {
        draft.clear()
        toast('Limits follow the brand’s score again')
      },
    },
  )
  const submit = (event: FormEvent) => {
    event.preventDefault()
    save.run(
      Object.fromEntries(
        LIMITS.map(({ name }) => {
          const text = (fields[name] ?? '').trim()
          return [name, text === '' ? null : Number(text)]
        }),
      ) as unknown as Limits,
    )
  }
  const details = save.error instanceof ApiFailure ? save.error.details : []
  return (
    <form onSubmit={submit} className="flex flex-col gap-3">
      <h3 className="font-semibold">Limits</h3>
      <p className="text-sm text-ink-2">
        {limitsSetByOperator
          ? 'Set manually. They do not change with the brand’s score.'
          : 'They follow the brand’s score until you save values here.'}{' '}
        Leave empty for no limit.
      </p>
      <div className="grid gap-3 sm:grid-cols-3">
        {LIMITS.map(({ name, label, help }) => (
          <Field
            key={name}
            label={label}
            help={help}
            error={details.find(({ field }) => field === name)?.problem}
          >
            {(tied) => (
              <Input
                {...tied}
                inputMode="numeric"
                value={fields[name] ?? ''}
                onChange={(event) => setFields({ ...fields, [name]: event.target.value })}
              />
            )}
          </Field>
        ))}
      </div>
      {save.error || follow.error ? (
        <ErrorNotice error={save.error ?? follow.error} isAnswer />
      ) : null}
      <div className="flex flex-wrap gap-2">
        <Button look="filled" type="submit" busy={save.isBusy && 'Saving…'}>
          Save limits
        </Button>
        {limitsSetByOperator ? (
          <Button onClick={() => follow.run()} busy={follow.isBusy && 'Saving…'}>
            Follow brand score
          </Button>
        ) : null}
      </div>
    </form>
  )
}

function Acts({ campaign: { id, status, displayName } }: { campaign: ReviewedCampaign }) {
  const [asking, setAsking] = useState<'suspend' | 'resume' | 'end' | null>(null)
  const close = () => setAsking(null)
  const path = { id }
  return (
    <div className="flex flex-wrap gap-2 border-t border-line pt-4">
      {status === 'ACTIVE' ? (
        <Button onClick={() => setAsking('suspend')}>Suspend campaign</Button>
      ) : null}
      {status === 'SUSPENDED' ? (
        <Button onClick={() => setAsking('resume')}>Resume campaign</Button>
      ) : null}
      {status === 'PENDING' ? null : <Button onClick={() => setAsking('end')}>End campaign</Button>}
      {asking === 'suspend' ? (
        <ReasonConfirm
          title={`Suspend ${displayName}?`}
          consequence="Queued messages fail with error 1340, and new ones are refused."
          verb="Suspend campaign"
          isDanger
          act={(key, reason) =>
            request('POST /operator/v1/campaign/{id}/suspend', { path, body: { reason }, key })
          }
          onClose={close}
        />
      ) : null}
      {asking === 'resume' ? (
        <ReasonConfirm
          title={`Resume ${displayName}?`}
          consequence="It can send again immediately."
          verb="Resume campaign"
          act={(key, reason) =>
            request('POST /operator/v1/campaign/{id}/resume', { path, body: { reason }, key })
          }
          onClose={close}
        />
      ) : null}
      {asking === 'end' ? (
        <ReasonConfirm
          title={`End ${displayName} permanently?`}
          consequence="It stops sending and renewing, its numbers are released, and queued messages are canceled and refunded. This cannot be undone."
          verb="End campaign"
          isDanger
          typed={id.slice(-4)}
          typedLabel={`Type the last four characters of ${id}`}
          act={(key, reason) =>
            request('POST /operator/v1/campaign/{id}/end', {
              path,
              body: { reason, confirm: id },
              key,
            })
          }
          onClose={close}
        />
      ) : null}
    </div>
  )
}
