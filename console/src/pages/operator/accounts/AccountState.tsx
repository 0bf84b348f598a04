// Stop, go and the end of an account. Deleting asks for its name, and only a suspended one can be.

import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import type { OperatedAccount } from '../../../../generated/types.gen'
import { operate } from '../../../api/operator-queries'
import { Button } from '../../../ui/Button'
import { toast } from '../../../ui/Toast'
import { ReasonConfirm } from '../ReasonConfirm'

export function AccountState({ account: { id, name, status } }: { account: OperatedAccount }) {
  const [asking, setAsking] = useState<'suspend' | 'resume' | 'delete' | null>(null)
  const navigate = useNavigate()
  const close = () => setAsking(null)
  const isSuspended = status === 'SUSPENDED'
  return (
    <div className="flex flex-col items-start gap-3">
      <p className="text-ink-2">
        {isSuspended
          ? 'Its tokens are refused. What it had queued still goes out, and inbound messages still arrive.'
          : 'Suspended, its tokens are refused within seconds; what it has queued still goes out.'}
      </p>
      <div className="flex flex-wrap gap-2">
        {isSuspended ? (
          <>
            <Button onClick={() => setAsking('resume')}>Resume account</Button>
            <Button onClick={() => setAsking('delete')}>Delete account</Button>
          </>
        ) : (
          <Button onClick={() => setAsking('suspend')}>Suspend account</Button>
        )}
      </div>
      {asking === 'suspend' ? (
        <ReasonConfirm
          title={`Suspend ${name}?`}
          consequence="Its tokens are refused within seconds. What it has queued still goes out: suspend a campaign to stop its messages."
          verb="Suspend account"
          isDanger
          typed={name}
          act={(key, reason) =>
            operate('POST', `/account/${id}/suspend`, { body: { reason }, key })
          }
          onClose={close}
        />
      ) : null}
      {asking === 'resume' ? (
        <ReasonConfirm
          title={`Resume ${name}?`}
          consequence="Its tokens work again."
          verb="Resume account"
          act={(key, reason) => operate('POST', `/account/${id}/resume`, { body: { reason }, key })}
          onClose={close}
        />
      ) : null}
      {asking === 'delete' ? (
        <ReasonConfirm
          title={`Delete ${name} for good?`}
          consequence="Its numbers are for sale again at once; brands, campaigns, messages, media, opt-outs, webhooks and tokens are deleted. Its ledger and the audit log stay. There is no way back: export it before."
          verb="Delete account"
          isDanger
          typed={name}
          act={(key, reason) => operate('DELETE', `/account/${id}`, { query: { reason }, key })}
          onDone={() => {
            toast(`Deleted: ${name}`)
            void navigate({ to: '/operator/accounts' })
          }}
          onClose={close}
        />
      ) : null}
    </div>
  )
}
