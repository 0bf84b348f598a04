// Inviting a person, changing their role, and removing them.

import { type FormEvent, useId, useState } from 'react'
import type { Person } from '../../../generated/types.gen'
import { request } from '../../api/request'
import { ACCOUNT_ROLES, describeRole, type PersonRole } from '../../lib/describe-role'
import { useAct } from '../../lib/use-act'
import { Confirm, Dialog } from '../../ui/feedback/Dialog'
import { ErrorNotice } from '../../ui/feedback/Notice'
import { toast } from '../../ui/feedback/Toast'
import { Button } from '../../ui/inputs/Button'
import { Checkbox, Field, Input, Radio } from '../../ui/inputs/Field'

interface RolesProps {
  role: PersonRole
  onChoose: (role: PersonRole) => void
}

function Roles({ role, onChoose }: RolesProps) {
  const name = useId()
  return (
    <fieldset className="flex flex-col gap-2">
      <legend className="mb-1 font-medium">Role</legend>
      {ACCOUNT_ROLES.map((one) => (
        <Radio
          key={one}
          name={name}
          {...describeRole(one)}
          isChecked={one === role}
          onChange={() => onChoose(one)}
        />
      ))}
    </fieldset>
  )
}

interface InvitePersonProps {
  onMade: (email: string, url: string) => void
  onClose: () => void
}

export function InvitePerson({ onMade, onClose }: InvitePersonProps) {
  const form = useId()
  const [email, setEmail] = useState('')
  const [role, setRole] = useState<PersonRole>('agent')
  const invite = useAct(
    (key) =>
      request('POST /console/people/invitation', { body: { email: email.trim(), role }, key }),
    { onDone: ({ invitation, url }) => onMade(invitation.email, url ?? '') },
  )
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (email.trim()) invite.run()
  }
  return (
    <Dialog
      title="Invite a person"
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button
            look="filled"
            type="submit"
            form={form}
            busy={invite.isBusy && 'Creating…'}
            blocked={email.trim() === '' && 'Enter an email address first'}
          >
            Create link
          </Button>
        </>
      }
    >
      <form id={form} onSubmit={submit} className="flex flex-col gap-4">
        <Field label="Email">
          {(tied) => (
            <Input
              {...tied}
              type="email"
              autoComplete="off"
              maxLength={254}
              value={email}
              onChange={({ target }) => setEmail(target.value)}
            />
          )}
        </Field>
        <Roles role={role} onChoose={setRole} />
        {invite.error ? <ErrorNotice error={invite.error} isAnswer /> : null}
      </form>
    </Dialog>
  )
}

interface PersonDialogProps {
  person: Person
  onClose: () => void
}

export function ChangeRole({ person, onClose }: PersonDialogProps) {
  const [role, setRole] = useState<PersonRole>(person.role)
  const change = useAct(
    (key) =>
      request('PATCH /console/people/{id}', { path: { id: person.id }, body: { role }, key }),
    {
      onDone: () => {
        toast(`${person.name} is now ${describeRole(role).label}`)
        onClose()
      },
    },
  )
  return (
    <Dialog
      title={`Role of ${person.name}`}
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button
            look="filled"
            onClick={() => change.run()}
            busy={change.isBusy && 'Saving…'}
            blocked={role === person.role && 'Choose another role first'}
          >
            Change role
          </Button>
        </>
      }
    >
      <Roles role={role} onChoose={setRole} />
      {change.error ? <ErrorNotice error={change.error} isAnswer /> : null}
    </Dialog>
  )
}

export function RemovePerson({ person, onClose }: PersonDialogProps) {
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
