// A new webhook: its form, then its two secrets, which the receiver verifies with.

import { useQuery } from '@tanstack/react-query'
import { useSearch } from '@tanstack/react-router'
import type { FormEvent } from 'react'
import type { Webhook } from '../../generated/types.gen'
import { campaignsQuery } from '../api/queries'
import { request } from '../api/request'
import { webhookName } from '../lib/describe-webhook'
import { useAct } from '../lib/use-act'
import { useDraft } from '../lib/use-draft'
import { ApiRequestButton } from '../ui/display/ApiRequest'
import { ErrorNotice, Notice } from '../ui/feedback/Notice'
import { Button, ButtonLink } from '../ui/inputs/Button'
import { Field, Select } from '../ui/inputs/Field'
import { Card, Empty, Page, Skeleton } from '../ui/layout/Page'
import { LocalHint } from './webhooks/LocalHint'
import { SecretList } from './webhooks/SecretList'
import { bodyOf, type WebhookFields, WebhookForm } from './webhooks/WebhookForm'

export function NewWebhook() {
  const { campaign } = useSearch({ from: '/shell/webhooks/new' })
  const { data, error, refetch } = useQuery(campaignsQuery)
  const open = data?.campaigns.filter(({ status }) => status !== 'ENDED') ?? []
  return (
    <Page
      title="New webhook"
      actions={
        <ButtonLink to="/webhooks" search={campaign ? { campaign } : {}}>
          All webhooks
        </ButtonLink>
      }
    >
      <Card className="max-w-180">
        {error ? (
          <ErrorNotice error={error} onRetry={() => void refetch()} />
        ) : !data ? (
          <Skeleton rows={8} />
        ) : open.length === 0 ? (
          <Empty title="No campaigns yet">
            A webhook sends a campaign’s events to your URL. Create a campaign first.
          </Empty>
        ) : (
          <Form
            name={`webhook-new-${campaign ?? ''}`}
            campaigns={open}
            initialCampaign={campaign ?? open[0]!.id}
          />
        )}
      </Card>
    </Page>
  )
}

interface FormProps {
  /** The draft's name includes the campaign, so drafts of different campaigns stay apart. */
  name: string
  campaigns: readonly { id: string; displayName: string }[]
  initialCampaign: string
}

function Form({ name, campaigns, initialCampaign }: FormProps) {
  const [fields, setFields, draft] = useDraft<WebhookFields & { campaign: string }>(name, {
    campaign: initialCampaign,
    url: '',
    name: '',
    eventTypes: ['message.incoming', 'message.status', 'recipient.optout'],
    scope: 'all',
    numbers: [],
  })
  const exists = campaigns.some(({ id }) => id === fields.campaign)
  const campaignId = exists ? fields.campaign : initialCampaign
  const path = `/v1/campaign/${campaignId}/webhooks`
  const body = bodyOf(fields)
  const create = useAct(
    (key) => request('POST /v1/campaign/{id}/webhooks', { path: { id: campaignId }, body, key }),
    { onDone: draft.clear },
  )
  if (create.reply) return <Created webhook={create.reply.webhook} />
  const submit = (event: FormEvent) => {
    event.preventDefault()
    create.run()
  }
  return (
    <form onSubmit={submit} noValidate className="flex flex-col gap-4">
      <Field label="Campaign" help="A webhook sends the events of one campaign to your URL.">
        {(tied) => (
          <Select
            {...tied}
            value={campaignId}
            options={campaigns.map(({ id, displayName }) => ({
              value: id,
              label: displayName || id,
            }))}
            onChange={(event) =>
              setFields({ ...fields, campaign: event.target.value, numbers: [] })
            }
          />
        )}
      </Field>
      <WebhookForm
        campaignId={campaignId}
        fields={fields}
        onChange={(change) => setFields({ ...fields, ...change })}
        error={create.error}
      />
      <div className="flex flex-wrap items-center gap-2">
        <Button type="submit" look="filled" busy={create.isBusy && 'Creating…'}>
          Create webhook · free
        </Button>
        <ApiRequestButton request={{ method: 'POST', path, body }} />
        {draft.isKept ? (
          <span className="text-sm text-ink-3">Draft saved in this browser</span>
        ) : null}
      </div>
      <LocalHint />
    </form>
  )
}

function Created({ webhook }: { webhook: Webhook }) {
  return (
    <div className="flex flex-col gap-4">
      <Notice tone="go" title={`Webhook “${webhookName(webhook)}” created`} isAnswer>
        Use one of these to verify deliveries in your receiver. You can view both again later.
      </Notice>
      <SecretList webhook={webhook} />
      <div>
        <ButtonLink look="filled" to="/webhooks/$id" params={{ id: webhook.id }}>
          Go to webhook
        </ButtonLink>
      </div>
    </div>
  )
}
