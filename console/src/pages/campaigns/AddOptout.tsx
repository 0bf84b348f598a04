// Records an opt-out that someone requested by phone or mail. It works like STOP, with a reason for the audit log.

import { request } from '../../api/request'
import { readPhone } from '../../lib/format'
import { useAct } from '../../lib/use-act'
import { useDraft } from '../../lib/use-draft'
import { Confirm } from '../../ui/feedback/Dialog'
import { Field, Input, TextArea } from '../../ui/inputs/Field'

interface AddProps {
  campaignId: string
  onClose: () => void
}

export function AddOptout({ campaignId, onClose }: AddProps) {
  const [fields, setFields, draft] = useDraft(`optout-${campaignId}`, { phone: '', reason: '' })
  const phone = readPhone(fields.phone)
  const isPhone = /^\+1\d{10}$/.test(phone)
  const act = useAct(
    (key) =>
      request('PUT /v1/campaign/{id}/optouts/{number}', {
        path: { id: campaignId, number: phone.replace(/\D/g, '') },
        body: { reason: fields.reason.trim() },
        key,
      }),
    {
      onDone: () => {
        draft.clear()
        onClose()
      },
    },
  )
  return (
    <Confirm
      title="Opt out a number"
      consequence="This campaign sends nothing to this number until someone texts START from it or you record consent. Queued messages to it fail with error 1330 and are refunded."
      verb="Opt out"
      busy={act.isBusy && 'Opting out…'}
      blocked={
        !isPhone
          ? 'Enter a complete number first'
          : fields.reason.trim() === '' && 'Enter a reason first'
      }
      error={act.error}
      onConfirm={() => act.run()}
      onClose={onClose}
    >
      <Field label="Number" help="10 digits, such as (415) 555-0100.">
        {(tied) => (
          <Input
            {...tied}
            inputMode="tel"
            maxLength={30}
            value={fields.phone}
            onChange={(event) => setFields({ ...fields, phone: event.target.value })}
          />
        )}
      </Field>
      <Field label="Reason" help="Saved in the audit log. Example: requested by phone.">
        {(tied) => (
          <TextArea
            {...tied}
            rows={2}
            maxLength={500}
            value={fields.reason}
            onChange={(event) => setFields({ ...fields, reason: event.target.value })}
          />
        )}
      </Field>
    </Confirm>
  )
}
