// Editing a webhook.

import { type FormEvent, useId } from 'react'
import type { Webhook } from '../../../generated/types.gen'
import { request } from '../../api/request'
import { useAct } from '../../lib/use-act'
import { useDraft } from '../../lib/use-draft'
import { ApiRequestButton } from '../../ui/display/ApiRequest'
import { Dialog } from '../../ui/feedback/Dialog'
import { Button } from '../../ui/inputs/Button'
import { bodyOf, type WebhookFields, WebhookForm } from './WebhookForm'

export function EditWebhook({ webhook, onClose }: { webhook: Webhook; onClose: () => void }) {
  const form = useId()
  const [fields, setFields, draft] = useDraft<WebhookFields>(`webhook-${webhook.id}`, {
    url: webhook.url,
    name: webhook.name ?? '',
    eventTypes: webhook.eventTypes,
    scope: 'keep',
    numbers: webhook.numbers,
  })
  const path = `/v1/webhook/${webhook.id}`
  const body = bodyOf(fields)
  const save = useAct(
    (key) => request('PATCH /v1/webhook/{id}', { path: { id: webhook.id }, body, key }),
    {
      onDone: () => {
        draft.clear()
        onClose()
      },
    },
  )
  const submit = (event: FormEvent) => {
    event.preventDefault()
    save.run()
  }
  return (
    <Dialog
      title="Edit webhook"
      onClose={onClose}
      actions={
        <>
          <ApiRequestButton request={{ method: 'PATCH', path, body }} />
          <Button
            onClick={() => {
              draft.clear()
              onClose()
            }}
          >
            Cancel
          </Button>
          <Button type="submit" form={form} look="filled" busy={save.isBusy && 'Saving…'}>
            Save changes
          </Button>
        </>
      }
    >
      <form id={form} onSubmit={submit} noValidate>
        <WebhookForm
          campaignId={webhook.campaignId}
          fields={fields}
          onChange={setFields}
          error={save.error}
          numbersNow={webhook.numbers.length}
        />
        {draft.isKept ? (
          <p className="mt-3 text-sm text-ink-3">Draft saved in this browser</p>
        ) : null}
      </form>
    </Dialog>
  )
}
