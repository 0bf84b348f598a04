// Confirmation before a number is released: it may be lost for good, so its last four digits are typed.

import { formatPhone } from '../../lib/format'
import { useAct } from '../../lib/use-act'
import { Confirm } from '../../ui/feedback/Dialog'
import { releaseNumber } from './number-acts'

interface ReleaseNumberProps {
  phone: string
  isDefault: boolean
  onDone: () => void
  onClose: () => void
}

export function ReleaseNumber({ phone, isDefault, onDone, onClose }: ReleaseNumberProps) {
  const release = useAct((key) => releaseNumber(phone, key), { onDone })
  return (
    <Confirm
      title={`Release ${formatPhone(phone)}?`}
      consequence={
        <>
          <p>
            You will no longer receive messages sent to it, and someone else can buy it. There is no
            refund.
          </p>
          {isDefault ? (
            <p className="mt-2">
              It is the campaign’s default number. The oldest remaining number becomes the default.
            </p>
          ) : null}
        </>
      }
      verb="Release number"
      busy={release.isBusy && 'Releasing…'}
      isDanger
      typed={phone.slice(-4)}
      typedLabel="Type its last four digits"
      error={release.error}
      onConfirm={() => release.run()}
      onClose={onClose}
    />
  )
}
