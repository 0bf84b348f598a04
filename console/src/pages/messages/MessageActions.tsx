// Actions on a message: send it again as a new one, open the conversation, or cancel it while it is scheduled.

import { useState } from 'react'
import type { Message } from '../../../generated/types.gen'
import { request } from '../../api/request'
import { useSession } from '../../api/session'
import { formatMoney, formatPhone } from '../../lib/format'
import { momentOf } from '../../lib/format-time'
import { useAct } from '../../lib/use-act'
import { ApiRequestButton } from '../../ui/display/ApiRequest'
import { Confirm } from '../../ui/feedback/Dialog'
import { Button, ButtonLink } from '../../ui/inputs/Button'

export function MessageActions({ message }: { message: Message }) {
  const { id, campaignId, direction, from, to, body, status } = message
  const isOut = direction === 'OUTBOUND'
  const other = isOut ? to : from
  return (
    <div className="flex flex-wrap gap-2">
      {isOut && !message.automatic ? (
        <ButtonLink to="/send" search={{ campaign: campaignId, to, body }}>
          Send again
        </ButtonLink>
      ) : null}
      <ButtonLink
        to="/conversations/$campaignId/$digits"
        params={{ campaignId, digits: other.replace(/\D/g, '') }}
      >
        View conversation
      </ButtonLink>
      {status === 'SCHEDULED' ? <CancelButton message={message} /> : null}
      <ApiRequestButton request={{ method: 'GET', path: `/v1/message/${id}/timeline` }} />
    </div>
  )
}

function CancelButton({ message }: { message: Message }) {
  const { account } = useSession()
  const [isAsking, setAsking] = useState(false)
  const { id, to, price, scheduledAt } = message
  const act = useAct((key) => request('DELETE /v1/message/{id}', { path: { id }, key }), {
    onDone: () => setAsking(false),
  })
  const due = scheduledAt ? momentOf(new Date(scheduledAt)) : ''
  return (
    <>
      <Button
        onClick={() => setAsking(true)}
        blocked={!account?.scopes.includes('send') && 'This token lacks the send scope'}
      >
        Cancel message…
      </Button>
      {isAsking ? (
        <Confirm
          title="Cancel this message?"
          consequence={`The message to ${formatPhone(to)}, scheduled for ${due}, will not be sent. ${formatMoney(price)} is refunded.`}
          verb={`Cancel message · refund ${formatMoney(price)}`}
          busy={act.isBusy && 'Canceling…'}
          isDanger
          error={act.error}
          onConfirm={() => act.run()}
          onClose={() => setAsking(false)}
        />
      ) : null}
    </>
  )
}
