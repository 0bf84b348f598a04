// Quotas of an account: what it uses, and its own limits.

import { useQuery } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import type { OperatedQuota } from '../../../../generated/types.gen'
import { accountQuotasQuery } from '../../../api/operator-queries'
import { ApiFailure, request } from '../../../api/request'
import { formatQuota, QUOTA_TITLES } from '../../../lib/describe-quota'
import { useAct } from '../../../lib/use-act'
import { ApiRequestButton } from '../../../ui/display/ApiRequest'
import { QuotaMeters } from '../../../ui/display/QuotaMeters'
import { ErrorNotice } from '../../../ui/feedback/Notice'
import { toast } from '../../../ui/feedback/Toast'
import { Button } from '../../../ui/inputs/Button'
import { Field, Input } from '../../../ui/inputs/Field'
import { Skeleton } from '../../../ui/layout/Page'

type Name = OperatedQuota['name']

export function QuotaForm({ accountId }: { accountId: string }) {
  const { data, error, refetch } = useQuery(accountQuotasQuery(accountId))
  if (error) return <ErrorNotice error={error} onRetry={() => void refetch()} />
  if (!data) return <Skeleton rows={6} />
  const limits = data.quotas.map(({ ownLimit }) => ownLimit)
  return (
    <div className="flex flex-col gap-5">
      <QuotaMeters quotas={data.quotas} />
      <LimitForm key={JSON.stringify(limits)} id={accountId} quotas={data.quotas} />
    </div>
  )
}

function LimitForm({ id, quotas }: { id: string; quotas: readonly OperatedQuota[] }) {
  const [fields, setFields] = useState(
    () =>
      Object.fromEntries(quotas.map((quota) => [quota.name, textOf(quota)])) as Record<
        Name,
        string
      >,
  )
  const body = Object.fromEntries(
    quotas.map(({ name, unit }) => [name, limitOf(fields[name], unit)]),
  ) as Record<Name, number | null>
  const save = useAct(
    (key) => request('PATCH /operator/v1/account/{id}/quotas', { path: { id }, body, key }),
    { onDone: () => toast('Saved') },
  )
  const details = save.error instanceof ApiFailure ? save.error.details : []
  const submit = (event: FormEvent) => {
    event.preventDefault()
    save.run()
  }
  return (
    <form onSubmit={submit} className="flex flex-col gap-3">
      <p className="text-sm text-ink-2">
        Leave a field empty for the default of the installation. 0 means no limit.
      </p>
      <div className="grid gap-3 sm:grid-cols-2">
        {quotas.map((quota) => (
          <Field
            key={quota.name}
            label={labelOf(quota)}
            help={`Default: ${quota.defaultLimit === null ? 'no limit' : formatQuota(quota, quota.defaultLimit)}`}
            error={details.find(({ field }) => field === quota.name)?.problem}
          >
            {(tied) => (
              <Input
                {...tied}
                inputMode="numeric"
                maxLength={20}
                value={fields[quota.name]}
                onChange={({ target }) => setFields({ ...fields, [quota.name]: target.value })}
              />
            )}
          </Field>
        ))}
      </div>
      {save.error && details.length === 0 ? <ErrorNotice error={save.error} isAnswer /> : null}
      <div className="flex flex-wrap gap-2">
        <Button type="submit" busy={save.isBusy && 'Saving…'}>
          Save quotas
        </Button>
        <ApiRequestButton
          request={{ method: 'PATCH', path: `/operator/v1/account/${id}/quotas`, body }}
        />
      </div>
    </form>
  )
}

const MB = 1_000_000

function labelOf({ name, unit }: OperatedQuota): string {
  return unit === 'byte' ? `${QUOTA_TITLES[name]} limit (MB)` : `${QUOTA_TITLES[name]} limit`
}

function textOf({ ownLimit, unit }: OperatedQuota): string {
  if (ownLimit === null) return ''
  return String(unit === 'byte' ? ownLimit / MB : ownLimit)
}

/** The service refuses what is not a number, by name. */
function limitOf(text: string, unit: OperatedQuota['unit']): number | null {
  const plain = text.trim().replaceAll(',', '')
  if (plain === '') return null
  const limit = Number(plain)
  if (!Number.isFinite(limit)) return plain as unknown as number
  return unit === 'byte' ? Math.round(limit * MB) : limit
}
