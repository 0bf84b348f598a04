// Buying a number: for which campaign, in which area code, and what it costs until the campaign renews.

import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import type { Campaign } from '../../generated/types.gen'
import { accountQuery, campaignsQuery, searchNumbersQuery } from '../api/queries'
import { ApiFailure } from '../api/request'
import { isCanadianCode } from '../lib/canada'
import { describeCampaign } from '../lib/describe-status'
import { floorMoney } from '../lib/format'
import type { BuySearch } from '../routes/account'
import { ApiRequestButton } from '../ui/display/ApiRequest'
import { campaignState } from '../ui/display/states'
import { ErrorNotice } from '../ui/feedback/Notice'
import { ButtonLink } from '../ui/inputs/Button'
import { Checkbox, Field, Input, Select } from '../ui/inputs/Field'
import { Card, Empty, Page, Skeleton } from '../ui/layout/Page'
import { ForSale } from './numbers/ForSale'

const SHOWN = 20

export function BuyNumber() {
  const query = useSearch({ from: '/shell/numbers/buy' })
  const campaigns = useQuery(campaignsQuery)
  const all = (campaigns.data?.campaigns ?? []).filter(({ status }) => status !== 'ENDED')
  const campaign = query.campaign
    ? all.find(({ id }) => id === query.campaign)
    : (all.find(({ status }) => status === 'ACTIVE') ?? all[0])
  const search = searchOf(query, campaign)
  return (
    <Page
      title="Buy a number"
      meta={<Balance />}
      actions={
        <>
          <ApiRequestButton
            request={{ method: 'GET', path: '/v1/number/search', query: { ...search } }}
          />
          <ButtonLink to="/numbers">Your numbers</ButtonLink>
        </>
      }
    >
      {campaigns.error ? (
        <ErrorNotice error={campaigns.error} onRetry={() => void campaigns.refetch()} />
      ) : !campaigns.data ? (
        <Card>
          <Skeleton rows={6} />
        </Card>
      ) : campaign ? (
        <Shop campaign={campaign} campaigns={all} query={query} />
      ) : (
        <NoCampaign isUnknown={query.campaign !== undefined} />
      )}
    </Page>
  )
}

function searchOf({ areaCode, nearby }: BuySearch, campaign: Campaign | undefined) {
  return {
    areaCode: areaCode === undefined ? '' : String(areaCode),
    limit: SHOWN,
    campaign: campaign?.id,
    ...(nearby === false && { nearby }),
  }
}

function Balance() {
  const { data } = useQuery(accountQuery)
  if (!data) return null
  return <span className="text-ink-2">Balance {floorMoney(data.account.balance)}</span>
}

function NoCampaign({ isUnknown }: { isUnknown: boolean }) {
  return (
    <Card>
      <Empty
        title={isUnknown ? 'Campaign not found' : 'No campaigns yet'}
        actions={
          isUnknown ? (
            <ButtonLink look="filled" to="/numbers/buy" search={{}}>
              Choose another
            </ButtonLink>
          ) : (
            <ButtonLink look="filled" to="/campaigns/new">
              Create campaign
            </ButtonLink>
          )
        }
      >
        You need an active campaign to buy a number.
      </Empty>
    </Card>
  )
}

interface ShopProps {
  campaign: Campaign
  campaigns: readonly Campaign[]
  query: BuySearch
}

function Shop({ campaign, campaigns, query }: ShopProps) {
  const search = useQuery({
    ...searchNumbersQuery(searchOf(query, campaign)),
    enabled: campaign.status === 'ACTIVE',
  })
  const failure = search.error instanceof ApiFailure ? search.error : null
  const fieldProblem = failure?.details.find(({ field }) => field === 'areaCode')?.problem ?? null
  return (
    <Card className="max-w-200">
      <SearchForm campaign={campaign} campaigns={campaigns} query={query} problem={fieldProblem} />
      <div className="mt-4 min-h-60 border-t border-line">
        {campaign.status !== 'ACTIVE' ? (
          <NotActive campaign={campaign} />
        ) : search.data && !search.error ? (
          <ForSale
            key={campaign.id}
            campaign={campaign.id}
            areaCode={query.areaCode ?? null}
            found={search.data}
            onSearch={() => void search.refetch()}
          />
        ) : failure?.code === 'numbers_none' ? (
          <NoneFound {...query} />
        ) : fieldProblem ? null : search.error ? (
          <div className="pt-4">
            <ErrorNotice error={search.error} onRetry={() => void search.refetch()} />
          </div>
        ) : (
          <Skeleton rows={6} height={48} />
        )}
      </div>
    </Card>
  )
}

