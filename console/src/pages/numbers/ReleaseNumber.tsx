// The question before a number is given up: nobody gets it back for sure, so its last four digits are typed.

import { formatPhone } from '../../lib/format'
import { useAct } from '../../lib/use-act'
import { Confirm } from '../../ui/Dialog'
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
            Messages to it will not reach you any more, and someone else may get it. Nothing is paid
            back.
          </p>
          {isDefault ? (
            <p className="mt-2">
              It is the default of its campaign: the number held for longest takes its place.
            </p>
          ) : null}
        </>
      }
      verb="Release number"
      busy={release.isBusy && 'Releasing…'}
      isDanger
      typed={phone.slice(-4)}
      typedLabel="Its last four digits"
      error={release.error}
      onConfirm={() => release.run()}
      onClose={onClose}
    />
  )
}
