// Confirmation for an action that the audit log stores with a reason. The riskiest ones require typing the name.

import { type ReactNode, useState } from 'react'
import { ApiFailure } from '../../api/request'
import { useAct } from '../../lib/use-act'
import { Confirm } from '../../ui/feedback/Dialog'
import { Field, Input } from '../../ui/inputs/Field'

const REASON_LENGTH_MAX = 500

interface ReasonConfirmProps {
  title: string
  consequence: ReactNode
  verb: string
  isDanger?: boolean
  typed?: string
  typedLabel?: string
  act: (key: string, reason: string) => Promise<unknown>
  onDone?: () => void
  onClose: () => void
}

export function ReasonConfirm({ act, onDone, onClose, ...dialog }: ReasonConfirmProps) {
  const [reason, setReason] = useState('')
  const doing = useAct(act, {
    onDone: () => {
      onClose()
      onDone?.()
    },
  })
  const problem =
    doing.error instanceof ApiFailure
      ? doing.error.details.find(({ field }) => field === 'reason')?.problem
      : null
  return (
    <Confirm
      {...dialog}
      busy={doing.isBusy && 'Saving…'}
      blocked={reason.trim() === '' && 'Enter a reason first'}
      error={doing.error}
      onConfirm={() => doing.run(reason.trim())}
      onClose={onClose}
    >
      <Field label="Reason" help="Saved in the audit log." error={problem}>
        {(tied) => (
          <Input
            {...tied}
            maxLength={REASON_LENGTH_MAX}
            value={reason}
            onChange={(event) => setReason(event.target.value)}
          />
        )}
      </Field>
    </Confirm>
  )
}
