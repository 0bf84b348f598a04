// Somebody asked by phone or by letter: the same opt-out as by STOP, with the reason kept for the audit.

import type { PutOptoutReply } from '../../../generated/types.gen'
import { call } from '../../api/call'
import { readPhone } from '../../lib/format'
import { useAct } from '../../lib/use-act'
import { useDraft } from '../../lib/use-draft'
import { Confirm } from '../../ui/Dialog'
import { Field, Input, TextArea } from '../../ui/Field'

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
      call<PutOptoutReply>(
        'PUT',
        `/v1/campaign/${campaignId}/optouts/${phone.replace(/\D/g, '')}`,
        {
          body: { reason: fields.reason.trim() },
          idempotencyKey: key,
        },
      ),
    {
      onDone: () => {
        draft.clear()
        onClose()
      },
    },
  )
  return (
    <Confirm
      title="Opt a number out by hand"
      consequence="Nothing is sent to it from this campaign until it writes START, or you record its consent. What waits for it fails with 1330, not charged."
      verb="Opt out"
      busy={act.isBusy && 'Opting out…'}
      blocked={
        !isPhone ? 'Write a whole number first' : fields.reason.trim() === '' && 'Say why first'
      }
      error={act.error}
      onConfirm={() => act.run()}
      onClose={onClose}
    >
      <Field label="Number" help="Ten digits, such as (415) 555-0100.">
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
      <Field label="Reason" help="Kept for the audit. Such as: asked by phone.">
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
