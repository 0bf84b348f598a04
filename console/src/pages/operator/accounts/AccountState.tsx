// Suspending, resuming, and deleting an account. Deleting requires its name and works only while suspended.

import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import type { OperatedAccount } from '../../../../generated/types.gen'
import { request } from '../../../api/request'
import { toast } from '../../../ui/feedback/Toast'
import { Button } from '../../../ui/inputs/Button'
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
          ? 'Its tokens are refused. Queued messages are still sent, and inbound messages still arrive.'
          : 'Suspending refuses its tokens within seconds. Queued messages are still sent.'}
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
          consequence="Its tokens are refused within seconds. Queued messages are still sent. To stop them, suspend the campaign."
          verb="Suspend account"
          isDanger
          typed={name}
          act={(key, reason) =>
            request('POST /operator/v1/account/{id}/suspend', {
              path: { id },
              body: { reason },
              key,
            })
          }
          onClose={close}
        />
      ) : null}
      {asking === 'resume' ? (
        <ReasonConfirm
          title={`Resume ${name}?`}
          consequence="Its tokens work again."
          verb="Resume account"
          act={(key, reason) =>
            request('POST /operator/v1/account/{id}/resume', {
              path: { id },
              body: { reason },
              key,
            })
          }
          onClose={close}
        />
      ) : null}
      {asking === 'delete' ? (
        <ReasonConfirm
          title={`Delete ${name} permanently?`}
          consequence="Its numbers go back on sale. Brands, campaigns, messages, media, opt-outs, webhooks, and tokens are deleted. The ledger and audit log are kept. This cannot be undone, so export the account first."
          verb="Delete account"
          isDanger
          typed={name}
          act={(key, reason) =>
            request('DELETE /operator/v1/account/{id}', { path: { id }, query: { reason }, key })
          }
          onDone={() => {
            toast(`${name} deleted`)
            void navigate({ to: '/operator/accounts' })
          }}
          onClose={close}
        />
      ) : null}
    </div>
  )
}
