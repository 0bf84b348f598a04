// Removing a person from the account.

import { useState } from 'react'
import type { Person } from '../../../generated/types.gen'
import { request } from '../../api/request'
import { useAct } from '../../lib/use-act'
import { Confirm } from '../../ui/feedback/Dialog'
import { toast } from '../../ui/feedback/Toast'
import { Checkbox } from '../../ui/inputs/Field'

interface RemovePersonProps {
  person: Person
  onClose: () => void
}

export function RemovePerson({ person, onClose }: RemovePersonProps) {
  const [revokes, setRevokes] = useState(false)
  const remove = useAct(
    (key) =>
      request('DELETE /console/people/{id}', {
        path: { id: person.id },
        query: { tokens: revokes ? 'revoke' : 'keep' },
        key,
      }),
    {
      onDone: () => {
        toast(`${person.name} removed`)
        onClose()
      },
    },
  )
  return (
    <Confirm
      title={`Remove ${person.name}?`}
      consequence="They lose access to this account at once. You can invite them again."
      verb="Remove"
      isDanger
      busy={remove.isBusy && 'Removing…'}
      error={remove.error}
      onConfirm={() => remove.run()}
      onClose={onClose}
    >
      <Checkbox
        label="Also revoke access tokens that they created"
        help="Programs that use these tokens stop working."
        isChecked={revokes}
        onChange={setRevokes}
      />
    </Confirm>
  )
}
