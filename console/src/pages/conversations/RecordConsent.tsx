// Consent that somebody gave outside of texting opens what STOP has closed: with a reason, and typed, for it
// is kept for the audit.

import { useState } from 'react'
import { call } from '../../api/call'
import { formatPhone } from '../../lib/format'
import { useAct } from '../../lib/use-act'
import { Confirm } from '../../ui/Dialog'
import { Field, TextArea } from '../../ui/Field'

interface Props {
  campaignId: string
  phone: string
  onClose: () => void
}

export function RecordConsent({ campaignId, phone, onClose }: Props) {
  const [reason, setReason] = useState('')
  const act = useAct(
    (key, text: string) =>
      call('DELETE', `/v1/campaign/${campaignId}/optouts/${phone.replace(/\D/g, '')}`, {
        query: { reason: text },
        idempotencyKey: key,
      }),
    { onDone: onClose },
  )
  return (
    <Confirm
      title={`Record consent of ${formatPhone(phone)}`}
      consequence="The opt-out is removed, and this campaign may write to them again. Kept in the audit log."
      verb="Record consent"
      busy={act.isBusy && 'Recording…'}
      typed={phone.slice(-4)}
      typedLabel={`Type the last four digits, ${phone.slice(-4)}`}
      blocked={reason.trim() === '' && 'Say how they agreed'}
      error={act.error}
      onConfirm={() => act.run(reason.trim())}
      onClose={onClose}
    >
      <Field label="How they agreed" help="Such as: signed up again at the counter, 15 Nov.">
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
