// One number: whether it can receive messages, and its opt-out history.

import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { X } from 'lucide-react'
import { useState } from 'react'
import type { OptoutChange } from '../../../generated/types.gen'
import { optoutChangesQuery } from '../../api/talk-queries'
import { useKeys } from '../../lib/use-keys'
import { Badge } from '../../ui/display/Badge'
import { writableState } from '../../ui/display/states'
import { Time } from '../../ui/display/Time'
import { ErrorNotice } from '../../ui/feedback/Notice'
import { Button, ButtonLink } from '../../ui/inputs/Button'
import { Phone } from '../../ui/inputs/Copy'
import { Skeleton } from '../../ui/layout/Page'
import { RecordConsent } from '../conversations/RecordConsent'

interface PanelProps {
  campaignId: string
  recipient: string
}

export function OptoutPanel({ campaignId, recipient }: PanelProps) {
  const navigate = useNavigate({ from: '/campaigns/$id/optouts' })
  const { data, error, refetch } = useQuery(optoutChangesQuery(campaignId, recipient))
  const [isRecording, setRecording] = useState(false)
  const close = () => void navigate({ search: ({ number: _, ...rest }) => rest })
  useKeys({ Escape: close })
  const isOptedOut = data?.changes[0]?.change === 'opted_out'
  return (
    <aside
      aria-label="Opt-out details"
      className="relative flex flex-col gap-3 rounded-lg border border-line bg-surface p-4 max-lg:order-first lg:sticky lg:top-10"
    >
      <button
        type="button"
        onClick={close}
        aria-label="Close"
        className="absolute top-3 right-3 inline-flex size-8 cursor-pointer items-center justify-center rounded-md text-ink-2 hover:bg-hover pointer-coarse:size-11"
      >
        <X size={16} aria-hidden="true" />
      </button>
      <h2 className="pr-10 text-lg font-semibold">
        <Phone phone={recipient} />
      </h2>
      {error ? (
        <ErrorNotice error={error} onRetry={() => void refetch()} />
      ) : !data ? (
        <Skeleton rows={3} height={28} />
      ) : (
        <>
          <div>
            <Badge state={writableState(isOptedOut)} />
          </div>
          <History changes={data.changes} />
          <div className="flex flex-wrap gap-2">
            {isOptedOut ? (
              <Button onClick={() => setRecording(true)}>Record consent…</Button>
            ) : null}
            <ButtonLink
              to="/conversations/$campaignId/$digits"
              params={{ campaignId, digits: recipient.replace(/\D/g, '') }}
            >
              View conversation
            </ButtonLink>
          </div>
        </>
      )}
      {isRecording ? (
        <RecordConsent
          campaignId={campaignId}
          phone={recipient}
          onClose={() => setRecording(false)}
        />
      ) : null}
    </aside>
  )
}

const SOURCES: Record<string, string> = {
  keyword: 'by text message',
  api: 'by you',
  operator: 'by the operator',
  campaign_end: '(moved from another campaign)',
}

function History({ changes }: { changes: readonly OptoutChange[] }) {
  if (changes.length === 0) {
    return <p className="text-ink-2">No opt-outs or opt-ins in this campaign.</p>
  }
  return (
    <ol className="flex flex-col gap-2" aria-label="History, newest first">
      {changes.map(({ change, source, reason, createdAt }) => (
        <li key={`${createdAt} ${change}`} className="flex flex-col border-l-2 border-line pl-3">
          <span>
            {change === 'opted_out' ? 'Opted out' : 'Opted in'} {SOURCES[source] ?? source}
          </span>
          {reason ? (
            <q dir="auto" className="text-ink-2 wrap-anywhere">
              {reason}
            </q>
          ) : null}
          <span className="text-sm text-ink-2">
            <Time at={createdAt} />
          </span>
        </li>
      ))}
    </ol>
  )
}
