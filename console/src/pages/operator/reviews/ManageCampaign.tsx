// A campaign after its review, as its operator runs it: limits by hand or by the brand's score, stop and go,
// and its end.

import { type FormEvent, useState } from 'react'
import type { Limits, ReviewedCampaign } from '../../../../generated/types.gen'
import { ApiFailure } from '../../../api/call'
import { operate } from '../../../api/operator-queries'
import { useAct } from '../../../lib/use-act'
import { useDraft } from '../../../lib/use-draft'
import { Button } from '../../../ui/Button'
import { Field, Input } from '../../../ui/Field'
import { ErrorNotice, Notice } from '../../../ui/Notice'
import { toast } from '../../../ui/Toast'
import { ReasonConfirm } from '../ReasonConfirm'

export function ManageCampaign({ campaign }: { campaign: ReviewedCampaign }) {
  const { status, suspendedFor } = campaign
  if (status === 'DRAFT') return null
  return (
    <div className="mt-4 flex flex-col gap-4">
      {status === 'SUSPENDED' ? (
        <Notice tone="warn" title={STOPPED[suspendedFor ?? 'operator']}>
          What is sent meanwhile is refused.
        </Notice>
      ) : null}
      {status === 'ENDED' ? (
        <Notice tone="go" title="It has ended for good.">
          Its numbers were released or moved; nothing can be changed any more.
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
  operator: 'Stopped by an operator.',
  registry: 'Suspended by the registry of the carriers.',
  renewal: 'Its renewal is unpaid.',
}

const LIMITS: readonly { name: keyof Limits; label: string; help: string }[] = [
  { name: 'smsTpmAtt', label: 'AT&T, SMS', help: 'Segments a minute' },
  { name: 'mmsTpmAtt', label: 'AT&T, MMS', help: 'Messages a minute' },
  { name: 'dailyTmoCap', label: 'T-Mobile', help: 'Segments a day' },
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
    (key, given: object) => operate('PUT', `/campaign/${id}/limits`, { body: given, key }),
    {
      onDone: () => {
        draft.clear()
        toast('Limits saved')
      },
    },
  )
  const follow = useAct((key) => operate('DELETE', `/campaign/${id}/limits`, { key }), {
    onDone: () => {
      draft.clear()
      toast('The limits follow the brand’s score again')
    },
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    save.run(
      Object.fromEntries(
        LIMITS.map(({ name }) => {
          const text = (fields[name] ?? '').trim()
          return [name, text === '' ? null : Number(text)]
        }),
      ),
    )
  }
  const details = save.error instanceof ApiFailure ? save.error.details : []
  return (
    <form onSubmit={submit} className="flex flex-col gap-3">
      <h3 className="font-semibold">Limits</h3>
      <p className="text-sm text-ink-2">
        {limitsSetByOperator
          ? 'Set by hand: they stay whatever becomes of the brand’s score.'
          : 'They follow the brand’s score. Saved here, they no longer do.'}{' '}
        Empty means no limit.
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
            Follow the brand’s score again
          </Button>
        ) : null}
      </div>
    </form>
  )
}

function Acts({ campaign: { id, status, displayName } }: { campaign: ReviewedCampaign }) {
  const [asking, setAsking] = useState<'suspend' | 'resume' | 'end' | null>(null)
  const close = () => setAsking(null)
  const post = (path: string, body: (reason: string) => object) => (key: string, reason: string) =>
    operate('POST', `/campaign/${id}/${path}`, { body: body(reason), key })
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
          consequence="What it has queued fails with 1340, and new sends are refused."
          verb="Suspend campaign"
          isDanger
          act={post('suspend', (reason) => ({ reason }))}
          onClose={close}
        />
      ) : null}
      {asking === 'resume' ? (
        <ReasonConfirm
          title={`Resume ${displayName}?`}
          consequence="It may send again at once."
          verb="Resume campaign"
          act={post('resume', (reason) => ({ reason }))}
          onClose={close}
        />
      ) : null}
      {asking === 'end' ? (
        <ReasonConfirm
          title={`End ${displayName} for good?`}
          consequence="No sends, no renewal; its numbers are released; what waits is cancelled and refunded. There is no way back."
          verb="End campaign"
          isDanger
          typed={id.slice(-4)}
          typedLabel={`Type the last four characters of ${id}`}
          act={post('end', (reason) => ({ reason, confirm: id }))}
          onClose={close}
        />
      ) : null}
    </div>
  )
}
