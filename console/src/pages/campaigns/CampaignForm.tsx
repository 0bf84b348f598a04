// The campaign form: one page, four sections, the pre-check next to them, the price on the button. A returned
// campaign is resubmitted without a second fee.

import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import type { FormEvent, ReactNode } from 'react'
import type { Brand, Campaign, ReviewNote } from '../../../generated/types.gen'
import { campaignQuery } from '../../api/registry-queries'
import { ApiFailure, request } from '../../api/request'
import { useSession } from '../../api/session'
import { formatMoney, plural } from '../../lib/format'
import { useAct } from '../../lib/use-act'
import { ApiRequestButton } from '../../ui/display/ApiRequest'
import { Badge } from '../../ui/display/Badge'
import { campaignState } from '../../ui/display/states'
import { Notice } from '../../ui/feedback/Notice'
import { Button } from '../../ui/inputs/Button'
import { Page } from '../../ui/layout/Page'
import { FormEnd } from '../registry/FormEnd'
import { ProblemList } from '../registry/fields'
import { NoteList } from '../registry/NoteList'
import { type Form, useForm } from '../registry/use-form'
import { EXAMPLE_BRAND, exampleCampaign } from '../start/example'
import { CampaignFields } from './CampaignFields'
import {
  blankCampaign,
  CAMPAIGN_LABELS,
  type CampaignValues,
  campaignBody,
  campaignProblems,
  draftProblems,
  valuesOfCampaign,
} from './campaign-values'
import { PreCheck } from './PreCheck'
import { describeCreation, useCampaignPrices } from './prices'
import { TooLittle } from './TooLittle'

const submitCampaign = async (key: string, campaign: Campaign | null, values: CampaignValues) => {
  const body = campaignBody(values)
  if (!campaign) {
    return request('POST /v1/campaign/create', { body, key })
  }
  // Updating twice has the same effect as once. Only the submission, which can cost, needs the key.
  const path = { id: campaign.id }
  await request('PATCH /v1/campaign/{id}', { path, body })
  return request('POST /v1/campaign/{id}/submit', { path, key })
}

const saveCampaign = (key: string, campaign: Campaign | null, values: CampaignValues) => {
  const body = campaignBody(values)
  return campaign
    ? request('PATCH /v1/campaign/{id}', { path: { id: campaign.id }, body })
    : request('POST /v1/campaign/draft', { body, key })
}

/** Sub use cases are edited in the use case field. */
function notesOf(campaign: Campaign | null): ReviewNote[] {
  return (campaign?.reviewNotes ?? []).map(({ field, note }) => ({
    field: field === 'subUsecases' ? 'usecase' : field,
    note,
  }))
}

interface CampaignFormProps {
  /** Null: a new campaign. */
  campaign: Campaign | null
  /** Brands that a campaign can belong to. */
  brands: readonly Brand[]
  brandId: string
}

