// The first tab of a campaign: current use of its limits, its registration, and its cost.

import { useQuery } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import type { Campaign } from '../../../generated/types.gen'
import { brandQuery, campaignNumbersQuery, campaignQuery } from '../../api/registry-queries'
import { formatMoney, plural } from '../../lib/format'
import { Badge } from '../../ui/display/Badge'
import { brandState } from '../../ui/display/states'
import { Time } from '../../ui/display/Time'
import { Card } from '../../ui/layout/Page'
import { Facts } from '../registry/Facts'
import { Outside } from '../registry/Outside'
import { describeUsecase, SAMPLES } from './campaign-values'
import { LimitsCard } from './Limits'

export function CampaignOverview() {
  const { id } = useParams({ from: '/shell/campaigns/$id' })
  const { data } = useQuery(campaignQuery(id))
  if (!data) return null
  return (
    <div className="grid items-start gap-4 lg:grid-cols-2">
      <LimitsCard campaign={data.campaign} />
      <Card title="Registration">
        <Registration campaign={data.campaign} />
      </Card>
      <Card title="Reviewed content" className="lg:col-span-2">
        <Reviewed campaign={data.campaign} />
      </Card>
    </div>
  )
}

function Registration({ campaign }: { campaign: Campaign }) {
  const { data } = useQuery(brandQuery(campaign.brandId))
  const brand = data?.brand
  const isUnvetted = brand?.status === 'VERIFIED' && !campaign.limitsSetByOperator
  return (
    <>
      <Facts
        facts={[
          [
            'Brand',
            brand ? (
              <span key="brand" className="flex flex-wrap items-center gap-2">
                <Link
                  to="/brands/$id"
                  params={{ id: brand.id }}
                  dir="auto"
                  className="text-accent-ink underline wrap-anywhere"
                >
                  {brand.displayName}
                </Link>
                <Badge state={brandState(brand)} />
              </span>
            ) : (
              ''
            ),
          ],
          ['Use case', describeUsecase(campaign)],
          ['Limits', describeLimit(campaign, brand?.trustScore)],
          ['Renewal', <Renewal key="renewal" campaign={campaign} />],
          ['Created', <Time key="created" at={campaign.createdAt} />],
          ['Updated', <Time key="changed" at={campaign.updatedAt} />],
        ]}
      />
      {isUnvetted && !campaign.isLowVolume ? (
        <p className="mt-3 text-sm text-ink-2">
          Vetting the brand raises T-Mobile’s daily cap to 10,000–200,000, depending on its score.
          Ask your operator.
        </p>
      ) : null}
    </>
  )
}

function describeLimit(campaign: Campaign, score: number | undefined): string {
  const { limitsSetByOperator, isLowVolume, renewsAt } = campaign
  if (renewsAt === null) return 'Assigned on approval'
  if (limitsSetByOperator) return 'Set by your operator'
  if (isLowVolume) return 'Low volume'
  return score === undefined
    ? 'Default, brand not vetted'
    : `Based on the brand’s trust score (${score})`
}

function Renewal({ campaign }: { campaign: Campaign }) {
  const { data } = useQuery(campaignNumbersQuery(campaign.id))
  const { renewsAt, monthlyFee, status } = campaign
  if (status === 'ENDED') return 'None'
  if (renewsAt === null || monthlyFee === null) return 'Starts on approval'
  const numbers = data?.numbers ?? []
  const rent = numbers.reduce((sum, { monthlyPrice }) => sum + monthlyPrice, 0)
  return (
    <>
      <Time at={renewsAt} form="since" />: {formatMoney(monthlyFee / 100)}
      {numbers.length > 0
        ? `, plus ${formatMoney(rent)} for ${plural(numbers.length, 'number')}`
        : ''}
    </>
  )
}

function Reviewed({ campaign: { details } }: { campaign: Campaign }) {
  const samples = SAMPLES.flatMap((name) => (details[name] ? [details[name]] : []))
  return (
    <div className="grid items-start gap-x-6 gap-y-4 lg:grid-cols-2">
      <Facts
        facts={[
          ['Description', details.description],
          ['Consent flow', details.consentFlow],
          ['Screenshot', <Outside key="screenshot" address={details.screenshotUrl ?? ''} />],
        ]}
      />
      <div className="flex flex-col gap-2">
        <p className="text-ink-2">
          {samples.length === 0 ? 'No samples' : plural(samples.length, 'sample')}
        </p>
        {samples.map((sample) => (
          <p
            key={sample}
            dir="auto"
            className="max-w-full self-start rounded-lg bg-bubble-in px-3 py-2 wrap-anywhere whitespace-pre-wrap"
          >
            {sample}
          </p>
        ))}
      </div>
    </div>
  )
}
