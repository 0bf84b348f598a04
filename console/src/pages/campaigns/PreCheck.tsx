// Checks a campaign for known reasons of rejection while it is typed, free of charge, so nobody pays the fee for a
// campaign that would be returned.

import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { CircleCheck, TriangleAlert } from 'lucide-react'
import type { CampaignWarning } from '../../../generated/types.gen'
import { checkQuery } from '../../api/registry-queries'
import { ApiFailure } from '../../api/request'
import { useSession } from '../../api/session'
import { fieldName } from '../../lib/field-name'
import { useSettled } from '../../lib/use-settled'
import { ErrorNotice } from '../../ui/feedback/Notice'
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
        Checks your campaign as you type for common reasons it would be returned. Free.
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
      <p>Required:</p>
      <ul className="mt-1 flex flex-col gap-1">
        {fields.map((field) => (
          <li key={field}>
            <FieldLink name={field}>{CAMPAIGN_LABELS[field] ?? fieldName(field)}</FieldLink>
          </li>
        ))}
      </ul>
    </div>
  )
}

/** Errors of the service, shown here at once and at the field when the form is submitted. */
function Refused({ error, onRetry }: { error: Error; onRetry: () => void }) {
  const details = error instanceof ApiFailure ? error.details : []
  if (details.length === 0) {
    return <ErrorNotice error={error} hint="You can still create the campaign." onRetry={onRetry} />
  }
  return (
    <ul className="flex flex-col gap-1">
      {details.map(({ field, problem }) => (
        <li key={field} className="wrap-anywhere">
          <FieldLink name={field}>{CAMPAIGN_LABELS[field] ?? fieldName(field)}</FieldLink> {problem}
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
          ? 'No problems found.'
          : `A reviewer is likely to flag ${count === 1 ? '1 item' : `${count} items`}`}
        {isChecking ? <span aria-hidden="true"> …</span> : null}
      </p>
      <ul className="mt-2 flex flex-col gap-3">
        {warnings.map(({ field, problem, remedy }) => (
          <li key={`${field} ${problem}`} className="wrap-anywhere">
            <p>
              <FieldLink name={field}>{CAMPAIGN_LABELS[field] ?? fieldName(field)}</FieldLink>{' '}
              {problem}.
            </p>
            <p className="text-sm text-ink-2">{remedy}</p>
          </li>
        ))}
      </ul>
    </div>
  )
}