export function CampaignForm({ campaign, brands, brandId }: CampaignFormProps) {
  const navigate = useNavigate()
  const client = useQueryClient()
  const asks = useSession().asks.campaign
  // Someone who comes back to the form finds what was saved, not what was read before.
  const open = (campaign: Campaign) => {
    client.setQueryData(campaignQuery(campaign.id).queryKey, { campaign })
    void navigate({ to: '/campaigns/$id', params: { id: campaign.id } })
  }
  const submit = useAct((key, values: CampaignValues) => submitCampaign(key, campaign, values), {
    onDone: (reply) => {
      form.clear()
      open(reply.campaign)
    },
  })
  const save = useAct((key, values: CampaignValues) => saveCampaign(key, campaign, values), {
    onDone: (reply) => {
      form.draft.clear()
      open(reply.campaign)
    },
  })
  const notes = notesOf(campaign)
  const form = useForm({
    name: campaign ? `campaign-${campaign.id}` : 'campaign-new',
    initial: campaign ? valuesOfCampaign(campaign) : blankCampaign(brandId),
    notes,
    labels: CAMPAIGN_LABELS,
    findProblems: (values) => campaignProblems(values, asks),
    failure: submit.error ?? save.error,
  })
  const press = (event: FormEvent) => {
    event.preventDefault()
    save.reset()
    if (form.check()) submit.run(form.values)
  }
  const keep = () => {
    submit.reset()
    if (form.check(draftProblems)) save.run(form.values)
  }
  return (
    <Page
      title={campaign ? campaign.displayName : 'New campaign'}
      meta={campaign ? <Badge state={campaignState(campaign)} /> : null}
      actions={<Actions form={form} campaign={campaign} brands={brands} />}
    >
      <form
        noValidate
        onSubmit={press}
        className="grid items-start gap-4 lg:grid-cols-[minmax(0,1fr)_18rem]"
      >
        <div className="flex min-w-0 flex-col gap-4">
          {notes.length > 0 ? (
            <Notice tone="warn" title={`${plural(notes.length, 'note')} from the reviewer`}>
              Change the marked fields, then resubmit at no extra cost.
              <NoteList
                notes={notes.filter(({ field }) => !(field in form.values))}
                labels={CAMPAIGN_LABELS}
              />
            </Notice>
          ) : null}
          <ProblemList problems={form.problems} attempts={form.attempts} />
          <CampaignFields form={form} brands={brands} />
        </div>
        <div className="lg:row-span-2 lg:h-full">
          <PreCheck values={form.values} />
        </div>
        <Ending
          form={form}
          campaign={campaign}
          error={submit.error ?? save.error}
          isBusy={submit.isBusy}
          onAnyway={() => form.check() && submit.run(form.values)}
        >
          <Button onClick={keep} busy={save.isBusy && 'Saving…'}>
            Save draft
          </Button>
        </Ending>
      </form>
    </Page>
  )
}

interface EndingProps {
  form: Form<CampaignValues>
  campaign: Campaign | null
  error: Error | null
  isBusy: boolean
  onAnyway: () => void
  children: ReactNode
}

function Ending({ form, campaign, error, isBusy, onAnyway, children }: EndingProps) {
  const prices = useCampaignPrices()
  const isReturned = (campaign?.reviewNotes.length ?? 0) > 0
  const verb = !campaign ? 'Create' : isReturned ? 'Resubmit' : 'Submit'
  const openNotes = form.openNotes.length
  const isTooLittle = error instanceof ApiFailure && error.status === 402
  return (
    <FormEnd
      form={form}
      labels={CAMPAIGN_LABELS}
      onAnyway={onAnyway}
      error={error}
      hint={isTooLittle ? <TooLittle cost={prices?.creation ?? null} /> : null}
      after={
        <p className="max-w-prose text-sm text-ink-2">
          {isReturned
            ? 'No extra cost.'
            : 'Charged now. If your campaign is returned, fix it and resubmit at no extra cost.'}{' '}
          {prices
            ? `${formatMoney(prices.monthly)}/month from the first renewal after approval.`
            : null}
        </p>
      }
    >
      {children}
      <Button
        look="filled"
        type="submit"
        busy={isBusy && 'Submitting…'}
        blocked={
          openNotes > 0
            ? `${plural(openNotes, 'note')} not addressed yet`
            : !prices && 'Loading price…'
        }
      >
        {verb} campaign{isReturned ? ' · free' : describeCreation(prices)}
      </Button>
    </FormEnd>
  )
}

interface ActionsProps {
  form: Form<CampaignValues>
  campaign: Campaign | null
  brands: readonly Brand[]
}

function Actions({ form, campaign, brands }: ActionsProps) {
  const { mode } = useSession()
  const body = campaignBody(form.values)
  const brand = brands.find(({ id }) => id === form.values.brandId) ?? brands[0]
  const fill = () => {
    const { usecase, ...example } = exampleCampaign(brand ?? EXAMPLE_BRAND)
    form.set({ ...example, usecase: [usecase], brandId: brand?.id ?? '' })
  }
  return (
    <>
      {form.draft.isKept ? (
        <span className="text-sm text-ink-2">Draft saved in this browser</span>
      ) : null}
      {!campaign && mode === 'sandbox' ? (
        <Button onClick={fill}>Fill with example data</Button>
      ) : null}
      <ApiRequestButton
        request={
          campaign
            ? { method: 'PATCH', path: `/v1/campaign/${campaign.id}`, body }
            : { method: 'POST', path: '/v1/campaign/create', body }
        }
      />
    </>
  )
}
