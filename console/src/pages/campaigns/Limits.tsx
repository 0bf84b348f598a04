// Current use of each carrier limit, and what happens to messages above the daily cap.

import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { Campaign, LimitUse } from '../../../generated/types.gen'
import { limitsQuery } from '../../api/registry-queries'
import { request } from '../../api/request'
import { formatCount } from '../../lib/format'
import { useServiceNow } from '../../lib/service-time'
import { useAct } from '../../lib/use-act'
import { Meter } from '../../ui/display/Meter'
import { ErrorNotice, Notice } from '../../ui/feedback/Notice'
import { Radio } from '../../ui/inputs/Field'
import { Card, Skeleton } from '../../ui/layout/Page'
import { describeLimit, LIMIT_NAMES } from './describe-limit'

export function LimitsCard({ campaign }: { campaign: Campaign }) {
  const { data, error, refetch } = useQuery(limitsQuery(campaign.id))
  return (
    <Card title="Carrier limits">
      <div className="flex flex-col gap-4">
        {error ? (
          <ErrorNotice
            error={error}
            hint="Today’s usage could not be loaded. Limits still apply."
            onRetry={() => void refetch()}
          />
        ) : data ? (
          <>
            <NotCarried networks={data.notCarriedBy ?? []} />
            {data.limits.map((use) => (
              <Limit key={use.name} use={use} />
            ))}
          </>
        ) : (
          <Skeleton rows={3} height={56} />
        )}
        <p className="text-sm text-ink-2">
          Counted in segments. An MMS counts as one. Other networks have no limit.
        </p>
        {campaign.status === 'ENDED' ? null : <AtTheCap campaign={campaign} />}
      </div>
    </Card>
  )
}

function NotCarried({ networks }: { networks: readonly string[] }) {
  if (networks.length === 0) return null
  return (
    <Notice tone="warn" title={`Not accepted by: ${networks.join(', ')}`}>
      Messages to these networks are refused until they accept the campaign. Other networks deliver
      normally. Ask your operator for the reason.
    </Notice>
  )
}

function Limit({ use }: { use: LimitUse }) {
  const now = useServiceNow()
  const { name, limit, used, isAssigned, period } = use
  const label = LIMIT_NAMES[name]
  if (limit === null || used === null) {
    return (
      <p className="flex justify-between gap-3">
        <span className="font-medium">{label}</span>
        <span className="text-ink-2">{isAssigned ? 'No limit' : 'Assigned on approval'}</span>
      </p>
    )
  }
  const window = period === 'day' ? 'today' : 'in the last minute'
  return (
    <Meter
      label={label}
      value={used}
      max={limit}
      text={`${formatCount(used)} / ${formatCount(limit)}`}
      spoken={`${formatCount(used)} of ${formatCount(limit)} segments ${window}`}
      help={describeLimit(use, now)}
    />
  )
}

/** Applies at once, without a save button, because it can be undone. */
function AtTheCap({ campaign: { id, holdAtDailyCap } }: { campaign: Campaign }) {
  const act = useAct((_key, hold: boolean) =>
    request('PATCH /v1/campaign/{id}', { path: { id }, body: { holdAtDailyCap: hold } }),
  )
  const [chosen, setChosen] = useState<boolean | null>(null)
  if (chosen === holdAtDailyCap) setChosen(null)
  const isHeld = act.error ? holdAtDailyCap : (chosen ?? holdAtDailyCap)
  const choose = (hold: boolean) => {
    setChosen(hold)
    act.run(hold)
  }
  return (
    <fieldset className="flex flex-col gap-2">
      <legend className="mb-2 font-medium">When T-Mobile’s daily cap is reached</legend>
      <Radio
        name="at-cap"
        label="Fail"
        help="Messages fail immediately with error 1320 and are refunded."
        isChecked={!isHeld}
        onChange={() => choose(false)}
      />
      <Radio
        name="at-cap"
        label="Hold"
        help="Messages wait until midnight Pacific. The wait does not count toward their validity."
        isChecked={isHeld}
        onChange={() => choose(true)}
      />
      {act.error ? <ErrorNotice error={act.error} isAnswer /> : null}
    </fieldset>
  )
}
