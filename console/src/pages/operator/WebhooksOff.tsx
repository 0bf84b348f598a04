// Disabled webhooks of all accounts: why and since when, and how to enable them again.

import { useInfiniteQuery } from '@tanstack/react-query'
import { Link, useSearch } from '@tanstack/react-router'
import type { DisabledWebhook } from '../../../generated/types.gen'
import { webhooksOffQuery } from '../../api/operator-queries'
import { request } from '../../api/request'
import { useAct } from '../../lib/use-act'
import { ApiRequestButton } from '../../ui/display/ApiRequest'
import { ListCard } from '../../ui/display/ListCard'
import { Time } from '../../ui/display/Time'
import { ErrorNotice } from '../../ui/feedback/Notice'
import { toast } from '../../ui/feedback/Toast'
import { Button, ButtonLink } from '../../ui/inputs/Button'
import { Id } from '../../ui/inputs/Copy'
import { Empty, Page } from '../../ui/layout/Page'

export function WebhooksOff() {
  const { account } = useSearch({ from: '/operator/webhooks' })
  const list = useInfiniteQuery(webhooksOffQuery(account))
  return (
    <Page
      title="Disabled webhooks"
      actions={
        <ApiRequestButton
          request={{ method: 'GET', path: '/operator/v1/webhook/list', query: { account } }}
        />
      }
    >
      <ListCard
        list={list}
        rows={list.data?.pages.flatMap(({ webhooks }) => webhooks)}
        loading={{ rows: 4, height: 56 }}
        filters={
          account ? (
            <p className="mb-3 flex flex-wrap items-center gap-2 text-ink-2">
              Only account <Id id={account} />
              <ButtonLink look="quiet" to="/operator/webhooks" search={{}}>
                Clear filters
              </ButtonLink>
            </p>
          ) : null
        }
        empty={
          <Empty title="No disabled webhooks">
            Webhooks are listed here if their owner disables them, if every delivery fails for five
            days, or if their endpoint returns 410 Gone.
          </Empty>
        }
      >
        {(webhooks) => (
          <ul className="divide-y divide-line">
            {webhooks.map((webhook) => (
              <Line key={webhook.id} webhook={webhook} />
            ))}
          </ul>
        )}
      </ListCard>
    </Page>
  )
}

function Line({ webhook }: { webhook: DisabledWebhook }) {
  const { id, name, url, disabledReason, updatedAt, accountId, campaignId } = webhook
  const enable = useAct(
    (key) => request('POST /operator/v1/webhook/{id}/enable', { path: { id }, key }),
    {
      onDone: () => toast('Webhook enabled. Its owner can recover the held events.'),
    },
  )
  return (
    <li className="flex flex-wrap items-center gap-x-4 gap-y-2 p-3">
      <div className="min-w-0 flex-1 basis-80">
        <p className="truncate font-medium" dir="auto" title={url}>
          {name ? `${name} · ${url}` : url}
        </p>
        <p className="text-sm text-ink-2">
          {disabledReason ?? 'Disabled by its owner'} · <Time at={updatedAt} />
        </p>
        <p className="flex flex-wrap items-center gap-x-4 text-sm text-ink-2">
          <Link
            to="/operator/accounts/$id"
            params={{ id: accountId }}
            className="text-accent-ink underline"
          >
            Account
          </Link>
          <Link
            to="/operator/reviews/campaign/$id"
            params={{ id: campaignId }}
            className="text-accent-ink underline"
          >
            Campaign
          </Link>
          <Id id={id} />
        </p>
        {enable.error ? <ErrorNotice error={enable.error} isAnswer /> : null}
      </div>
      <Button onClick={() => enable.run()} busy={enable.isBusy && 'Enabling…'}>
        Enable
      </Button>
    </li>
  )
}
