// The state of a campaign in a sentence: what it waits for, why it stands still, what brings it back.

import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { Campaign } from '../../../generated/types.gen'
import { accountQuery } from '../../api/queries'
import { brandQuery, endPreviewQuery } from '../../api/registry-queries'
import { useSession } from '../../api/session'
import { formatMoney, plural } from '../../lib/format'
import { formatDuration } from '../../lib/format-time'
import { reviewPace } from '../../lib/sandbox'
import { useServiceNow } from '../../lib/service-time'
import { Notice } from '../../ui/Notice'
import { Time } from '../../ui/Time'
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
      title="A draft: nobody reads it, and nothing is charged, before you submit it."
    />
  )
}

function Returned({ campaign: { reviewNotes } }: { campaign: Campaign }) {
  return (
    <Notice
      tone="warn"
      title={`Returned by the reviewer. ${plural(reviewNotes.length, 'note')}. Fix and resubmit; no second fee.`}
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
    <Notice tone="go" title="In review.">
      {!brand ? null : isVerified ? (
        <>Waiting for: the reviewer. {pace}</>
      ) : (
        <>
          Waiting for: brand verification.{' '}
          <Link
            to="/brands/$id"
            params={{ id: brand.id }}
            className="text-accent-ink underline wrap-anywhere"
          >
            {brand.displayName}
          </Link>{' '}
          is {brand.status.toLowerCase()}
          {brand.status === 'UNVERIFIED' ? ': fix it, and the review goes on.' : '.'}
        </>
      )}
    </Notice>
  )
}

const GRACE_DAYS = 7

function Unpaid({ campaign, graceUntil }: { campaign: Campaign; graceUntil: string }) {
  const owed = useOwed(campaign.id)
  const leftS = (Date.parse(graceUntil) - useServiceNow().getTime()) / 1000
  const days = Math.max(0, Math.ceil(leftS / 86_400))
  return (
    <Notice
      tone="warn"
      title={`The renewal${owed === null ? '' : ` of ${formatMoney(owed)}`} was not paid.`}
    >
      It is taken by itself when the balance covers it. Until <Time at={graceUntil} /> the campaign
      goes on: {leftS > 0 ? `${days} of ${GRACE_DAYS} grace days left` : formatDuration(0)}. Then it
      is suspended.
    </Notice>
  )
}

function Suspended({ campaign }: { campaign: Campaign }) {
  const owed = useOwed(campaign.id)
  if (campaign.suspendedFor === 'registry') {
    return (
      <Notice tone="bad" title="Suspended by the registry of the carriers.">
        Nothing is sent from it. It comes back by itself when they lift it: the operator can ask
        why.
      </Notice>
    )
  }
  if (campaign.suspendedFor !== 'renewal') {
    return (
      <Notice tone="bad" title="Suspended by the operator.">
        Nothing is sent from it. Only the operator can bring it back: ask them.
      </Notice>
    )
  }
  return (
    <Notice
      tone="bad"
      title={`Suspended: the renewal${owed === null ? '' : ` of ${formatMoney(owed)}`} was not paid.`}
    >
      It comes back by itself when the balance covers it.
    </Notice>
  )
}

/** What would settle it; null until it is known. */
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
          Ended{' '}
          {endedAt ? (
            <>
              (<Time at={endedAt} />)
            </>
          ) : null}
          . It never comes back.
        </>
      }
    >
      {data?.ending?.sentences.map((sentence) => (
        <p key={sentence}>{sentence}</p>
      ))}
    </Notice>
  )
}
