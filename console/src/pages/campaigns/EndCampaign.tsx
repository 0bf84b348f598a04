// The end of a campaign: what will happen, in the service's own sentences, before its name is typed.

import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { EndCampaignReply } from '../../../generated/types.gen'
import { call } from '../../api/call'
import { allCampaignsQuery, endPreviewQuery } from '../../api/registry-queries'
import { plural } from '../../lib/format'
import { useAct } from '../../lib/use-act'
import { Confirm } from '../../ui/Dialog'
import { Field, Select } from '../../ui/Field'
import { ErrorNotice } from '../../ui/Notice'
import { Skeleton } from '../../ui/Page'

interface EndProps {
  id: string
  name: string
  onClose: () => void
}

export function EndCampaign({ id, name, onClose }: EndProps) {
  const [target, setTarget] = useState('')
  const { data, error, refetch } = useQuery(endPreviewQuery(id, target))
  const { data: campaigns } = useQuery(allCampaignsQuery)
  const act = useAct(
    (key) =>
      call<EndCampaignReply>('POST', `/v1/campaign/${id}/end`, {
        body: { confirm: id, ...(target && { moveNumbersTo: target }) },
        idempotencyKey: key,
      }),
    { onDone: onClose },
  )
  const others = (campaigns ?? []).filter((one) => one.status === 'ACTIVE' && one.id !== id)
  const preview = data?.preview
  // Names may have spaces that nobody sees: those are not asked for.
  const typed = name.trim().replace(/\s+/g, ' ')
  return (
    <Confirm
      title={`End ${name}?`}
      consequence={
        error ? (
          <ErrorNotice error={error} onRetry={() => void refetch()} />
        ) : preview ? (
          <ul className="flex list-disc flex-col gap-1 pl-4">
            {preview.sentences.map((sentence) => (
              <li key={sentence} className="wrap-anywhere">
                {sentence}
              </li>
            ))}
          </ul>
        ) : (
          <Skeleton rows={3} height={24} />
        )
      }
      verb="End campaign"
      isDanger
      typed={typed}
      typedLabel={`Type ${typed} to go on`}
      busy={act.isBusy && 'Ending…'}
      blocked={!preview && 'What it does is not known yet'}
      error={act.error}
      onConfirm={() => act.run()}
      onClose={onClose}
    >
      {preview && preview.numberCount > 0 && others.length > 0 ? (
        <Field label={`Its ${plural(preview.numberCount, 'number')}`}>
          {(tied) => (
            <Select
              {...tied}
              value={target}
              options={[
                { value: '', label: 'Release' },
                ...others.map((one) => ({ value: one.id, label: `Move to ${one.displayName}` })),
              ]}
              onChange={(event) => setTarget(event.target.value)}
            />
          )}
        </Field>
      ) : null}
    </Confirm>
  )
}