function NotActive({ campaign }: { campaign: Campaign }) {
  return (
    <Empty title="You need an active campaign to buy a number">
      <Link to="/campaigns/$id" params={{ id: campaign.id }} className="text-accent-ink underline">
        {describeCampaign(campaign.status, campaign.displayName || campaign.id)}
      </Link>
    </Empty>
  )
}

function NoneFound({ areaCode, nearby }: BuySearch) {
  if (areaCode === undefined) {
    return (
      <Empty title="No numbers found">No numbers are for sale right now. Ask your operator.</Empty>
    )
  }
  if (isCanadianCode(areaCode)) {
    return (
      <Empty title="No numbers found">
        {areaCode} is a Canadian area code. Campaigns of US brands send from US numbers.
      </Empty>
    )
  }
  return (
    <Empty title="No numbers found">
      {nearby === false
        ? `No numbers for sale in ${areaCode}. Try another area code, or include nearby ones.`
        : `No numbers for sale in or near ${areaCode}. Try another area code, or leave it empty.`}
    </Empty>
  )
}

interface SearchFormProps extends ShopProps {
  problem: string | null
}

function SearchForm({ campaign, campaigns, query, problem }: SearchFormProps) {
  const navigate = useNavigate({ from: '/numbers/buy' })
  const [areaCode, setAreaCode] = useState(String(query.areaCode ?? ''))
  useEffect(() => setAreaCode(String(query.areaCode ?? '')), [query.areaCode])
  const go = (search: BuySearch) => void navigate({ search, replace: true })
  const type = (text: string) => {
    const digits = text.replace(/\D/g, '').slice(0, 3)
    setAreaCode(digits)
    const { areaCode: _, ...others } = query
    if (digits.length === 3) go({ ...others, areaCode: Number(digits) })
    else if (digits === '') go(others)
  }
  return (
    <search className="flex flex-wrap items-end gap-x-4 gap-y-3">
      <div className="w-full sm:w-72">
        <Field label="Campaign">
          {(tied) => (
            <Select
              {...tied}
              value={campaign.id}
              options={campaigns.map((one) => ({ value: one.id, label: labelOf(one) }))}
              onChange={({ target }) => go({ ...query, campaign: target.value })}
            />
          )}
        </Field>
      </div>
      <div className="w-40">
        <Field label="Area code" isOptional>
          {(tied) => (
            <Input
              {...tied}
              aria-invalid={problem !== null}
              inputMode="numeric"
              autoComplete="off"
              maxLength={3}
              value={areaCode}
              onChange={({ target }) => type(target.value)}
            />
          )}
        </Field>
      </div>
      <div className="pb-1.5">
        <Checkbox
          label="Include nearby"
          isChecked={query.nearby !== false}
          onChange={(isOn) => go(withNearby(query, isOn))}
        />
      </div>
      <p role="status" className="w-full text-sm text-bad-ink empty:hidden">
        {problem ? `The area code ${problem}.` : null}
      </p>
    </search>
  )
}

function labelOf(campaign: Campaign): string {
  const name = campaign.displayName || campaign.id
  return campaign.status === 'ACTIVE' ? name : `${name} (${campaignState(campaign).word})`
}

function withNearby({ nearby: _, ...rest }: BuySearch, isOn: boolean): BuySearch {
  return isOn ? rest : { ...rest, nearby: false }
}
