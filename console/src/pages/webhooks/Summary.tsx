// A webhook in two lines: its URL, its campaign, and its events.

import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { Webhook } from '../../../generated/types.gen'
import { campaignsQuery } from '../../api/queries'
import { plural } from '../../lib/format'
import { CopyButton } from '../../ui/inputs/Copy'

export function Summary({ webhook }: { webhook: Webhook }) {
  const { url, campaignId, eventTypes, numbers } = webhook
  const { data } = useQuery(campaignsQuery)
  const campaign = data?.campaigns.find(({ id }) => id === campaignId)
  return (
    <div className="-mt-3 text-ink-2">
      <p className="wrap-anywhere">
        {url} <CopyButton text={url} label="URL" />
      </p>
      <p className="text-sm wrap-anywhere">
        <Link
          to="/webhooks"
          search={{ campaign: campaignId }}
          className="text-accent-ink underline"
        >
          {campaign?.displayName || campaignId}
        </Link>{' '}
        · {eventTypes.join(', ')} · {plural(numbers.length, 'number')}
      </p>
    </div>
  )
}
