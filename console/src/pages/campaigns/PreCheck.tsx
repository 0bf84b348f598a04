// What a reviewer would stop at, asked of the service while one types: it costs nothing, and the fee is not
// taken for a campaign that would come back.

import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { CircleCheck, TriangleAlert } from 'lucide-react'
import type { CampaignWarning } from '../../../generated/types.gen'
import { ApiFailure } from '../../api/call'
import { checkQuery } from '../../api/registry-queries'
import { useSession } from '../../api/session'
import { useSettled } from '../../lib/use-settled'
import { ErrorNotice } from '../../ui/Notice'
import { FieldLink } from '../registry/fields'
import {
  CAMPAIGN_LABELS,
  type CampaignValues,
  campaignBody,
  campaignProblems,
} from './campaign-values'

const SETTLE_MS = 400

export function PreCheck({ values }: { values: CampaignValues }) {
  const missing = Object.keys(campaignProblems(values, useSession().asks.campaign))
  const body = JSON.stringify(campaignBody(values))
  const settled = useSettled(body, SETTLE_MS)
  const { data, error, refetch, isPlaceholderData } = useQuery({
    ...checkQuery(JSON.parse(settled)),
    enabled: missing.length === 0,
    placeholderData: keepPreviousData,
  })
  const isChecking = settled !== body || isPlaceholderData
  return (
    <section
      aria-label="Pre-check"
      className="rounded-lg border border-line bg-surface p-4 lg:sticky lg:top-10"
    >
      <h2 className="mb-1 text-lg font-semibold">Pre-check</h2>
      <p className="mb-3 text-sm text-ink-2">
        What reviewers are known to stop at, checked as you type. Free.
      </p>
      {missing.length > 0 ? (
        <Missing fields={missing} />
      ) : error ? (
        <Refused error={error} onRetry={() => void refetch()} />
      ) : data ? (
        <Warnings warnings={data.warnings} isChecking={isChecking} />
      ) : (
        <p className="text-ink-2">Checking…</p>
      )}
    </section>
  )
}

function Missing({ fields }: { fields: readonly string[] }) {
  return (
    <div className="text-ink-2">
      <p>Fill in first:</p>
      <ul className="mt-1 flex flex-col gap-1">
        {fields.map((field) => (
          <li key={field}>
            <FieldLink name={field}>{CAMPAIGN_LABELS[field] ?? field}</FieldLink>
          </li>
        ))}
      </ul>
    </div>
  )
}

/** What the service refuses is said at the field when the form is sent; here it is said at once. */
function Refused({ error, onRetry }: { error: Error; onRetry: () => void }) {
  const details = error instanceof ApiFailure ? error.details : []
  if (details.length === 0) {
    return <ErrorNotice error={error} hint="Creating the campaign still works." onRetry={onRetry} />
  }
  return (
    <ul className="flex flex-col gap-1">
      {details.map(({ field, problem }) => (
        <li key={field} className="wrap-anywhere">
          <FieldLink name={field}>{CAMPAIGN_LABELS[field] ?? field}</FieldLink> {problem}
        </li>
      ))}
    </ul>
  )
}

interface WarningsProps {
  warnings: readonly CampaignWarning[]
  isChecking: boolean
}

function Warnings({ warnings, isChecking }: WarningsProps) {
  const count = warnings.length
  const Icon = count === 0 ? CircleCheck : TriangleAlert
  return (
    <div>
      <p role="status" className="flex items-start gap-2 font-medium">
        <Icon
          size={16}
          aria-hidden="true"
          className={`mt-0.5 shrink-0 ${count === 0 ? 'text-ok-ink' : 'text-warn-ink'}`}
        />
        {count === 0
          ? 'Nothing that reviewers are known to stop at.'
          : `A reviewer would stop at ${count === 1 ? '1 thing' : `${count} things`}`}
        {isChecking ? <span aria-hidden="true"> …</span> : null}
      </p>
      <ul className="mt-2 flex flex-col gap-3">
        {warnings.map(({ field, problem, remedy }) => (
          <li key={`${field} ${problem}`} className="wrap-anywhere">
            <p>
              <FieldLink name={field}>{CAMPAIGN_LABELS[field] ?? field}</FieldLink> {problem}.
            </p>
            <p className="text-sm text-ink-2">{remedy}</p>
          </li>
        ))}
      </ul>
    </div>
  )
}
