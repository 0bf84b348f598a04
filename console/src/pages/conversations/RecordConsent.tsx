// Records consent that someone gave outside of texting, which reverts a STOP. It requires a reason and typed
// confirmation, because it goes into the audit log.

import { useState } from 'react'
import { request } from '../../api/request'
import { formatPhone } from '../../lib/format'
import { useAct } from '../../lib/use-act'
import { Confirm } from '../../ui/feedback/Dialog'
import { Field, TextArea } from '../../ui/inputs/Field'

interface Props {
  campaignId: string
  phone: string
  onClose: () => void
}

export function RecordConsent({ campaignId, phone, onClose }: Props) {
  const [reason, setReason] = useState('')
  const act = useAct(
    (key, text: string) =>
      request('DELETE /v1/campaign/{id}/optouts/{number}', {
        path: { id: campaignId, number: phone.replace(/\D/g, '') },
        query: { reason: text },
        key,
      }),
    { onDone: onClose },
  )
  return (
    <Confirm
      title={`Record consent for ${formatPhone(phone)}`}
      consequence="The opt-out is removed, and this campaign can message them again. Saved in the audit log."
      verb="Record consent"
      busy={act.isBusy && 'Recording…'}
      typed={phone.slice(-4)}
      typedLabel={`Type the last four digits, ${phone.slice(-4)}`}
      blocked={reason.trim() === '' && 'First enter how they agreed'}
      error={act.error}
      onConfirm={() => act.run(reason.trim())}
      onClose={onClose}
    >
      <Field label="How they agreed" help="Example: signed up again at the counter, Nov 15.">
        {(tied) => (
          <TextArea
            {...tied}
            rows={2}
            maxLength={500}
            value={reason}
            onChange={(event) => setReason(event.target.value)}
          />
        )}
      </Field>
    </Confirm>
  )
}
