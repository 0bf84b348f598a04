// Ending a campaign: the service's preview of the consequences, then confirmation by typing its name.

import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { allCampaignsQuery, endPreviewQuery } from '../../api/registry-queries'
import { request } from '../../api/request'
import { plural } from '../../lib/format'
import { useAct } from '../../lib/use-act'
import { Confirm } from '../../ui/feedback/Dialog'
import { ErrorNotice } from '../../ui/feedback/Notice'
import { Field, Select } from '../../ui/inputs/Field'
import { Skeleton } from '../../ui/layout/Page'

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
      request('POST /v1/campaign/{id}/end', {
        path: { id },
        body: { confirm: id, ...(target && { moveNumbersTo: target }) },
        key,
      }),
    { onDone: onClose },
  )
  const others = (campaigns ?? []).filter((one) => one.status === 'ACTIVE' && one.id !== id)
  const preview = data?.preview
  // Names can have repeated spaces that nobody sees, so those are not required.
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
      typedLabel={`Type ${typed} to confirm`}
      busy={act.isBusy && 'Ending…'}
      blocked={!preview && 'Loading…'}
      error={act.error}
      onConfirm={() => act.run()}
      onClose={onClose}
    >
      {preview && preview.numberCount > 0 && others.length > 0 ? (
        <Field label={`What to do with this campaign’s ${plural(preview.numberCount, 'number')}`}>
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
