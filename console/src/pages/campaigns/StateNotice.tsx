// The status of a campaign in a sentence: what it waits for, why it is stopped, and what resumes it.

import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { Campaign } from '../../../generated/types.gen'
import { accountQuery } from '../../api/queries'
import { brandQuery, endPreviewQuery } from '../../api/registry-queries'
import { useSession } from '../../api/session'
import { describeBrand } from '../../lib/describe-status'
import { formatMoney, plural } from '../../lib/format'

import { reviewPace } from '../../lib/sandbox'
import { useServiceNow } from '../../lib/service-time'
import { Time } from '../../ui/display/Time'
import { Notice } from '../../ui/feedback/Notice'
import { NoteList } from '../registry/NoteList'
import { CAMPAIGN_LABELS } from './campaign-values'

export function StateNotice({ campaign }: { campaign: Campaign }) {
  const { status, reviewNotes, graceUntil } = campaign
  switch (status) {
    case 'DRAFT':
      return reviewNotes.length > 0 ? <Returned campaign={campaign} /> : <Draft />
    case 'PENDING':
      return <Pending campaign={campaign} />
    case 'SUSPENDED':
      return <Suspended campaign={campaign} />
    case 'ENDED':
      return <Ended campaign={campaign} />
    default:
      return graceUntil ? <Unpaid campaign={campaign} graceUntil={graceUntil} /> : null
  }
}

function Draft() {
  return (
    <Notice
      tone="go"
      title="Draft. When you submit it, the creation fee is charged and the review starts."
    />
  )
}

function Returned({ campaign: { reviewNotes } }: { campaign: Campaign }) {
  return (
    <Notice
      tone="warn"
      title={`Returned by the reviewer with ${plural(reviewNotes.length, 'note')}. Fix and resubmit at no extra cost.`}
    >
      <NoteList notes={reviewNotes} labels={CAMPAIGN_LABELS} />
    </Notice>
  )
}

function Pending({ campaign }: { campaign: Campaign }) {
  const session = useSession()
  const { data } = useQuery(brandQuery(campaign.brandId))
  const brand = data?.brand
  const isVerified = brand?.status === 'VERIFIED' || brand?.status === 'VETTED'
  const pace = reviewPace(session)
  return (
    <Notice tone="go" title="In review">
      {!brand ? null : isVerified ? (
        <>Waiting for the reviewer. {pace}</>
      ) : (
        <>
          Waiting for brand verification.{' '}
          <Link
            to="/brands/$id"
            params={{ id: brand.id }}
            className="text-accent-ink underline wrap-anywhere"
          >
            {describeBrand(brand.status, brand.displayName)}
          </Link>{' '}
          {brand.status === 'UNVERIFIED' ? 'Fix it to continue the review.' : ''}
        </>
      )}
    </Notice>
  )
}

const GRACE_DAYS = 7

function Unpaid({ campaign, graceUntil }: { campaign: Campaign; graceUntil: string }) {
  const owed = useOwed(campaign.id)
  const leftS = (Date.parse(graceUntil) - useServiceNow().getTime()) / 1000
  const days = Math.ceil(leftS / 86_400)
  return (
    <Notice tone="warn" title={`Renewal unpaid${owed === null ? '' : `: ${formatMoney(owed)}`}`}>
      The renewal is charged automatically once the balance covers it. The campaign runs until{' '}
      <Time at={graceUntil} form="since" />
      {leftS > 0 ? ` (${days} of ${GRACE_DAYS} grace days left)` : ''}, then it is suspended.
    </Notice>
  )
}

function Suspended({ campaign }: { campaign: Campaign }) {
  const owed = useOwed(campaign.id)
  if (campaign.suspendedFor === 'registry') {
    return (
      <Notice tone="bad" title="Suspended by The Campaign Registry">
        It can’t send messages and resumes automatically when the suspension is lifted. Ask your
        operator for the reason.
      </Notice>
    )
  }
  if (campaign.suspendedFor !== 'renewal') {
    return (
      <Notice tone="bad" title="Suspended by your operator">
        It can’t send messages. Only your operator can resume it.
      </Notice>
    )
  }
  return (
    <Notice
      tone="bad"
      title={`Suspended: renewal unpaid${owed === null ? '' : ` (${formatMoney(owed)})`}`}
    >
      It resumes automatically once the balance covers the renewal.
    </Notice>
  )
}

/** The amount due. Null until it is known. */
function useOwed(campaignId: string): number | null {
  const { data } = useQuery(accountQuery)
  const notice = data?.notices.find(
    (one) => one.kind === 'renewal_unpaid' && one.campaignId === campaignId,
  )
  return notice?.owed ?? null
}

function Ended({ campaign: { id, endedAt } }: { campaign: Campaign }) {
  const { data } = useQuery(endPreviewQuery(id, ''))
  return (
    <Notice
      tone="go"
      title={
        <>
          Ended
          {endedAt ? (
            <>
              {' '}
              <Time at={endedAt} form="when" />
            </>
          ) : null}
          . This cannot be undone.
        </>
      }
    >
      {data?.ending?.sentences.map((sentence) => (
        <p key={sentence}>{sentence}</p>
      ))}
    </Notice>
  )
}
