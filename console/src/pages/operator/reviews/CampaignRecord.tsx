// A campaign as its reviewer sees it: pre-check findings, changes, fields with notes, the limits it would get, and
// the decision. After the decision, the operator manages it here.

import { useQuery } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import { TriangleAlert } from 'lucide-react'
import type { OperatorGetCampaignReply } from '../../../../generated/types.gen'
import { reviewedCampaignQuery } from '../../../api/operator-queries'
import { formatCount, formatMoney, plural } from '../../../lib/format'
import { useDraft } from '../../../lib/use-draft'
import { Badge } from '../../../ui/display/Badge'
import { brandState, campaignState } from '../../../ui/display/states'
import { ErrorNotice } from '../../../ui/feedback/Notice'
import { Skeleton } from '../../../ui/layout/Page'
import { Decision } from './Decision'
import { campaignFields } from './fields'
import { ManageCampaign } from './ManageCampaign'
import { type Notes, RecordFields } from './RecordFields'
import { RecordFrame } from './RecordFrame'

export function CampaignRecord() {
  const { id } = useParams({ from: '/operator/reviews/campaign/$id' })
  const { data, error, refetch } = useQuery(reviewedCampaignQuery(id))
  if (error) {
    return (
      <ErrorNotice
        error={error}
        hint="The campaign could not be loaded. Your notes are saved in this browser."
        onRetry={() => void refetch()}
      />
    )
  }
  if (!data) return <Skeleton rows={12} />
  return <CampaignReview key={id} reply={data} />
}

function CampaignReview({
  reply: { campaign, brand, review },
}: {
  reply: OperatorGetCampaignReply
}) {
  const [notes, setNotes, draft] = useDraft<Notes>(`review-${campaign.id}`, {})
  const isPending = campaign.status === 'PENDING'
  const { smsTpmAtt, mmsTpmAtt, dailyTmoCap } = review.limitsOnApproval
  const limits = [smsTpmAtt, mmsTpmAtt, dailyTmoCap].map(describeLimit).join(' / ')
  const fee = formatMoney(review.monthlyFeeOnApproval / 100)
  const isReady = brand.status === 'VERIFIED' || brand.status === 'VETTED'
  return (
    <RecordFrame
      id={campaign.id}
      name={campaign.displayName || campaign.id}
      state={campaignState(campaign)}
      accountId={campaign.accountId}
      review={review}
      meta={<span className="font-mono text-sm text-ink-2">{campaign.usecase}</span>}
    >
      <p className="mb-3 flex flex-wrap items-center gap-2">
        <span className="text-sm text-ink-2">Brand</span>
        <Link
          to="/operator/reviews/brand/$id"
          params={{ id: brand.id }}
          className="max-w-full truncate text-accent-ink underline"
          dir="auto"
        >
          {brand.displayName || brand.entityName}
        </Link>
        <Badge state={brandState(brand)} />
      </p>
      {isPending ? <Findings count={review.warnings.length} /> : null}
      <RecordFields
        fields={campaignFields(campaign)}
        warnings={isPending ? review.warnings : []}
        lastReturn={isPending ? review.lastReturn : null}
        notes={notes}
        onNote={isPending ? (field, note) => setNotes({ ...notes, [field]: note }) : null}
      />
      {isPending ? (
        <>
          <p className="mt-3">
            <span className="text-sm text-ink-2">Limits on approval: </span>
            {limits}
            <span className="text-sm text-ink-2">
              {' '}
              (AT&T SMS and MMS per minute, T-Mobile per day, in segments)
            </span>
          </p>
          <Decision
            kind="campaign"
            id={campaign.id}
            name={campaign.displayName}
            notes={notes}
            meaning={`Approve with limits ${limits} and ${fee}/month? The first month is already paid.`}
            blocked={!isReady && <BrandFirst id={brand.id} status={brand.status} />}
            onDecided={draft.clear}
          />
        </>
      ) : (
        <ManageCampaign campaign={campaign} />
      )}
    </RecordFrame>
  )
}

function describeLimit(limit: number | null): string {
  return limit === null ? 'no limit' : formatCount(limit)
}

function Findings({ count }: { count: number }) {
  return (
    <p
      className={`mb-3 flex items-center gap-1.5 text-sm ${count > 0 ? 'text-warn-ink' : 'text-ok-ink'}`}
    >
      {count > 0 ? <TriangleAlert size={14} aria-hidden="true" /> : null}
      Pre-check:{' '}
      {count === 0 ? 'no findings' : `${plural(count, 'finding')}, shown next to the fields`}
    </p>
  )
}

function BrandFirst({ id, status }: { id: string; status: string }) {
  return (
    <p>
      The brand is {status}. Its campaigns wait for it.{' '}
      <Link to="/operator/reviews/brand/$id" params={{ id }} className="text-accent-ink underline">
        Review the brand first
      </Link>
    </p>
  )
}
