// How much of each quota is used: a meter for those with a limit, and the number for the others.

import type { Quota } from '../../../generated/types.gen'
import { atLimit, formatQuota, QUOTA_HELP, QUOTA_TITLES, spokenUse } from '../../lib/describe-quota'
import { Meter } from './Meter'

export function QuotaMeters({ quotas }: { quotas: readonly Quota[] }) {
  return (
    <ul aria-label="Quotas" className="flex flex-col gap-4">
      {quotas.map((quota) => (
        <li key={quota.name}>
          <QuotaUse quota={quota} />
        </li>
      ))}
    </ul>
  )
}

function QuotaUse({ quota }: { quota: Quota }) {
  const { name, used, limit } = quota
  const help = atLimit(quota) ?? QUOTA_HELP[name]
  if (limit === null || used === null) {
    const text = used === null ? 'Not counted yet' : formatQuota(quota, used)
    return (
      <div className="grid grid-cols-[minmax(0,1fr)_auto] gap-x-3 gap-y-1">
        <span className="font-medium">{QUOTA_TITLES[name]}</span>
        <span>
          {text} <span className="text-ink-2">{limit === null ? '· no limit' : ''}</span>
        </span>
        <span className="col-span-2 text-sm text-ink-2">{help}</span>
      </div>
    )
  }
  return (
    <Meter
      label={QUOTA_TITLES[name]}
      value={used}
      max={limit}
      text={`${formatQuota(quota, used)} / ${formatQuota(quota, limit)}`}
      spoken={spokenUse(quota)}
      help={help}
    />
  )
}
