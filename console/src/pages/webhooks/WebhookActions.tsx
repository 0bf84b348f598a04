// Actions on a webhook: test, disable and enable, edit, rotate the secret, delete.

import { useNavigate } from '@tanstack/react-router'
import { KeyRound, Pencil, Trash2 } from 'lucide-react'
import { useState } from 'react'
import type { Webhook } from '../../../generated/types.gen'
import { request } from '../../api/request'
import { webhookName } from '../../lib/describe-webhook'
import { useAct } from '../../lib/use-act'
import { ApiRequestButton } from '../../ui/display/ApiRequest'
import { Confirm } from '../../ui/feedback/Dialog'
import { ErrorNotice } from '../../ui/feedback/Notice'
import { toast } from '../../ui/feedback/Toast'
import { Button } from '../../ui/inputs/Button'
import { Menu } from '../../ui/inputs/Menu'
import { EditWebhook } from './EditWebhook'
import { RotateSecret } from './RotateSecret'

interface ActionsProps {
  webhook: Webhook
  /** Whether testing is the primary action of the page. */
  isFilled: boolean
}

export function WebhookActions({ webhook, isFilled }: ActionsProps) {
  const [dialog, setDialog] = useState<'edit' | 'rotate' | 'delete' | null>(null)
  const close = () => setDialog(null)
  const toggle = useAct((key, enabled: boolean) =>
    request('PATCH /v1/webhook/{id}', { path: { id: webhook.id }, body: { enabled }, key }),
  )
  return (
    <>
      <ApiRequestButton request={{ method: 'GET', path: `/v1/webhook/${webhook.id}` }} />
      <TestButton webhook={webhook} isFilled={isFilled} />
      {webhook.enabled ? (
        <Button
          onClick={() => toggle.run(false)}
          busy={toggle.isBusy && 'Disabling…'}
          title="Nothing is sent while it is disabled. Its events are held for 30 days."
        >
          {' '}
          Disable{' '}
        </Button>
      ) : null}
      <Menu
        label="More actions"
        items={[
          { label: 'Edit…', icon: Pencil, onSelect: () => setDialog('edit') },
          { label: 'Rotate secret…', icon: KeyRound, onSelect: () => setDialog('rotate') },
          { label: 'Delete…', icon: Trash2, isDanger: true, onSelect: () => setDialog('delete') },
        ]}
      />
      {toggle.error ? (
        <div className="basis-full">
          <ErrorNotice error={toggle.error} isAnswer />
        </div>
      ) : null}
      {dialog === 'edit' ? <EditWebhook webhook={webhook} onClose={close} /> : null}
      {dialog === 'rotate' ? <RotateSecret webhook={webhook} onClose={close} /> : null}
      {dialog === 'delete' ? <DeleteWebhook webhook={webhook} onClose={close} /> : null}
    </>
  )
}

/** Opens the delivery that was sent, so you can watch it arrive. */
export function TestButton({ webhook, isFilled }: ActionsProps) {
  const navigate = useNavigate()
  const test = useAct(
    (key) => request('POST /v1/webhook/{id}/test', { path: { id: webhook.id }, body: {}, key }),
    {
      onDone: ({ delivery }) =>
        void navigate({
          to: '/webhooks/$id/deliveries/$deliveryId',
          params: { id: webhook.id, deliveryId: delivery.id },
          resetScroll: false,
        }),
    },
  )
  return (
    <>
      <Button
        look={isFilled ? 'filled' : 'plain'}
        onClick={() => test.run()}
        busy={test.isBusy && 'Sending…'}
        blocked={!webhook.enabled && 'Enable it first'}
      >
        Send test event
      </Button>
      {test.error ? (
        <div className="basis-full">
          <ErrorNotice error={test.error} isAnswer />
        </div>
      ) : null}
    </>
  )
}

function DeleteWebhook({ webhook, onClose }: { webhook: Webhook; onClose: () => void }) {
  const navigate = useNavigate()
  const name = webhookName(webhook)
  const remove = useAct(
    (key) => request('DELETE /v1/webhook/{id}', { path: { id: webhook.id }, key }),
    {
      onDone: () => {
        toast(`Webhook “${name}” deleted`)
        void navigate({ to: '/webhooks' })
      },
    },
  )
  return (
    <Confirm
      title={`Delete “${name}”?`}
      consequence="Nothing more is sent to it, including pending retries, and its deliveries can no longer be viewed."
      verb="Delete webhook"
      isDanger
      typed={name}
      busy={remove.isBusy && 'Deleting…'}
      error={remove.error}
      onConfirm={() => remove.run()}
      onClose={onClose}
    />
  )
}
